import Dispatch
import Synchronization

/// A log-mel spectrogram in blocks, each computed once while windows move forwards, with the next ones computed on
/// another thread while the network processes a window.
final class SpectrogramBlocks: Sendable {
    /// Frames per block.
    private static let frames = 1000
    /// Number of blocks after those of a window that the next window may need.
    private static let ahead = RecordingSpectrogram.windowFrames / frames

    private let spectrogram: LogMelSpectrogram
    private let sampleCount: Int
    private let read: @Sendable (Range<Int>) throws -> [Float]
    /// `nil` computes nothing in advance.
    private let queue: DispatchQueue?
    /// Logarithms by block number.
    private let blocks = Mutex<[Int: [Float]]>([:])

    /// - Parameters:
    ///   - ahead: whether a thread is available to compute blocks in advance.
    ///   - read: returns the samples of a range below `sampleCount`.
    init(
        _ spectrogram: LogMelSpectrogram, sampleCount: Int, ahead: Bool,
        read: @escaping @Sendable (Range<Int>) throws -> [Float]
    ) {
        self.spectrogram = spectrogram
        self.sampleCount = sampleCount
        self.read = read
        queue = ahead ? DispatchQueue(label: "whisper-local.spectrogram") : nil
    }

    /// Same as `LogMelSpectrogram.logarithms`.
    func logarithms(_ frames: Range<Int>) throws -> [Float] {
        guard !frames.isEmpty else { return [] }
        let needed = (frames.lowerBound / Self.frames)...((frames.upperBound - 1) / Self.frames)
        blocks.withLock { blocks in
            for number in blocks.keys where number < needed.lowerBound || number > needed.upperBound + Self.ahead {
                blocks[number] = nil
            }
        }
        let bands = spectrogram.bands
        var values: [Float] = []
        values.reserveCapacity(frames.count * bands)
        for number in needed {
            let start = number * Self.frames
            let range = frames.clamped(to: start..<(start + Self.frames))
            values += try block(number)[((range.lowerBound - start) * bands)..<((range.upperBound - start) * bands)]
        }
        computeAhead(from: needed.upperBound + 1)
        return values
    }

    private func block(_ number: Int) throws -> [Float] {
        try blocks.withLock { blocks in
            if let block = blocks[number] { return block }
            let start = number * Self.frames
            let values = try spectrogram.logarithms(
                start..<(start + Self.frames), sampleCount: sampleCount, read: read)
            blocks[number] = values
            return values
        }
    }

    private func computeAhead(from first: Int) {
        let end = (LogMelSpectrogram.contentFrames(samples: sampleCount) + Self.frames - 1) / Self.frames
        for number in first..<max(first, min(first + Self.ahead, end)) {
            // The caller that needs the block retries and reports the error.
            queue?.async { _ = try? self.block(number) }
        }
    }
}
