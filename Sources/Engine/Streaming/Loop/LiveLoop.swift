/// Hears sound piece by piece, parts it into utterances and decodes the open one at fixed places of the session's
/// clock: the whole of live recognition but for threads, devices and wall clocks.
///
/// What it gives is a function of the sound and of where pauses lie, not of the sizes of the blocks it came in; passes
/// left out when late (`ahead`) are the one exception.
package struct LiveLoop {
    /// What it tells, in order.
    package enum Output: Sendable, Equatable {
        /// Written down together.
        case finals([TranscriptSegment])
        case volatile(TranscriptSegment?)
        case language(DetectedLanguage)
    }

    /// Voice detectors hear 20 ms at a time, whatever comes.
    private static let pieceSamples = 320
    /// Sound kept before an utterance: more than any detector goes back.
    private static let historySamples = AudioChunk.sampleRate
    /// A decoder that fails so often at one place will not get over it.
    static let mostFailures = 3

    let options: StreamingOptions
    let session: SessionID
    let decoder: any LiveDecoder
    let tell: (Output) -> Void
    private var detector: (any VoiceActivityDetector)?
    /// Clock at the detector's first sample.
    private let origin: Int

    /// Samples heard.
    package private(set) var head: Int
    /// Sample up to which everything is decoded or known to be silence.
    package internal(set) var decoded: Int
    private var pending: [Float] = []
    var sound: AudioBuffer
    /// Frames with a voice in the sound that is kept.
    var voiced: [Range<Int>] = []
    var utterance: Utterance?
    private var utteranceCount = 0
    /// End of the last closed utterance.
    private var lastClose: Int
    /// End of the last final.
    var finalEnd: Int
    /// The last finals, for repeated words where a window begins anew.
    var lastFinals: [LiveWord] = []
    var nextID: Int
    var context: LiveContext
    var language: String?
    var isVolatileShown = false
    var failures = 0
    /// Samples accepted behind those being heard; what is late is told by it.
    private var ahead = 0
    /// So late that only ends of utterances are decoded.
    private var isFarBehind = false

    /// - Parameters:
    ///   - options: valid ones.
    ///   - detector: `nil` takes all sound for speech.
    ///   - tell: told everything in order.
    package init(
        options: StreamingOptions, detector: (any VoiceActivityDetector)?, decoder: any LiveDecoder,
        start: SessionStart = SessionStart(), tell: @escaping (Output) -> Void
    ) {
        self.options = options
        self.detector = detector
        self.decoder = decoder
        self.tell = tell
        session = start.id
        origin = start.clock
        head = start.clock
        decoded = start.clock
        lastClose = start.clock
        finalEnd = start.clock
        sound = AudioBuffer(start: start.clock)
        nextID = start.nextID
        language = options.language
        context = LiveContext(characters: options.contextCharacters, text: start.context)
    }

    /// Whether an utterance is open.
    package var isSpeech: Bool { utterance != nil }

    /// Hears the next samples.
    ///
    /// - Parameter ahead: samples accepted behind them already.
    /// - Throws: `StreamingError` when decoding fails for good, `CancellationError`.
    package mutating func hear(_ samples: [Float], ahead: Int = 0) throws {
        var rest = samples[...]
        while pending.count + rest.count >= Self.pieceSamples {
            let taken = Self.pieceSamples - pending.count
            let piece = pending[...] + rest.prefix(taken)
            rest = rest.dropFirst(taken)
            pending = []
            self.ahead = ahead + rest.count
            try hearPiece(piece)
        }
        pending += rest
    }

    /// Ends the open utterance at the last sample: sound stops here, for a pause, for a lost device or for good.
    ///
    /// - Parameter isLoss: the sound that comes next is of another place or time.
    package mutating func close(isLoss: Bool = false) throws {
        if !pending.isEmpty {
            let piece = pending[...]
            pending = []
            ahead = 0
            try hearPiece(piece)
        }
        if detector != nil { try handle(detector?.finish() ?? []) }
        try closeUtterance(at: head)
        if isLoss { detector?.reset() }
    }

    /// Drops the volatile text without another pass.
    package mutating func cancel() { show(nil) }

    private mutating func hearPiece(_ piece: ArraySlice<Float>) throws {
        let before = head
        sound.append(piece)
        head += piece.count
        if detector != nil {
            try handle(detector?.feed(Array(piece)) ?? [])
        } else if utterance == nil {
            open(at: before)
        }
        let place = head / stepSamples * stepSamples
        if place > before, let utterance, place > utterance.window { try pass(place) }
        if utterance == nil { decoded = head }
        sound.drop(before: min(utterance?.window ?? head, head - Self.historySamples))
        if let first = voiced.first, first.upperBound < sound.start { voiced.removeFirst() }
    }

    private mutating func handle(_ events: [VoiceActivityEvent]) throws {
        for event in events {
            switch event {
            case .opened(let place):
                open(at: max(origin + place, lastClose))
            case .voiced(let range):
                let range = (range.lowerBound + origin)..<(range.upperBound + origin)
                if let last = voiced.last, last.upperBound == range.lowerBound {
                    voiced[voiced.count - 1] = last.lowerBound..<range.upperBound
                } else {
                    voiced.append(range)
                }
            case .closed(let place):
                try closeUtterance(at: min(origin + place, head))
            }
        }
    }

    private mutating func open(at place: Int) {
        guard utterance == nil else { return }
        let start = max(place, sound.start)
        if Double(start - max(finalEnd, lastClose)) > options.contextGap * Self.second { context.clear() }
        utterance = Utterance(index: utteranceCount, start: start, policy: makePolicy())
        utteranceCount += 1
    }

    private mutating func closeUtterance(at place: Int) throws {
        guard let open = utterance else { return }
        if place > open.window { try tick(place, isClosing: true) }
        forgetCommitted()
        show(nil)
        utterance = nil
        lastClose = max(lastClose, place)
        decoded = head
        isFarBehind = false
    }

    /// A place where a pass is due: decodes there unless it is late, and moves a window that is too long.
    private mutating func pass(_ place: Int) throws {
        guard let open = utterance else { return }
        let isLongEnough = Double(place - open.window) >= options.minimumAudio * Self.second
        if isLongEnough, !isLate(at: place) { try tick(place, isClosing: false) }
        try slide(at: place)
    }

    /// A pass is left out where a newer one is due already, where every second must do, and far behind altogether.
    private mutating func isLate(at place: Int) -> Bool {
        guard !options.isDeterministic else { return false }
        let lag = head + ahead - decoded
        if lag > 20 * AudioChunk.sampleRate { isFarBehind = true }
        if lag < 2 * AudioChunk.sampleRate { isFarBehind = false }
        if isFarBehind || head + ahead >= place + stepSamples { return true }
        return lag > 5 * AudioChunk.sampleRate && place % AudioChunk.sampleRate != 0
    }

    private func makePolicy() -> any CommitPolicy {
        let doubt = WordDoubt(
            minimumProbability: options.minimumProbability, patienceSamples: Int(options.patience * Self.second))
        return switch options.policy {
        case .utterance: UtteranceOnly()
        case .agree:
            LocalAgreement(
                passes: options.agreement, guardSamples: Int(options.guardTime * Self.second), doubt: doubt)
        case .align: AlignAtt(doubt: doubt)
        }
    }

    static let second = Double(AudioChunk.sampleRate)

    /// Places where passes are due are multiples of this, in whole pieces.
    private var stepSamples: Int {
        Int((options.step * Self.second / Double(Self.pieceSamples)).rounded()) * Self.pieceSamples
    }

    /// Sound that was heard and not recognized: from the open window on.
    package var unrecognized: (start: Int, samples: [Float]) {
        let start = utterance?.window ?? head
        return (start, sound.read(start..<head) + pending)
    }
}
