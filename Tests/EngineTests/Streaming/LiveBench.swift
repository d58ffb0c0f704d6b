import WhisperEngine

/// Plays speech through a live loop and writes down what it tells.
final class LiveBench {
    let loop: Box
    private(set) var outputs: [LiveLoop.Output] = []
    private(set) var state: TranscriptState
    private(set) var violations: [String] = []
    /// Copies of the finals after each update.
    private var copies: [[TranscriptSegment]] = []
    private var fed: Int

    /// Lets the loop's closure tell the bench.
    final class Box {
        var loop: LiveLoop
        init(_ loop: LiveLoop) { self.loop = loop }
    }

    final class Ear { weak var bench: LiveBench? }

    init(
        _ decoder: any LiveDecoder, options: StreamingOptions, usesDetector: Bool = false,
        start: SessionStart = SessionStart()
    ) {
        let ear = Ear()
        fed = start.clock
        state = TranscriptState(firstID: start.nextID, startingAt: Double(start.clock) / 16_000)
        loop = Box(
            LiveLoop(
                options: options, detector: usesDetector ? EnergyDetector() : nil, decoder: decoder, start: start,
                tell: { ear.bench?.hear($0) }))
        ear.bench = self
    }

    var text: String { state.finalized.map(\.text).joined() }
    /// Seconds fed so far; what is told while a block is heard cannot be about later sound.
    private var clock: Double { Double(fed) / 16_000 }
    /// What every run of the same sound must have in common.
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
            // Single samples only now and then: they are slow.
            let block = rest.prefix(size == 1 ? Int.random(in: 1...37, using: &random) : size)
            rest = rest.dropFirst(block.count)
            try feed(Array(block))
        }
    }

    func feed(_ block: [Float], ahead: Int = 0) throws {
        fed += block.count
        try loop.loop.hear(block, ahead: ahead)
    }

    func hear(_ output: LiveLoop.Output) {
        outputs.append(output)
        switch output {
        case .finals(let finals): for final in finals { apply(.final(final)) }
        case .volatile(let segment):
            apply(.volatile(segment))
            if let segment, segment.end > clock + 1e-9 { violations.append("volatile ends after the clock") }
        case .language: break
        }
    }

    private func apply(_ update: TranscriptUpdate) {
        do {
            try state.apply(update)
        } catch {
            violations.append("\(error)")
        }
        // Finals so far must stand unchanged at the beginning of those now.
        if let last = copies.last, !state.finalized.starts(with: last) { violations.append("a final changed") }
        copies = [state.finalized]
    }

    /// Texts that were never certain must not be final.
    var doubtfulFinals: [String] { state.finalized.map(\.text).filter { $0.contains("?") || $0.contains("~") } }
}

extension StreamingOptions {
    static func test(_ policy: Policy) -> StreamingOptions {
        var options = StreamingOptions()
        options.policy = policy
        options.isDeterministic = true
        return options
    }
}
