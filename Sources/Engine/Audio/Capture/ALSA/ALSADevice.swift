// Invariant: `handle` is open from `init` to `close` and used only by the thread that created this object; buffers
// outlive the calls that fill them.
import CALSA
import Glibc

/// A microphone opened through ALSA: a hardware device, or a sound server's plugin.
@safe
final class ALSADevice: CaptureDevice {
    let name: String
    private let alsa: ALSAFunctions
    private var handle: OpaquePointer?

    /// Samples per read: 20 ms.
    static let periodSamples = 320
    /// The requested device buffer: one second.
    private static let bufferSamples = 16_000

    /// Opens and configures the device; recording begins with `start`.
    init(_ name: String, library: ALSALibrary) throws(CaptureError) {
        alsa = library.functions
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
        try checked(unsafe alsa.snd_pcm_open(&opened, name, SND_PCM_STREAM_CAPTURE, 0))
        unsafe handle = unsafe opened
        // Reads do not block; `wait` blocks, with a timeout for a silent source.
        try checked(unsafe alsa.snd_pcm_nonblock(handle, 1))
    }

    private func configure() throws(CaptureFault) {
        var parameters: OpaquePointer?
        try checked(unsafe alsa.snd_pcm_hw_params_malloc(&parameters))
        defer { unsafe alsa.snd_pcm_hw_params_free(parameters) }
        try checked(unsafe alsa.snd_pcm_hw_params_any(handle, parameters))
        try checked(unsafe alsa.snd_pcm_hw_params_set_access(handle, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
        try checked(unsafe alsa.snd_pcm_hw_params_set_format(handle, parameters, SND_PCM_FORMAT_S16_LE))
        try checked(unsafe alsa.snd_pcm_hw_params_set_channels(handle, parameters, 1))
        var rate = UInt32(AudioChunk.sampleRate)
        try checked(unsafe alsa.snd_pcm_hw_params_set_rate_near(handle, parameters, &rate, nil))
        guard rate == AudioChunk.sampleRate else { throw .gone(code: EINVAL) }
        var period = UInt(Self.periodSamples)
        try checked(unsafe alsa.snd_pcm_hw_params_set_period_size_near(handle, parameters, &period, nil))
        var buffer = UInt(Self.bufferSamples)
        try checked(unsafe alsa.snd_pcm_hw_params_set_buffer_size_near(handle, parameters, &buffer))
        try checked(unsafe alsa.snd_pcm_hw_params(handle, parameters))
    }

    // MARK: Recording

    func start() throws(CaptureFault) { try checked(unsafe alsa.snd_pcm_start(handle)) }

    package func wait(milliseconds: Int32) throws(CaptureFault) -> Bool {
        try checked(unsafe alsa.snd_pcm_wait(handle, milliseconds)) > 0
    }

    func read(into buffer: inout [Int16]) throws(CaptureFault) -> Int {
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe alsa.snd_pcm_readi(handle, bytes.baseAddress, UInt(bytes.count / 2))
        }
        return Int(try checked(Int32(clamping: count)))
    }

    func prepare() throws(CaptureFault) { try checked(unsafe alsa.snd_pcm_prepare(handle)) }
    func resume() throws(CaptureFault) { try checked(unsafe alsa.snd_pcm_resume(handle)) }
    func drop() throws(CaptureFault) { try checked(unsafe alsa.snd_pcm_drop(handle)) }

    func close() {
        guard let open = unsafe handle else { return }
        _ = unsafe alsa.snd_pcm_close(open)
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
}
