import EngineVocabulary

/// Feeds speech to a live loop, records its output and checks the rules.
final class LiveBench {
    let loop: Box
    private(set) var outputs: [LiveLoop.Output] = []
    private(set) var state: TranscriptState
    private(set) var violations: [String] = []
    /// The finals after the last update.
    private var lastFinals: [TranscriptSegment] = []
    private var fed: Int

    /// Lets tests reach the loop, which is a value type.
    final class Box {
        var loop: LiveLoop
        init(_ loop: LiveLoop) { self.loop = loop }
    }

    /// Lets the loop's closure reach the bench, which does not exist yet when the loop is created.
    private final class Receiver { weak var bench: LiveBench? }

    init(
        _ decoder: any LiveDecoder, options: StreamingOptions, usesDetector: Bool = false,
        speakers: LiveSpeakers? = nil, corrections: TextCorrections? = nil,
        start: SessionStart = SessionStart()
    ) {
        let receiver = Receiver()
        fed = start.clock
        state = TranscriptState(firstID: start.nextID, startingAt: Double(start.clock) / 16_000)
        loop = Box(
            LiveLoop(
                options: options, detector: usesDetector ? EnergyDetector() : nil, decoder: decoder, speakers: speakers,
                corrections: corrections, start: start, emit: { receiver.bench?.record($0) }))
        receiver.bench = self
    }

    var text: String { state.finalized.map(\.text).joined() }
    /// Seconds fed so far. No output can refer to later audio.
    private var clock: Double { Double(fed) / 16_000 }
    /// The finals without session ids, for comparing runs.
    var finals: [TranscriptSegment] {
        state.finalized.map {
            var segment = $0
            segment.session = nil
            return segment
        }
    }

    /// Feeds `samples` in blocks of random sizes.
    func feed(_ samples: ArraySlice<Float>, random: inout SplitMix64) throws {
        var rest = samples
        while !rest.isEmpty {
            let size = [1, 160, 320, 512, 4_096, 16_000, 50_000].randomElement(using: &random) ?? 320
            // Single samples are slow, so feed only a few of them.
            let block = rest.prefix(size == 1 ? Int.random(in: 1...37, using: &random) : size)
            rest = rest.dropFirst(block.count)
            try feed(Array(block))
        }
    }

    func feed(_ block: [Float], backlog: Int = 0) throws {
        fed += block.count
        try loop.loop.feed(block, backlog: backlog)
    }

    func record(_ output: LiveLoop.Output) {
        outputs.append(output)
        switch output {
        case .finals(let finals): for final in finals { apply(.final(final)) }
        case .volatile(let segment):
            apply(.volatile(segment))
            if let segment, segment.end > clock + 1e-9 { violations.append("volatile ends after the clock") }
        case .language, .utterance: break
        }
    }

    private func apply(_ update: TranscriptUpdate) {
        do {
            try state.apply(update)
        } catch {
            violations.append("\(error)")
        }
        // The previous finals must be an unchanged prefix of the current ones.
        if !state.finalized.starts(with: lastFinals) { violations.append("a final changed") }
        lastFinals = state.finalized
    }

    /// Finals with text that was never stable; there must be none.
    var unstableFinals: [String] { state.finalized.map(\.text).filter { $0.contains("?") || $0.contains("~") } }
}

extension StreamingOptions {
    static func test(_ policy: Policy) -> StreamingOptions {
        var options = StreamingOptions()
        options.policy = policy
        options.isDeterministic = true
        return options
    }
}
