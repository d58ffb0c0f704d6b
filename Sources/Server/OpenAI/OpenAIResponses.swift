package import WhisperEngine

/// Renders transcripts as the clouds' responses to a request.
package struct OpenAIResponses {
    let form: TranscriptionForm
    let tokens: TokenLogprobs
    /// The id in `x_groq`; `nil` leaves it out.
    let groqID: String?

    /// - Parameter tokens: of the model that made the transcripts.
    package init(_ form: TranscriptionForm, tokens: TokenLogprobs, groqID: String? = nil) {
        self.form = form
        self.tokens = tokens
        self.groqID = groqID
    }

    package func response(_ transcript: Transcript) -> Response {
        .text(body(transcript), type: form.format.contentType)
    }

    /// The body of a response that is not streamed.
    package func body(_ transcript: Transcript) -> String {
        switch form.format {
        case .json: json(transcript)
        case .verboseJSON: verboseJSON(transcript)
        case .diarizedJSON: diarizedJSON(transcript)
        case .text: WhiteSpace.strip(transcript.text) + "\n"
        case .srt: SubtitleText.srt(transcript, task: form.task)
        case .vtt: SubtitleText.vtt(transcript, task: form.task)
        case .md: MarkdownWriter().text(of: transcript)
        }
    }

    private func json(_ transcript: Transcript) -> String {
        var members = [("text", JSONText.string(WhiteSpace.strip(transcript.text)))]
        // A translation has no other members.
        if form.task == .transcribe {
            members.append(("usage", usage(transcript)))
            if form.hasLogprobs { members.append(("logprobs", tokens.json(transcript.segments))) }
        }
        return JSONText.object(members + groq)
    }

    private func verboseJSON(_ transcript: Transcript) -> String {
        let isTranslation = form.task == .translate
        var members = [
            ("task", JSONText.string(form.task.rawValue)),
            ("language", JSONText.string(isTranslation ? "english" : Language.name(ofCode: transcript.language))),
            ("duration", JSONText.number(transcript.duration)),
            ("text", JSONText.string(WhiteSpace.strip(transcript.text))),
        ]
        if form.hasSegments {
            let segments = transcript.spokenSegments.enumerated().map {
                JSONText.object(JSONText.members(of: $1, id: $0))
            }
            members.append(("segments", JSONText.array(segments)))
        }
        if form.hasWords { members.append(("words", JSONText.array(Self.words(transcript)))) }
        members.append(("usage", usage(transcript)))
        return JSONText.object(members + groq)
    }

    private func diarizedJSON(_ transcript: Transcript) -> String {
        var segments = DiarizedSegments()
        return JSONText.object(
            [
                ("task", JSONText.string(form.task.rawValue)), ("duration", JSONText.number(transcript.duration)),
                ("text", JSONText.string(WhiteSpace.strip(transcript.text))),
                (
                    "segments",
                    JSONText.array(
                        transcript.spokenSegments.map { segments.next($0, speakers: form.speakers).json })
                ),
                ("usage", usage(transcript)),
            ] + groq)
    }

    /// Whole seconds, rounded up.
    private func usage(_ transcript: Transcript) -> String {
        let seconds = Int(max(0, min(transcript.duration, 1e9)).rounded(.up))
        return JSONText.object([("type", JSONText.string("duration")), ("seconds", "\(seconds)")])
    }

    private var groq: [(String, String)] {
        guard let groqID else { return [] }
        return [("x_groq", JSONText.object([("id", JSONText.string(groqID))]))]
    }

    private static func words(_ transcript: Transcript) -> [String] {
        transcript.segments.flatMap { $0.words ?? [] }.compactMap { word in
            let text = SpokenWord.bare(word.word)
            guard !text.isEmpty else { return nil }
            return JSONText.object([
                ("word", JSONText.string(text)), ("start", JSONText.number(word.start)),
                ("end", JSONText.number(word.end)),
            ])
        }
    }
}
