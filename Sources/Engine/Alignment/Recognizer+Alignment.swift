public import EngineAudio
public import EngineModels
public import EngineTranscripts
public import EngineTranscription

extension Recognizer {
    /// Finds out when a recording says the words of a text.
    ///
    ///     let script = try AlignmentScript(contentsOf: "talk.txt")
    ///     let alignment = try await recognizer.align(script, with: AudioFile.open("talk.mp3"))
    ///     print(OutputFormat.srt.text(of: alignment.transcript))
    ///
    /// The speech is recognized and matched with the text, which may differ from it. Words that were not recognized are then
    /// looked for by the model between those that were.
    ///
    /// - Parameters:
    ///   - options: how to recognize; the times of words are always found, speakers never.
    ///   - near: if the text has times, at most this many seconds from them.
    ///   - updates: as for `transcribe`, with the text that is recognized.
    /// - Throws: `AlignmentError` if nothing is said, or another text; the errors of `transcribe`.
    public func align(
        _ script: AlignmentScript, with source: some AudioSource,
        options: TranscriptionOptions = TranscriptionOptions(), near: Double? = nil,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void = { _ in }
    ) async throws -> TextAlignment {
        var options = options
        options.speakers = nil
        options.batchSize = 1
        options.beamSize = options.beamSize ?? 1
        // What was said before would be invented again where the text leaves the recording.
        options.whisper.conditionOnPreviousText = false
        options.timeWords()
        options = try prepared(options, from: source.start)
        return try await transcribe(source, options: options, updates: updates) { transcript, recording, workspace in
            let aligner = workspace.forcedAligner(for: recording, options: options, language: transcript.language)
            var transcript = transcript
            transcript.speech = transcript.speech.map { Self.withoutMargins($0, until: transcript.duration) }
            return try Self.align(script, heard: transcript, near: near, aligner: aligner)
        }
    }

    /// Seconds by which the stretches of speech begin too early and end too late (`SpeechStretches`), which suits subtitles.
    private static var margin: Double { 0.03 }

    package static func withoutMargins(_ speech: [TranscriptSpan], until duration: Double) -> [TranscriptSpan] {
        speech.map { span in
            let start = span.start > 0 ? span.start + margin : 0
            return TranscriptSpan(start: start, end: max(start, span.end < duration ? span.end - margin : span.end))
        }
    }

    /// The least share of the words of the text, or of what was heard, in runs that both have.
    private static var leastShare: Double { 0.2 }

    package static func align(
        _ script: AlignmentScript, heard transcript: Transcript, near: Double?, aligner: (any ForcedAligner)?
    ) throws -> TextAlignment {
        let units = ScriptUnit.units(of: script), heard = HeardUnit.units(of: transcript)
        if heard.isEmpty { throw AlignmentError.noSpeech }
        let matching = WordMatching(units, heard)
        let least = min(units.count { !$0.isOptional }, heard.count)
        guard
            Double(matching.strongCount) >= leastShare * Double(least)
                || least < 3 && matching.partners.contains(where: { $0 != nil })
        else { throw AlignmentError.otherText(found: matching.strongCount, of: units.count { !$0.isOptional }) }
        var partners = matching.partners
        if let near {
            for (index, partner) in partners.enumerated() {
                guard let partner, let times = script.passages[units[index].passage].times else { continue }
                let isNear = heard[partner].start >= times.start - near && heard[partner].end <= times.end + near
                if !isNear { partners[index] = nil }
            }
        }
        var placing = UnitPlacing(
            units, heard, partners: partners, speech: transcript.speech, duration: transcript.duration)
        if let aligner {
            for part in placing.parts(upTo: aligner.longestPart) {
                // Unspoken words would make those after them improbable.
                let lettered = part.units.filter { index in
                    let isDoubtful = part.doubtful.contains { $0.contains(index) } && !units[index].isOptional
                    return !units[index].letters.isEmpty && (isDoubtful || placing.places[index] != nil)
                }
                let words = lettered.map { index in
                    let begins = index == 0 || units[index - 1].sentence != units[index].sentence
                    return begins ? units[index].capitalized : units[index].text
                }
                guard let timings = try aligner.timings(of: words, from: part.start, to: part.end) else { continue }
                var places: [Int: UnitPlacing.ForcedPlace] = [:]
                for (index, timing) in zip(lettered, timings) {
                    places[index] = UnitPlacing.ForcedPlace(
                        start: timing.start, end: timing.end, probability: timing.probability)
                }
                placing.place(part, places)
            }
        }
        placing.order()
        return TextAlignment(script, placing, heard: transcript)
    }
}
