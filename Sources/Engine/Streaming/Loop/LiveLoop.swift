import EngineAudio
package import EngineModels
package import EngineTranscripts
package import EngineVocabulary
package import EngineVoices

/// Splits live audio into utterances and decodes the open one at fixed positions of the session clock: all of live
/// recognition except threads, devices and wall clocks.
///
/// The output depends on the audio and on where pauses occur, not on the block sizes in which the audio arrives. The
/// one exception is passes skipped because the session is late (`backlog`).
package struct LiveLoop {
    /// What the loop emits, in order.
    package enum Output: Sendable, Equatable {
        /// Finals that are stored together.
        case finals([TranscriptSegment])
        case volatile(TranscriptSegment?)
        case language(DetectedLanguage)
        /// Only with `StreamingOptions.reportsUtterances`.
        case utterance(UtteranceEvent)
    }

    /// Voice detectors get 20 ms at a time, whatever the block size.
    private static let frameSamples = 320
    /// Audio kept from before an utterance, more than any detector's pre-roll.
    private static let historySamples = AudioChunk.sampleRate
    /// How often a decoder that hears each sample once hears the newest.
    private static let streamSamples = 4 * frameSamples
    /// No pass runs while a silence lasts this many seconds, because detectors end an utterance after half a second by
    /// default. If they wait longer, passes resume.
    private static let likelyEnd = 0.2..<0.5
    /// Number of failures in a row after which the loop gives up.
    static let maxFailures = 3

    let options: StreamingOptions
    let session: SessionID
    let decoder: any LiveDecoder
    /// `nil` if speakers are not identified.
    var speakers: LiveSpeakers?
    /// The corrections of the session's options.
    private let vocabulary: TextCorrections?
    /// `nil` if text is shown as it was recognized.
    private(set) var corrections: TextCorrections?
    let emit: (Output) -> Void
    private var detector: (any VoiceActivityDetector)?
    /// Finds voice if there is no detector, only to notice missing text.
    private var voiceMeter = EnergyDetector()
    /// Session clock at the detector's first sample.
    private let origin: Int

    /// Session clock after the samples processed so far.
    package private(set) var head: Int
    /// The sample up to which all audio is decoded or known to be silence.
    package internal(set) var decoded: Int
    /// Samples that do not fill a frame yet.
    private var pending: [Float] = []
    var audio: AudioBuffer
    /// Ranges with voice in the buffered audio.
    var voiced: [Range<Int>] = []
    var utterance: Utterance?
    /// The last utterance, as long as its audio may be carried over to the next.
    private var previous: Utterance?
    private var utteranceCount = 0
    /// End of the last closed utterance.
    private var lastClose: Int
    /// End of the last final.
    var finalEnd: Int
    /// The last final words, to detect repeated words where a new window starts.
    var lastFinals: [LiveWord] = []
    var nextID: Int
    var context: PromptContext
    var language: String?
    /// The detected language that was reported last.
    private var reportedLanguage: String?
    var isVolatileShown = false
    var failures = 0
    /// Samples accepted by the session but not processed yet; passes are late by this much.
    private var backlog = 0
    /// Whether the session is so late that only closing passes run.
    private var isFarBehind = false
    /// Whether the caller is ending the utterance and reports its end itself.
    private var isEndForced = false
    /// Samples after the last word from which a silence is reported as long.
    private var longSilence: Int?
    /// Whether the current silence can still be reported.
    private var awaitsLongSilence = false

    /// - Parameters:
    ///   - options: validated options.
    ///   - detector: `nil` treats all audio as speech.
    ///   - speakers: gives finals their speakers; its audio starts at `start.clock`, too.
    ///   - corrections: applied to all text.
    ///   - emit: receives all output in order.
    package init(
        options: StreamingOptions, detector: (any VoiceActivityDetector)?, decoder: any LiveDecoder,
        speakers: LiveSpeakers? = nil, corrections: TextCorrections? = nil,
        start: SessionStart = SessionStart(), emit: @escaping (Output) -> Void
    ) {
        self.options = options
        self.detector = detector
        self.decoder = decoder
        self.speakers = speakers
        vocabulary = corrections
        self.corrections = corrections?.adding([])
        self.emit = emit
        session = start.id
        origin = start.clock
        head = start.clock
        decoded = start.clock
        lastClose = start.clock
        finalEnd = start.clock
        audio = AudioBuffer(start: start.clock)
        nextID = start.nextID
        language = options.language
        context = PromptContext(maxCharacters: options.contextCharacters, text: start.context)
    }

    /// Whether a detector has found voice in the buffered audio.
    var hasDetectedVoice: Bool { detector != nil && !voiced.isEmpty }

    /// Whether an utterance is open.
    package var isSpeech: Bool { utterance != nil }

    /// Processes the next samples.
    ///
    /// - Parameter backlog: number of samples already accepted after these.
    /// - Throws: `StreamingError` if decoding fails repeatedly, `CancellationError`.
    package mutating func feed(_ samples: [Float], backlog: Int = 0) throws {
        var rest = samples[...]
        while pending.count + rest.count >= Self.frameSamples {
            let missing = Self.frameSamples - pending.count
            let frame = pending[...] + rest.prefix(missing)
            rest = rest.dropFirst(missing)
            pending = []
            self.backlog = backlog + rest.count
            try process(frame)
        }
        pending += rest
    }

    /// Closes the open utterance at the last sample, for a pause, a lost device or the end of the session.
    ///
    /// - Parameter isLoss: whether the next audio does not continue the audio so far, so that the detector is reset.
    package mutating func close(isLoss: Bool = false) throws {
        if !pending.isEmpty {
            let frame = pending[...]
            pending = []
            backlog = 0
            try process(frame)
        }
        if detector != nil { try handle(detector?.finish() ?? []) }
        try closeUtterance(at: head)
        if isLoss {
            detector?.reset()
            voiceMeter.reset()
            forgetPrevious()
        }
    }

    /// Makes all audio so far final; the next audio continues it.
    package mutating func endUtterance() throws {
        isEndForced = true
        defer { isEndForced = false }
        try close()
        reportClosing(isForced: true)
    }

    /// Changes settings for the audio that follows.
    package mutating func change(_ change: SessionChange) {
        if let seconds = change.endSilence { detector?.setEndSilence(Self.samples(seconds)) }
        if let threshold = change.speechThreshold { detector?.setThreshold(threshold) }
        if let seconds = change.longSilence { longSilence = Self.samples(seconds) }
        if let terms = change.terms { corrections = vocabulary?.adding(terms) }
        decoder.change(change)
    }

    /// Drops the volatile text without another pass.
    package mutating func cancel() { show(nil) }

    /// The audio of the open window, which has not been recognized yet.
    package var unrecognized: (start: Int, samples: [Float]) {
        let start = utterance?.firstFresh ?? head
        return (start, audio.read(start..<head) + pending)
    }

    private mutating func process(_ frame: ArraySlice<Float>) throws {
        let before = head
        audio.append(frame)
        speakers?.feed(frame)
        head += frame.count
        if detector != nil {
            try handle(detector?.feed(Array(frame)) ?? [])
        } else {
            if utterance == nil { open(at: before) }
            for case .voiced(let range) in voiceMeter.feed(Array(frame)) { addVoice(range) }
        }
        let due = head / stepSamples * stepSamples
        if due > before, let utterance, due > utterance.firstFresh { try pass(at: due) }
        if utterance == nil {
            decoded = head
            reportLongSilence()
        }
        if utterance == nil, head - lastClose > carrySamples { forgetPrevious() }
        audio.drop(before: min((utterance ?? previous)?.window ?? head, head - Self.historySamples))
        if let first = voiced.first, first.upperBound < audio.start { voiced.removeFirst() }
    }

    private mutating func handle(_ events: [VoiceActivityEvent]) throws {
        for event in events {
            switch event {
            case .opened(let position):
                open(at: max(origin + position, lastClose))
            case .voiced(let range):
                addVoice(range)
            case .closed(let position):
                try closeUtterance(at: min(origin + position, head))
            }
        }
    }

    /// - Parameter range: counts from the detector's first sample.
    private mutating func addVoice(_ range: Range<Int>) {
        let range = (range.lowerBound + origin)..<(range.upperBound + origin)
        if let last = voiced.last, last.upperBound == range.lowerBound {
            voiced[voiced.count - 1] = last.lowerBound..<range.upperBound
        } else {
            voiced.append(range)
        }
    }

    private mutating func open(at position: Int) {
        guard utterance == nil else { return }
        let start = max(position, audio.start)
        if start - lastClose > carrySamples { forgetPrevious() }
        if Double(start - max(finalEnd, lastClose)) > options.contextGap * Self.second { context.clear() }
        utterance = Utterance(index: utteranceCount, start: start, policy: makePolicy())
        utteranceCount += 1
        decoder.startUtterance()
        if let previous {
            self.previous = nil
            startWindow(at: start, after: previous)
        }
        awaitsLongSilence = false
        report(.opened(at: AudioChunk.seconds(of: start)))
    }

    private mutating func closeUtterance(at position: Int) throws {
        guard let open = utterance else { return }
        report(.ending(at: AudioChunk.seconds(of: head), isForced: isEndForced))
        if let stream = decoder.stream {
            try hear(to: position, isClosing: true, by: stream)
        } else if position > open.firstFresh {
            try tick(position, isClosing: true)
        }
        show(nil)
        try speakers?.settle()
        previous = utterance
        utterance = nil
        lastClose = max(lastClose, position)
        decoded = head
        isFarBehind = false
        awaitsLongSilence = true
        if !isEndForced { reportClosing(isForced: false) }
    }

    /// Forgets the audio of the last utterance, which is too old to be carried over; its text becomes context.
    private mutating func forgetPrevious() {
        context.append(previous?.committed.map(\.text) ?? [])
        previous = nil
    }

    private func reportClosing(isForced: Bool) {
        report(.closed(at: AudioChunk.seconds(of: head), isForced: isForced, language: decoder.spokenLanguage))
    }

    private mutating func reportLongSilence() {
        guard awaitsLongSilence, let longSilence, head - finalEnd >= longSilence else { return }
        awaitsLongSilence = false
        report(.silence(at: AudioChunk.seconds(of: head)))
    }

    /// Takes over the language that the decoder has detected, and reports it if it is clear.
    mutating func noteLanguage() {
        guard let spoken = decoder.spokenLanguage else { return }
        let certainty = decoder.languageCertainty
        if certainty != .given || options.detectsEachLanguage { language = spoken.code }
        if certainty == .clear { reportLanguage() }
    }

    /// Reports the language that was detected, unless it is the one reported last.
    mutating func reportLanguage() {
        guard decoder.languageCertainty != .given, let spoken = decoder.spokenLanguage,
            spoken.code != reportedLanguage
        else { return }
        reportedLanguage = spoken.code
        emit(.language(spoken))
    }

    private func report(_ event: UtteranceEvent) {
        if options.reportsUtterances { emit(.utterance(event)) }
    }

    /// Decodes at a position where a pass is due, unless it is late, and slides a window that is too long.
    private mutating func pass(at position: Int) throws {
        guard let open = utterance else { return }
        if let stream = decoder.stream {
            // What is skipped in silence is heard later.
            if !isLikelyOver(at: position) { try hear(to: position, isClosing: false, by: stream) }
            return
        }
        let isLongEnough = Double(position - open.firstFresh) >= options.minimumAudio * Self.second
        if isLongEnough, hasNewVoice(at: position), !isLate(at: position), !isLikelyOver(at: position) {
            try tick(position, isClosing: false)
        }
        try slide(at: position)
    }

    /// Whether to skip a pass: always if a newer one is due or the session is far behind, and all but one per second
    /// if it is 5 s behind.
    private mutating func isLate(at position: Int) -> Bool {
        guard !options.isDeterministic else { return false }
        let lag = head + backlog - decoded
        if lag > 20 * AudioChunk.sampleRate { isFarBehind = true }
        if lag < 2 * AudioChunk.sampleRate { isFarBehind = false }
        if isFarBehind || head + backlog >= position + stepSamples { return true }
        return lag > 5 * AudioChunk.sampleRate && position % AudioChunk.sampleRate != 0
    }

    /// Whether a silence has just begun that will probably end the utterance. A pass now would be wasted, because the
    /// closing pass follows soon.
    private func isLikelyOver(at position: Int) -> Bool {
        guard hasDetectedVoice, let last = voiced.last else { return false }
        return Self.likelyEnd.contains(AudioChunk.seconds(of: position - last.upperBound))
    }

    private func makePolicy() -> any CommitPolicy {
        let confidence = ConfidenceThreshold(
            minimumProbability: options.minimumProbability, patienceSamples: Int(options.patience * Self.second))
        return switch options.policy {
        case .utterance: UtteranceOnly()
        case .agree:
            LocalAgreement(
                passes: options.agreement, guardSamples: Int(options.guardTime * Self.second), confidence: confidence)
        case .align: AlignAtt(confidence: confidence)
        }
    }

    static let second = Double(AudioChunk.sampleRate)

    private static func samples(_ seconds: Double) -> Int { Int((min(max(seconds, 0), 1e6) * second).rounded()) }

    private var carrySamples: Int { Int(options.carryGap * Self.second) }

    /// Samples between passes, a whole number of frames. Passes are due at multiples of it.
    private var stepSamples: Int {
        if decoder.stream != nil { return Self.streamSamples }
        return Int((options.step * Self.second / Double(Self.frameSamples)).rounded()) * Self.frameSamples
    }
}
