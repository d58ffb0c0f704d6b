// Invariant: the device is closed on every path out of `play`, and the samples outlive the call that reads them.
import CALSA

/// Plays short sounds through ALSA's default device.
package enum ALSAPlayback {
    private static let device = "default"
    /// The device buffer, in microseconds.
    private static let latency: UInt32 = 100_000

    /// Plays samples at 16 kHz, mono, and returns when they have been heard.
    ///
    /// - Returns: whether there is a device that plays them.
    @discardableResult
    package static func play(_ samples: [Int16]) -> Bool {
        guard let library = ALSALibrary.shared else { return false }
        library.collectMessages()
        let alsa = library.functions
        var opened: OpaquePointer?
        guard unsafe alsa.snd_pcm_open(&opened, device, SND_PCM_STREAM_PLAYBACK, 0) == 0, let handle = unsafe opened
        else { return false }
        defer { _ = unsafe alsa.snd_pcm_close(handle) }
        let isReady =
            unsafe alsa.snd_pcm_set_params(
                handle, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 1, UInt32(AudioChunk.sampleRate), 1,
                latency) == 0
        guard isReady else { return false }
        let count = unsafe samples.withUnsafeBytes {
            unsafe alsa.snd_pcm_writei(handle, $0.baseAddress, UInt(samples.count))
        }
        return unsafe count == samples.count && alsa.snd_pcm_drain(handle) == 0
    }
}
