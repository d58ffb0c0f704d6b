package import EngineAudio
package import EngineVoices

/// A recording that has been read.
package struct RecordedAudio: Sendable {
    /// All samples read; none are skipped.
    package let samples: SampleStore
    package let summary: RecordingSummary
    /// What the model learned while it was read.
    package let scan: (any RecordingScan)?

    package init(_ samples: SampleStore, _ summary: RecordingSummary, scan: (any RecordingScan)? = nil) {
        self.samples = samples
        self.summary = summary
        self.scan = scan
    }

    /// A recording that is already in memory.
    package init(_ samples: [Float]) throws {
        let store = SampleStore()
        try store.append(samples)
        self.init(store, RecordingSummary(samples))
    }

    /// Number of samples to transcribe.
    package var count: Int { summary.speech?.kept.count ?? summary.count }

    /// Reads a range of the samples to transcribe.
    package func read(_ range: Range<Int>) throws -> [Float] { try samples.read(range, of: summary.speech?.kept) }
}

extension SampleStore {
    /// Reads a range of the audio that was kept; `nil` is the whole recording.
    package func read(_ range: Range<Int>, of kept: KeptAudio?) throws -> [Float] {
        guard let kept else { return try read(range) }
        let ranges = kept.originalRanges(of: range)
        if ranges.count == 1 { return try read(ranges[0]) }
        var samples: [Float] = []
        samples.reserveCapacity(range.count)
        for range in ranges { samples += try read(range) }
        return samples
    }
}

/// Examines the samples of a recording while it is being read.
package protocol RecordingScan: AnyObject, Sendable {
    /// More samples have been stored: `count` in all. Not called while all samples are zero.
    func advance(to count: Int)

    /// The recording has ended after `count` samples.
    func finish(sampleCount count: Int) throws
}
