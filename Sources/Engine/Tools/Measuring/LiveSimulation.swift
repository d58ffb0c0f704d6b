import EngineAudio
import EngineBasics
import EngineModels
import EngineStreaming
import EngineTranscripts
import Glibc

/// Runs a live decoder in simulated time: measures how long each pass takes and records when each output appears.
final class LiveSimulation: LiveDecoder, LiveStream {
    private struct TimedOutput {
        let times: Times
        let output: LiveLoop.Output
    }

    /// When an output appears, in seconds of the simulation.
    struct Times {
        /// Including the time that passes take.
        let aware: Double
        /// As if passes took no time.
        let unaware: Double
    }

    private static let aboutTenSeconds = 9.5...10.5

    private let network: any LiveDecoder
    private let stopwatch: Stopwatch
    private var outputs: [TimedOutput] = []
    /// Seconds of audio played so far.
    var position = 0.0
    /// When the last pass finished.
    private var idleFrom = 0.0
    /// The duration of each pass.
    private(set) var costs: [Double] = []
    /// The duration of each pass over an open window of ten seconds.
    private(set) var longCosts: [Double] = []
    /// How long each pass waited for the previous one.
    private(set) var lags: [Double] = []
    private(set) var generatedTokens = 0
    private(set) var acceptedDraftTokens = 0
    /// Resident memory after every ten minutes and at the end.
    private(set) var memory: [(end: Double, bytes: Int)] = []

    init(_ network: any LiveDecoder, stopwatch: Stopwatch) {
        self.network = network
        self.stopwatch = stopwatch
    }

    func decode(_ request: LiveRequest) throws -> LivePass {
        let pass = try timed { try network.decode(request) }
        let seconds = AudioChunk.seconds(of: request.samples.count)
        if !request.isClosing, Self.aboutTenSeconds.contains(seconds) { longCosts.append(costs.last ?? 0) }
        generatedTokens += pass.generatedTokens
        acceptedDraftTokens += pass.acceptedDraftTokens
        return pass
    }

    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] { try timed { try network.transcribe(samples) } }

    var stream: (any LiveStream)? { network.stream.map { _ in self } }

    func startUtterance() { network.startUtterance() }
    func change(_ change: SessionChange) { network.change(change) }
    var spokenLanguage: DetectedLanguage? { network.spokenLanguage }
    var languageCertainty: LanguageCertainty { network.languageCertainty }

    func record(_ output: LiveLoop.Output) {
        outputs.append(
            TimedOutput(times: Times(aware: max(idleFrom, position), unaware: position), output: output))
    }

    func recordMemory(isAtEnd: Bool) {
        let last = memory.last?.end ?? 0
        guard position - last >= (isAtEnd ? 60 : 600) else { return }
        memory.append((position, ProcessMemory.residentBytes))
    }

    private func timed<R>(_ pass: () throws -> R) rethrows -> R {
        let start = max(position, idleFrom)
        let begun = stopwatch.now
        let result = try pass()
        let cost = (stopwatch.now - begun) / .seconds(1)
        costs.append(cost)
        lags.append(start - position)
        idleFrom = start + cost
        return result
    }

    /// Only if the network is a stream.
    func hear(_ samples: [Float], from position: Int, isLast: Bool) throws -> LivePass {
        guard let stream = network.stream else { preconditionFailure("not a stream") }
        let pass = try timed { try stream.hear(samples, from: position, isLast: isLast) }
        generatedTokens += pass.generatedTokens
        return pass
    }

    /// Returns the output by time; outputs at the same time form one moment.
    func moments(_ time: KeyPath<Times, Double>) -> [LiveMetrics.Moment] {
        var moments: [LiveMetrics.Moment] = []
        for timed in outputs {
            let at = timed.times[keyPath: time]
            if moments.last?.time != at {
                moments.append(LiveMetrics.Moment(time: at, finals: [], volatile: moments.last?.volatile ?? []))
            }
            switch timed.output {
            case .finals(let segments):
                moments[moments.count - 1].finals += segments.flatMap(Self.words)
                moments[moments.count - 1].volatile = []
            case .volatile(let segment):
                moments[moments.count - 1].volatile = segment.map(Self.words) ?? []
            case .language, .utterance: break
            }
        }
        return moments
    }

    /// Uses the words of the segment on both sides of a comparison, which also works for languages without spaces.
    private static func words(of segment: TranscriptSegment) -> [String] {
        (segment.words ?? []).map { WhiteSpace.strip($0.word) }
    }

    /// The text of all finals.
    var text: String { finals.map(\.text).joined(separator: "") }

    private var finals: [TranscriptSegment] {
        outputs.flatMap { timed -> [TranscriptSegment] in
            if case .finals(let segments) = timed.output { return segments }
            return []
        }
    }

    var utterances: Int { Set(finals.map(\.utterance)).count }

    /// Returns the mean over the utterances, with times relative to the start of each: the measure assumes uniform
    /// speech, which only holds within an utterance.
    func averageLagging(_ time: KeyPath<Times, Double>, reference: LiveSimulation) -> Double {
        var times: [Int: [Double]] = [:]
        for timed in outputs {
            guard case .finals(let segments) = timed.output else { continue }
            let at = timed.times[keyPath: time]
            for segment in segments {
                times[segment.utterance, default: []] += Self.words(of: segment).map { _ in at }
            }
        }
        let references = Dictionary(grouping: reference.finals, by: \.utterance)
        let lags = times.keys.sorted().compactMap { utterance -> Double? in
            let words = (references[utterance] ?? []).flatMap { $0.words ?? [] }
            guard let first = words.first, let last = words.last, let shown = times[utterance] else { return nil }
            return LiveMetrics.averageLagging(
                shown.map { $0 - first.start }, referenceCount: words.count, duration: last.end - first.start)
        }
        return lags.isEmpty ? 0 : lags.reduce(0, +) / Double(lags.count)
    }

    /// The words of the finals with their times.
    var words: [LiveMetrics.ReferenceWord] {
        finals.flatMap { segment in
            (segment.words ?? []).map {
                LiveMetrics.ReferenceWord(
                    text: WhiteSpace.strip($0.word), start: $0.start, end: $0.end)
            }
        }
    }
}
