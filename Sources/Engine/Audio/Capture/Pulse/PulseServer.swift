// Invariant: the main loop, the context and the collector live until `sources` returns; PulseAudio calls back only while
// the main loop is iterated, on the same thread, and its strings are copied there.
import EngineBasics
import Glibc

/// The PulseAudio server, or PipeWire in its place. ALSA knows it as one device and does not list its sources.
enum PulseServer {
    struct Source: Sendable, Equatable {
        let name: String
        let description: String
    }

    /// How long the server may take to answer.
    private static let timeout = Duration.seconds(2)
    /// PulseAudio's `PA_CONTEXT_NOAUTOSPAWN`: a server that is not running is not started.
    private static let noAutospawn: UInt32 = 1
    private static let (ready, failed): (Int32, Int32) = (4, 5)

    private typealias Handle = OpaquePointer?
    private typealias SourceCallback =
        @convention(c) (Handle, UnsafeRawPointer?, Int32, UnsafeMutableRawPointer?) -> Void

    private final class Collector {
        var sources: [Source] = []
        var isComplete = false
    }

    /// Returns the server's sources, microphones and monitors of outputs alike; `nil` if there is no server.
    static func sources() -> [Source]? {
        guard let library = try? SharedLibrary("libpulse.so.0"), let calls = try? Calls(library) else { return nil }
        let loop = unsafe calls.newLoop()
        defer { unsafe calls.freeLoop(loop) }
        let context = unsafe calls.newContext(calls.interface(loop), "whisper-local")
        defer { unsafe calls.freeContext(context) }
        let end = ContinuousClock.now + timeout
        func wait(until isDone: () -> Bool) -> Bool {
            while !isDone() {
                let isOver = unsafe calls.state(context) >= failed || ContinuousClock.now > end
                guard !isOver, unsafe calls.iterate(loop, 0, nil) >= 0 else { return false }
                usleep(1000)
            }
            return true
        }
        guard unsafe calls.connect(context, nil, noAutospawn, nil) >= 0,
            wait(until: { unsafe calls.state(context) == ready })
        else { return nil }
        defer { unsafe calls.disconnect(context) }
        let collector = Collector()
        let request = unsafe calls.listSources(context, collect, Unmanaged.passUnretained(collector).toOpaque())
        defer { unsafe calls.endRequest(request) }
        _ = wait { collector.isComplete }
        return collector.sources
    }

    private static let collect: SourceCallback = { _, info, end, collector in
        guard let collector = unsafe collector else { return }
        let target = unsafe Unmanaged<Collector>.fromOpaque(collector).takeUnretainedValue()
        guard end == 0, let info = unsafe info else {
            target.isComplete = true
            return
        }
        // `pa_source_info` begins with the name, a number and the description.
        typealias Text = UnsafePointer<CChar>?
        let name = unsafe info.load(as: Text.self)
        let description = unsafe info.load(fromByteOffset: 2 * MemoryLayout<Int>.size, as: Text.self)
        guard let name = unsafe name else { return }
        unsafe target.sources.append(
            Source(name: String(cString: name), description: description.map { unsafe String(cString: $0) } ?? ""))
    }

    /// PulseAudio's functions with the types declared in its headers.
    @safe
    private struct Calls {
        let newLoop: @convention(c) () -> Handle
        let freeLoop: @convention(c) (Handle) -> Void
        let interface: @convention(c) (Handle) -> Handle
        let iterate: @convention(c) (Handle, Int32, UnsafeMutablePointer<Int32>?) -> Int32
        let newContext: @convention(c) (Handle, UnsafePointer<CChar>?) -> Handle
        let freeContext: @convention(c) (Handle) -> Void
        let connect: @convention(c) (Handle, UnsafePointer<CChar>?, UInt32, UnsafeRawPointer?) -> Int32
        let disconnect: @convention(c) (Handle) -> Void
        let state: @convention(c) (Handle) -> Int32
        let listSources: @convention(c) (Handle, SourceCallback, UnsafeMutableRawPointer?) -> Handle
        let endRequest: @convention(c) (Handle) -> Void

        init(_ library: SharedLibrary) throws(SharedLibrary.Missing) {
            unsafe newLoop = try library.function("pa_mainloop_new")
            unsafe freeLoop = try library.function("pa_mainloop_free")
            unsafe interface = try library.function("pa_mainloop_get_api")
            unsafe iterate = try library.function("pa_mainloop_iterate")
            unsafe newContext = try library.function("pa_context_new")
            unsafe freeContext = try library.function("pa_context_unref")
            unsafe connect = try library.function("pa_context_connect")
            unsafe disconnect = try library.function("pa_context_disconnect")
            unsafe state = try library.function("pa_context_get_state")
            unsafe listSources = try library.function("pa_context_get_source_info_list")
            unsafe endRequest = try library.function("pa_operation_unref")
        }
    }
}
