import Glibc

/// A decoder that takes the time of what it does, and a listener that writes down when it was told what.
final class LivePlay: LiveDecoder {
    private struct Told {
        let aware: Double
        let unaware: Double
        let output: LiveLoop.Output
    }

    struct Times {
        let aware: Double
        let unaware: Double
    }

    private let network: any LiveDecoder
    private let usesProcessorTime: Bool
    private var told: [Told] = []
    /// Seconds of sound played.
    var position = 0.0
    /// When the last pass was done.
    private var free = 0.0
    private(set) var costs: [Double] = []
    private(set) var lags: [Double] = []
    /// Tokens of all passes, and those that needed no step of the network of their own.
    private(set) var generatedTokens = 0
    private(set) var acceptedDraftTokens = 0
    /// Resident memory at the end of every ten minutes, and at the end of all.
    private(set) var memory: [(end: Double, bytes: Int)] = []

    init(_ network: any LiveDecoder, usesProcessorTime: Bool) {
        self.network = network
        self.usesProcessorTime = usesProcessorTime
    }

    var duration: Double { position }

    func decode(_ request: LiveRequest) throws -> LivePass {
        let pass = try timed { try network.decode(request) }
        generatedTokens += pass.generatedTokens
        acceptedDraftTokens += pass.acceptedDraftTokens
        return pass
    }

    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] { try timed { try network.transcribe(samples) } }

    func hear(_ output: LiveLoop.Output) {
        told.append(Told(aware: max(free, position), unaware: position, output: output))
    }

    func noteMemory(isAtEnd: Bool) {
        let last = memory.last?.end ?? 0
        guard position - last >= (isAtEnd ? 60 : 600) else { return }
        memory.append((position, ProcessMemory.residentBytes))
    }

    private func timed<R>(_ work: () throws -> R) rethrows -> R {
        let start = max(position, free)
        let wall = ContinuousClock.now
        let processor = clock()
        let result = try work()
        let cost =
            usesProcessorTime
            ? Double(clock() - processor) / 1_000_000 : (ContinuousClock.now - wall) / .seconds(1)
        costs.append(cost)
        lags.append(start - position)
        free = start + cost
        return result
    }

    /// Outputs of one time put together.
    func moments(_ time: KeyPath<Times, Double>) -> [LiveMetrics.Moment] {
        var moments: [LiveMetrics.Moment] = []
        for one in told {
            let at = Times(aware: one.aware, unaware: one.unaware)[keyPath: time]
            if moments.last?.time != at {
                moments.append(LiveMetrics.Moment(time: at, finals: [], volatile: moments.last?.volatile ?? []))
            }
            switch one.output {
            case .finals(let segments):
                moments[moments.count - 1].finals += segments.flatMap(Self.words)
                moments[moments.count - 1].volatile = []
            case .volatile(let segment):
                moments[moments.count - 1].volatile = segment.map(Self.words) ?? []
            case .language: break
            }
        }
        return moments
    }

    /// As both sides of a comparison have them: what a language writes without spaces is words, too.
    private static func words(of segment: TranscriptSegment) -> [String] {
        (segment.words ?? []).map { WhiteSpace.strip($0.word) }
    }

    /// The finals' text, an utterance as a sentence.
    var text: String { finals.map(\.text).joined(separator: "") }

    private var finals: [TranscriptSegment] {
        told.flatMap { one -> [TranscriptSegment] in
            if case .finals(let segments) = one.output { return segments }
            return []
        }
    }

    var utterances: Int { Set(finals.map(\.utterance)).count }

    /// The mean over the utterances, with times from the start of each; uniform speech is assumed within them alone.
    func averageLagging(_ time: KeyPath<Times, Double>, spoken: LivePlay) -> Double {
        var times: [Int: [Double]] = [:]
        for one in told {
            guard case .finals(let segments) = one.output else { continue }
            let at = Times(aware: one.aware, unaware: one.unaware)[keyPath: time]
            for segment in segments {
                times[segment.utterance, default: []] += Self.words(of: segment).map { _ in at }
            }
        }
        let references = Dictionary(grouping: spoken.finals, by: \.utterance)
        let lags = times.keys.sorted().compactMap { utterance -> Double? in
            let words = (references[utterance] ?? []).flatMap { $0.words ?? [] }
            guard let first = words.first, let last = words.last, let told = times[utterance] else { return nil }
            return LiveMetrics.averageLagging(
                told.map { $0 - first.start }, referenceCount: words.count, duration: last.end - first.start)
        }
        return lags.isEmpty ? 0 : lags.reduce(0, +) / Double(lags.count)
    }

    /// The finals' words with their times.
    var words: [LiveMetrics.ReferenceWord] {
        finals.flatMap { segment in
            (segment.words ?? []).map {
                LiveMetrics.ReferenceWord(
                    text: WhiteSpace.strip($0.word), start: $0.start, end: $0.end)
            }
        }
    }
}
