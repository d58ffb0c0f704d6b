import EngineAudio
import EngineCompute
import Synchronization

/// Finds who speaks when in a recording.
///
/// Segmentation windows show how many people talk; the speech is covered with short windows, whose voice vectors
/// are clustered into speakers; both together decide who talks in each frame.
package struct Diarizer: Sendable {
    /// Reads samples in a range of the recording, -1…1; on any thread.
    package typealias Read = @Sendable (Range<Int>) throws -> [Float]

    private let networks: SpeakerNetworks
    private let pool: WorkerPool

    /// Segmentation windows computed together, so that their products have enough rows.
    private static let windowsAtOnce = 12

    /// - Parameter threads: does not change the result.
    package init(_ networks: SpeakerNetworks, threads: Int) {
        self.networks = networks
        pool = WorkerPool(threads: threads)
    }

    /// What was found on the way to the turns.
    package struct Trace: Sendable {
        package var people: [UInt8] = []
        package var windows = VoiceWindows(people: [], duration: 0)
        package var vectors = VoiceVectors(size: VoiceNetwork.size)
        package var labels: [Int] = []
        package var turns: [SpeakerTurn] = []
        /// The label and the voice of each speaker.
        package var clusters: [Int] = []
        package var speakers: [SpeakerVoice] = []

        package init() {}
    }

    /// Finds the turns of all speakers, in order of their start; those of different speakers may overlap.
    ///
    /// - Parameters:
    ///   - sampleCount: the number of samples at 16 kHz.
    ///   - limits: how many speakers there may be.
    ///   - progress: receives the share of the work that is done, 0…1.
    /// - Throws: the errors of `read`, `ComputeError.outOfMemory`, `CancellationError`.
    package func trace(
        sampleCount: Int, limits: SpeakerLimits = SpeakerLimits(), read: @escaping Read,
        progress: (Double) -> Void = { _ in }
    ) throws -> Trace {
        var trace = Trace()
        guard sampleCount > 0 else { return trace }
        let duration = AudioChunk.seconds(of: sampleCount)
        // Both networks take about as long.
        let activity = try localActivity(sampleCount: sampleCount, read) { progress($0 / 2) }
        trace.people = activity.people()
        trace.windows = VoiceWindows(people: trace.people, duration: duration)
        guard !trace.windows.windows.isEmpty else { return trace }
        trace.vectors = try vectors(of: trace.windows.windows, sampleCount: sampleCount, read) {
            progress(0.5 + $0 / 2)
        }
        trace.labels = try SpeakerClustering(limits: limits).labels(of: trace.vectors)
        let centers = trace.vectors.centers(trace.labels, count: (trace.labels.max() ?? -1) + 1)
        let timeline = SpeakerTimeline(
            activity: activity, people: trace.people, windows: trace.windows,
            similarities: try trace.vectors.cosines(with: centers))
        (trace.turns, trace.clusters) = timeline.turns(duration: duration)
        trace.speakers = SpeakerVoice.voices(of: trace.vectors, trace.labels, clusters: trace.clusters)
        return trace
    }

    private func localActivity(
        sampleCount: Int, _ read: @escaping Read, progress: (Double) -> Void
    ) throws -> LocalActivity {
        let version = networks.segmentation.version
        var activity = LocalActivity(
            windows: LocalActivity.windows(samples: sampleCount, of: version), of: version)
        let step = LocalActivity.step, windows = activity.windows
        let batches = (windows + Self.windowsAtOnce - 1) / Self.windowsAtOnce
        try inParts(batches, progress: progress) { batch in
            let first = batch * Self.windowsAtOnce, count = min(Self.windowsAtOnce, windows - first)
            let range = (first * step)..<((first + count - 1) * step + version.windowSamples)
            return try networks.segmentation.stages(
                of: Self.padded(range, sampleCount: sampleCount, read), step: step
            ).logits
        } store: { batch, logits in
            activity.store(LocalActivity.Frames(logits: logits, version: version), from: batch * Self.windowsAtOnce)
        }
        return activity
    }

    private func vectors(
        of windows: [VoiceWindows.Window], sampleCount: Int, _ read: @escaping Read, progress: (Double) -> Void
    ) throws -> VoiceVectors {
        var vectors = VoiceVectors(size: VoiceNetwork.size)
        try inParts(windows.count, progress: progress) { index in
            let range = windows[index].samples(of: sampleCount)
            return try networks.voice.vector(of: Self.padded(range, sampleCount: sampleCount, read))
        } store: { _, vector in
            vectors.append(vector)
        }
        return vectors
    }

    /// Computes parts on all threads, a few at a time, and stores their results in order.
    private func inParts(
        _ count: Int, progress: (Double) -> Void, _ compute: @escaping @Sendable (Int) throws -> [Float],
        store: (Int, [Float]) -> Void
    ) throws {
        let atOnce = 4 * pool.threads
        for first in stride(from: 0, to: count, by: atOnce) {
            try Task.checkCancellation()
            let parts = min(atOnce, count - first)
            let results = Mutex([Result<[Float], any Error>](repeating: .success([]), count: parts))
            pool.run(parts: parts) { part in
                let result = Result { try compute(first + part) }
                results.withLock { $0[part] = result }
            }
            for (part, result) in results.withLock({ $0 }).enumerated() { store(first + part, try result.get()) }
            progress(Double(first + parts) / Double(count))
        }
    }

    /// The samples in a range, with zeros after the end of the recording; numbers that are not finite become zero.
    private static func padded(_ range: Range<Int>, sampleCount: Int, _ read: Read) throws -> [Float] {
        let inside = range.clamped(to: 0..<sampleCount)
        var samples = inside.isEmpty ? [] : try read(inside)
        samples.append(contentsOf: repeatElement(0, count: range.count - samples.count))
        return samples.map { $0.isFinite ? $0 : 0 }
    }
}
