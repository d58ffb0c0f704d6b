import WhisperEngine

/// The formats of whisper-asr-webservice.
enum ASROutput: String, Sendable {
    case txt, vtt, srt, tsv, json

    /// The whole transcript as JSON, with the members of faster-whisper's segments.
    static func json(_ transcript: Transcript) -> String {
        JSONText.object([
            ("language", JSONText.string(transcript.language)),
            ("segments", JSONText.array(transcript.spokenSegments.enumerated().map { member($1, id: $0) })),
            ("text", JSONText.string(transcript.text)),
        ])
    }

    private static func member(_ segment: TranscriptSegment, id: Int) -> String {
        let words = segment.words.map { words in
            JSONText.array(
                words.map { word in
                    JSONText.object([
                        ("start", JSONText.number(word.start)), ("end", JSONText.number(word.end)),
                        ("word", JSONText.string(word.word)), ("probability", JSONText.statistic(word.probability)),
                    ])
                })
        }
        let speaker = segment.speaker.map { [("speaker", JSONText.string($0))] } ?? []
        return JSONText.object(JSONText.members(of: segment, id: id) + [("words", words ?? "null")] + speaker)
    }
}

/// Writes a transcript as its segments come. Subtitles are divided into cues sentence by sentence.
struct ASRText {
    /// Sentences that go on for longer are divided without their end.
    private static let maxSegments = 30
    /// Seconds of silence after which a sentence does not go on.
    private static let longPause = 1.5
    private static let sentenceEnds: Set<Unicode.Scalar> = [".", "!", "?", "…", "。", "！", "？", "؟", "।"]

    let output: ASROutput
    private var subtitles: SubtitleOptions
    private var cueCount = 0
    /// Seconds up to which cues have been written.
    private var shown = 0.0
    /// The segments of the sentence that has begun.
    private var pending: [TranscriptSegment] = []
    /// Where a detector has heard speech, as far as that is known.
    private var speech: [TranscriptSpan] = []

    /// - Parameter language: of the text, if it is known.
    init(_ output: ASROutput, language: String?) {
        self.output = output
        subtitles = SubtitleOptions()
        subtitles.language = language
    }

    /// The language that was detected, for the line breaks.
    mutating func detected(_ language: String) { if subtitles.language == nil { subtitles.language = language } }

    /// Where speech has been heard, before the segments in it are added.
    mutating func heard(_ spans: [TranscriptSpan]) { speech += spans }

    /// What stands before the first segment.
    var head: String {
        switch output {
        case .vtt: "WEBVTT\n\n"
        case .tsv: "start\tend\ttext\n"
        case .txt, .srt, .json: ""
        }
    }

    /// What can be written with the next segment, which has text.
    mutating func add(_ segment: TranscriptSegment) -> String {
        let text = SpeakerLabel.prefix(segment) + WhiteSpace.strip(segment.text)
        switch output {
        case .txt: return text + "\n"
        case .tsv:
            let (start, end) = (Timestamp(seconds: segment.start), Timestamp(seconds: segment.end))
            let shown = OutputText.onOneLine(text).unicodeScalars.map { $0 == "\t" ? " " : $0 }
            return "\(start.milliseconds)\t\(end.milliseconds)\t\(String(String.UnicodeScalarView(shown)))\n"
        case .srt, .vtt:
            let written = goesOn(with: segment) ? "" : cues(before: segment.start)
            pending.append(segment)
            return written
        case .json: return ""
        }
    }

    /// The rest.
    mutating func finish() -> String { cues(before: .infinity) }

    private func goesOn(with next: TranscriptSegment) -> Bool {
        guard let last = pending.last else { return true }
        let end = last.text.unicodeScalars.last {
            $0.properties.generalCategory != .finalPunctuation
                && $0.properties.generalCategory != .closePunctuation && $0 != "\"" && !WhiteSpace.contains($0)
        }
        return !(end.map(Self.sentenceEnds.contains) ?? false) && next.start - last.end < Self.longPause
            && next.speaker == last.speaker && pending.count < Self.maxSegments
    }

    /// The cues of the pending segments, none of which is shown after `limit`.
    private mutating func cues(before limit: Double) -> String {
        guard let last = pending.last else { return "" }
        var transcript = Transcript(
            text: pending.map(\.text).joined(), language: subtitles.language ?? "", duration: last.end,
            segments: pending)
        // The rest is other sentences'.
        transcript.speech = speech.compactMap { span in
            let (start, end) = (max(span.start, shown), min(span.end, limit))
            return start < end ? TranscriptSpan(start: start, end: end) : nil
        }
        pending = []
        let latest = Timestamp(seconds: limit)
        var text = ""
        for cue in SubtitleShaper(options: subtitles, markup: output == .vtt ? .webVTT : .srt).cues(of: transcript) {
            let end = max(cue.start, min(cue.end, latest))
            cueCount += 1
            shown = max(shown, Double(end.milliseconds) / 1000)
            text +=
                output == .vtt
                ? "\(cue.start.vtt) --> \(end.vtt)\n\(cue.text)\n\n"
                : "\(cueCount)\n\(cue.start.srt) --> \(end.srt)\n\(cue.text)\n\n"
        }
        return text
    }
}
