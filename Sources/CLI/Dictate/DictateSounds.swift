import Dispatch
import Glibc
import WhisperEngine

/// The sounds with which `dictate` says that a recording has started or ended, for users who look at another window.
package enum DictateSounds: Sendable {
    case started, ended

    private static let queue = DispatchQueue(label: "whisper-local.sounds")
    private static let playing = DispatchGroup()
    private static let seconds = 0.08
    /// Low, because the microphone may hear it.
    private static let level = 0.1

    /// A falling tone ends what a rising one has started.
    private var frequencies: (first: Double, last: Double) { self == .started ? (600, 900) : (900, 600) }

    /// At 16 kHz, without a click at either end.
    package var samples: [Int16] {
        let count = Int(Self.seconds * Double(AudioChunk.sampleRate))
        var phase = 0.0
        return (0..<count).map { index in
            let progress = Double(index) / Double(count)
            let frequency = frequencies.first + (frequencies.last - frequencies.first) * progress
            phase += 2 * Double.pi * frequency / Double(AudioChunk.sampleRate)
            return Int16(Self.level * sin(Double.pi * progress) * sin(phase) * Double(Int16.max))
        }
    }

    /// Plays it in the background; without an output there is silence.
    func play() { Self.queue.async(group: Self.playing) { [samples] in ALSAPlayback.play(samples) } }

    /// Waits for the last one, but not for long.
    static func finish() { _ = playing.wait(timeout: .now() + 1) }
}
