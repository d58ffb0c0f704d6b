import Synchronization

/// A microphone: an ALSA hardware device, or PulseAudio or PipeWire through their ALSA plugins.
///
/// A dedicated thread reads the device, so that a busy consumer loses nothing: 4.1 s are buffered here, another second
/// in the hardware, and minutes in a sound server. A source provides one stream, and closes the device when it ends.
public final class Microphone: CaptureSource {
    /// The devices to try, in this order, if none is named.
    package static let defaultDevices = ["default", "pulse", "pipewire"]

    private let requested: String?
    private let channel = CaptureChannel()
    private let timer = PollTimer(.milliseconds(100))
    private let isStarted = Atomic<Bool>(false)

    /// - Parameter device: an ALSA name such as `pulse:SOURCE` or `plughw:1,0` (see `devices`); `nil` uses the
    ///   system's default.
    public init(device: String? = nil) {
        requested = device
    }

    /// The device in use; before it is open, the requested one.
    public var device: String? { channel.device ?? requested ?? Self.defaultDevices[0] }

    /// Initially 100 ms; clamped to 1 ms…1 s. A shorter interval takes effect at once.
    package func setInterval(_ interval: Duration) {
        timer.interval = max(.milliseconds(1), min(.seconds(1), interval))
    }

    package func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
        guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else {
            return AsyncThrowingStream(unfolding: { nil })
        }
        let names = requested.map { [$0] } ?? Self.defaultDevices
        let poller = CapturePoller(
            channel, timer: timer,
            start: { [channel] () throws(CaptureError) in
                guard let library = ALSALibrary.shared else { throw .libraryMissing }
                try CaptureThread.start { Self.capture(channel, names, library) }
            })
        return AsyncThrowingStream(unfolding: { try await poller.next() })
    }

    package func pause() { channel.control.pause() }
    package func resume() { channel.control.resume() }
    package func stop() { channel.control.stop() }

    private static func capture(_ channel: CaptureChannel, _ names: [String], _ library: ALSALibrary) {
        library.collectMessages()
        let loop = CaptureLoop(channel, names: names) { name throws(CaptureError) in
            do throws(CaptureError) {
                let device = try ALSADevice(name, library: library)
                CaptureThread.raisePriority()
                return device
            } catch {
                guard case .unknownDevice(let name, _) = error else { throw error }
                throw .unknownDevice(name, known: Self.devices(library).map(\.name))
            }
        }
        loop.run()
    }
}
