package import WhisperEngine

/// Renders transcripts as whisper.cpp's server does.
package struct WhisperCppResponses: Sendable {
    let format: WhisperCppForm.Format
    let hasTimestamps: Bool
    let task: TranscriptionTask
    /// `nil` if the language was given.
    let detected: (code: String, probability: Double)?

    package init(
        _ form: WhisperCppForm, task: TranscriptionTask, detected: (code: String, probability: Double)?
    ) {
        format = form.format
        hasTimestamps = form.hasTimestamps
        self.task = task
        self.detected = detected
    }

    package func response(_ transcript: Transcript) -> Response {
        let segments = transcript.spokenSegments
        let text = segments.map { WhiteSpace.strip($0.text) + "\n" }.joined()
        return switch format {
        case .json: .json(JSONText.object([("text", JSONText.string(text))]))
        // The original declares HTML, which a browser would run.
        case .text: .text(text, type: "text/plain; charset=utf-8")
        case .srt: .text(SubtitleText.srt(transcript, task: task), type: "application/x-subrip")
        case .vtt: .text(SubtitleText.vtt(transcript, task: task), type: "text/vtt")
        case .verboseJSON: .json(verboseJSON(transcript, segments, text: text))
        }
    }

    private func verboseJSON(_ transcript: Transcript, _ segments: [TranscriptSegment], text: String) -> String {
        var members = [
            ("task", JSONText.string(task.rawValue)), ("language", name(transcript.language)),
            ("duration", JSONText.number(transcript.duration)), ("text", JSONText.string(text)),
            ("segments", JSONText.array(segments.enumerated().map { segment($1, id: $0) })),
        ]
        if let detected {
            let probability = JSONText.statistic(detected.probability)
            members += [
                ("detected_language", name(detected.code)), ("detected_language_probability", probability),
                // The engine reports the most likely language only.
                (
                    "language_probabilities",
                    JSONText.object(detected.probability > 0.001 ? [(detected.code, probability)] : [])
                ),
            ]
        }
        return JSONText.object(members)
    }

    private func name(_ code: String) -> String { JSONText.string(Language.name(ofCode: code)) }

    private func segment(_ segment: TranscriptSegment, id: Int) -> String {
        var members = [("id", "\(id)"), ("text", JSONText.string(segment.text))]
        if hasTimestamps {
            members += [("start", JSONText.number(segment.start)), ("end", JSONText.number(segment.end))]
        }
        members += [
            ("tokens", JSONText.array(segment.tokens.map { "\($0)" })),
            ("words", JSONText.array((segment.words ?? []).map(word))),
            ("temperature", JSONText.statistic(segment.temperature ?? 0)),
            ("avg_logprob", JSONText.statistic(segment.avgLogprob)),
            ("no_speech_prob", JSONText.statistic(segment.noSpeechProb ?? 0)),
        ]
        return JSONText.object(members)
    }

    private func word(_ word: TranscriptWord) -> String {
        JSONText.object([
            ("word", JSONText.string(word.word)), ("start", JSONText.number(word.start)),
            ("end", JSONText.number(word.end)),
            // whisper.cpp's value without its own dynamic time warping.
            ("t_dtw", "-1"), ("probability", JSONText.statistic(word.probability)),
        ])
    }
}
