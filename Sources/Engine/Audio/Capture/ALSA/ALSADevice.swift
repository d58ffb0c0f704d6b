// Invariant: `handle` is open from `init` to `close` and used only by the thread that created this object; every
// function was looked up by the name next to its type; buffers outlive the calls that fill them.
import CALSA
import Glibc

/// A microphone opened through ALSA: a hardware device, or a sound server's plugin.
@safe
final class ALSADevice: CaptureDevice {
    let name: String
    private let calls: Calls
    private var handle: OpaquePointer?

    /// Samples per read: 20 ms.
    static let periodSamples = 320
    /// The requested device buffer: one second.
    private static let bufferSamples = 16_000

    /// Opens and configures the device; recording begins with `start`.
    init(_ name: String, library: ALSALibrary) throws(CaptureError) {
        calls = try Calls(library)
        self.name = name
        do throws(CaptureFault) {
            do throws(CaptureFault) {
                try open(name)
                try configure()
            } catch {
                // The device does not support 16 kHz, mono or 16 bits: let ALSA convert.
                guard unsafe handle != nil, !name.hasPrefix("plug") else { throw error }
                close()
                try open(Self.converted(name))
                try configure()
            }
        } catch {
            let wasOpen = unsafe handle != nil
            close()
            throw Self.failure(name, error, wasOpen: wasOpen, library)
        }
    }

    deinit { close() }

    /// The name of the conversion plugin for a device; quoted, because the device name may contain commas.
    static func converted(_ name: String) -> String {
        name.contains("'") ? "plug:\(name)" : "plug:'\(name)'"
    }

    private static func failure(
        _ name: String, _ fault: CaptureFault, wasOpen: Bool, _ library: ALSALibrary
    ) -> CaptureError {
        let message = library.takeMessage()
        let code: Int32
        switch fault {
        case .gone(let number): code = number
        case .again: code = EAGAIN
        case .overrun: code = EPIPE
        case .suspended: code = ESTRPIPE
        }
        // PulseAudio reports an unknown source only in its message.
        if message?.hasSuffix("No such entity") == true { return .unknownDevice(name, known: []) }
        switch code {
        case EBUSY, EAGAIN:
            let owner = DeviceOwner.find(of: name)
            return .busy(name, process: owner?.process, program: owner?.name)
        case EACCES, EPERM: return .notPermitted(name)
        // PulseAudio's plugin reports one of the first three, PipeWire's the last.
        case ECONNREFUSED, ECONNRESET, ETIMEDOUT, EHOSTDOWN: return .serverNotRunning(name, seconds: 0)
        case ENOENT, ENODEV, ENXIO: return .unknownDevice(name, known: [])
        default:
            let detail = message ?? library.text(-code)
            return wasOpen ? .unsuitable(name, detail: detail) : .failed(name, detail: detail)
        }
    }

    // MARK: Setup

    private func open(_ name: String) throws(CaptureFault) {
        var opened: OpaquePointer?
        try checked(unsafe calls.open(&opened, name, SND_PCM_STREAM_CAPTURE, 0))
        unsafe handle = unsafe opened
        // Reads do not block; `wait` blocks, with a timeout for a silent source.
        try checked(unsafe calls.nonblock(handle, 1))
    }

    private func configure() throws(CaptureFault) {
        var parameters: OpaquePointer?
        try checked(unsafe calls.allocateParameters(&parameters))
        defer { unsafe calls.freeParameters(parameters) }
        try checked(unsafe calls.anyParameters(handle, parameters))
        try checked(unsafe calls.setAccess(handle, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
        try checked(unsafe calls.setFormat(handle, parameters, SND_PCM_FORMAT_S16_LE))
        try checked(unsafe calls.setChannels(handle, parameters, 1))
        var rate = UInt32(AudioChunk.sampleRate)
        try checked(unsafe calls.setRate(handle, parameters, &rate, nil))
        guard rate == AudioChunk.sampleRate else { throw .gone(code: EINVAL) }
        var period = UInt(Self.periodSamples)
        try checked(unsafe calls.setPeriod(handle, parameters, &period, nil))
        var buffer = UInt(Self.bufferSamples)
        try checked(unsafe calls.setBuffer(handle, parameters, &buffer))
        try checked(unsafe calls.setParameters(handle, parameters))
    }

    // MARK: Recording

    func start() throws(CaptureFault) { try checked(unsafe calls.start(handle)) }

    package func wait(milliseconds: Int32) throws(CaptureFault) -> Bool {
        try checked(unsafe calls.wait(handle, milliseconds)) > 0
    }

    func read(into buffer: inout [Int16]) throws(CaptureFault) -> Int {
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe calls.read(handle, bytes.baseAddress, UInt(bytes.count / 2))
        }
        return Int(try checked(Int32(clamping: count)))
    }

    func prepare() throws(CaptureFault) { try checked(unsafe calls.prepare(handle)) }
    func resume() throws(CaptureFault) { try checked(unsafe calls.resume(handle)) }
    func drop() throws(CaptureFault) { try checked(unsafe calls.drop(handle)) }

    func close() {
        guard let open = unsafe handle else { return }
        _ = unsafe calls.close(open)
        unsafe handle = nil
    }

    @discardableResult
    private func checked(_ code: Int32) throws(CaptureFault) -> Int32 {
        if code >= 0 { return code }
        switch -code {
        case EPIPE: throw .overrun
        case ESTRPIPE: throw .suspended
        case EAGAIN, EINTR: throw .again
        default: throw .gone(code: -code)
        }
    }

    /// ALSA's functions with the types declared in its header.
    @safe
    private struct Calls {
        typealias PCM = OpaquePointer?
        let open: @convention(c) (UnsafeMutablePointer<PCM>?, UnsafePointer<CChar>?, snd_pcm_stream_t, Int32) -> Int32
        let nonblock: @convention(c) (PCM, Int32) -> Int32
        let allocateParameters: @convention(c) (UnsafeMutablePointer<OpaquePointer?>?) -> Int32
        let freeParameters: @convention(c) (OpaquePointer?) -> Void
        let anyParameters: @convention(c) (PCM, OpaquePointer?) -> Int32
        let setAccess: @convention(c) (PCM, OpaquePointer?, snd_pcm_access_t) -> Int32
        let setFormat: @convention(c) (PCM, OpaquePointer?, snd_pcm_format_t) -> Int32
        let setChannels: @convention(c) (PCM, OpaquePointer?, UInt32) -> Int32
        let setRate:
            @convention(c) (PCM, OpaquePointer?, UnsafeMutablePointer<UInt32>?, UnsafeMutablePointer<Int32>?) -> Int32
        let setPeriod:
            @convention(c) (PCM, OpaquePointer?, UnsafeMutablePointer<UInt>?, UnsafeMutablePointer<Int32>?) -> Int32
        let setBuffer: @convention(c) (PCM, OpaquePointer?, UnsafeMutablePointer<UInt>?) -> Int32
        let setParameters: @convention(c) (PCM, OpaquePointer?) -> Int32
        let start: @convention(c) (PCM) -> Int32
        package let wait: @convention(c) (PCM, Int32) -> Int32
        let read: @convention(c) (PCM, UnsafeMutableRawPointer?, UInt) -> Int
        let prepare: @convention(c) (PCM) -> Int32
        let resume: @convention(c) (PCM) -> Int32
        let drop: @convention(c) (PCM) -> Int32
        let close: @convention(c) (PCM) -> Int32

        init(_ library: ALSALibrary) throws(CaptureError) {
            func find<F>(_ name: String, _ type: F.Type = F.self) throws(CaptureError) -> F {
                try library.function("snd_pcm_" + name, as: type)
            }
            unsafe open = try find("open")
            unsafe nonblock = try find("nonblock")
            unsafe allocateParameters = try find("hw_params_malloc")
            unsafe freeParameters = try find("hw_params_free")
            unsafe anyParameters = try find("hw_params_any")
            unsafe setAccess = try find("hw_params_set_access")
            unsafe setFormat = try find("hw_params_set_format")
            unsafe setChannels = try find("hw_params_set_channels")
            unsafe setRate = try find("hw_params_set_rate_near")
            unsafe setPeriod = try find("hw_params_set_period_size_near")
            unsafe setBuffer = try find("hw_params_set_buffer_size_near")
            unsafe setParameters = try find("hw_params")
            unsafe start = try find("start")
            unsafe wait = try find("wait")
            unsafe read = try find("readi")
            unsafe prepare = try find("prepare")
            unsafe resume = try find("resume")
            unsafe drop = try find("drop")
            unsafe close = try find("close")
        }
    }
}
