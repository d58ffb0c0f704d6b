import Dispatch
import Synchronization

/// The log-mel spectrogram of a sound in blocks, each computed once while windows go forwards, and the next ones
/// computed on another thread while the network is busy with a window.
final class SpectrogramBlocks: Sendable {
    private static let frames = 1000
    /// The next window needs no more than these behind the last one's.
    private static let ahead = RecordingSpectrogram.windowFrames / frames

    private let spectrogram: LogMelSpectrogram
    private let sampleCount: Int
    private let read: @Sendable (Range<Int>) throws -> [Float]
    /// `nil` computes nothing ahead.
    private let queue: DispatchQueue?
    /// Logarithms by the number of the block.
    private let blocks = Mutex<[Int: [Float]]>([:])

    /// - Parameters:
    ///   - ahead: whether there is a thread to spare.
    ///   - read: gives samples of a range below `sampleCount`.
    init(
        _ spectrogram: LogMelSpectrogram, sampleCount: Int, ahead: Bool,
        read: @escaping @Sendable (Range<Int>) throws -> [Float]
    ) {
        self.spectrogram = spectrogram
        self.sampleCount = sampleCount
        self.read = read
        queue = ahead ? DispatchQueue(label: "whisper-local.spectrogram") : nil
    }

    /// As `LogMelSpectrogram.logarithms`.
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
            let part = frames.clamped(to: start..<(start + Self.frames))
            values += try block(number)[((part.lowerBound - start) * bands)..<((part.upperBound - start) * bands)]
        }
        computeAhead(from: needed.upperBound + 1)
        return values
    }

    private func block(_ number: Int) throws -> [Float] {
        try blocks.withLock { blocks in
            if let known = blocks[number] { return known }
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
            // Who needs the block tries again and tells the failure.
            queue?.async { _ = try? self.block(number) }
        }
    }
}
