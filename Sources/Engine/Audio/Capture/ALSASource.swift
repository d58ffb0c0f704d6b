import Synchronization

/// A microphone: ALSA's hardware, or PulseAudio and PipeWire through ALSA's plugins.
///
/// A thread reads it, so that a busy program loses nothing: 4.1 s wait here for a listener, a second more in hardware
/// and minutes in a sound server. One source gives one stream; it is closed when that ends.
public final class ALSASource: CaptureSource {
    /// Tried in this order where no device is named.
    public static let defaultDevices = ["default", "pulse", "pipewire"]

    private let requested: String?
    private let link = CaptureLink()
    private let rest = CaptureRest(.milliseconds(100))
    private let isTaken = Atomic<Bool>(false)

    /// - Parameter device: ALSA's name, such as `pulse:SOURCE` or `plughw:1,0`; `nil` takes what the system has chosen.
    public init(device: String? = nil) {
        requested = device
    }

    /// The device in use; before that the one asked for.
    public var device: String? { link.device ?? requested ?? Self.defaultDevices[0] }

    /// Samples that wait in the sound server or the hardware, looked at once a second.
    public var backlog: Int { link.backlog }

    /// 100 ms at first; within 1 ms and 1 s. A shorter one than before holds at once.
    public func setInterval(_ interval: Duration) {
        rest.interval = max(.milliseconds(1), min(.seconds(1), interval))
    }

    public func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
        guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else {
            return AsyncThrowingStream(unfolding: { nil })
        }
        let names = requested.map { [$0] } ?? Self.defaultDevices
        let pump = CapturePump(
            link, rest: rest,
            start: { [link] () throws(CaptureError) in
                guard let library = ALSALibrary.shared else { throw .libraryMissing }
                try CaptureThread.start { Self.capture(link, names, library) }
            })
        return AsyncThrowingStream(unfolding: { try await pump.next() })
    }

    public func pause() { link.control.pause() }
    public func resume() { link.control.resume() }
    public func stop() { link.control.stop() }

    private static func capture(_ link: CaptureLink, _ names: [String], _ library: ALSALibrary) {
        library.collectMessages()
        let loop = CaptureLoop(link, names: names) { name throws(CaptureError) in
            do throws(CaptureError) {
                let device = try ALSADevice(name, library: library)
                CaptureThread.raisePriority()
                return device
            } catch {
                guard case .unknownDevice(let name, _) = error else { throw error }
                throw .unknownDevice(name, known: CaptureDevices.inputs(library).map(\.name))
            }
        }
        loop.run()
    }
}
