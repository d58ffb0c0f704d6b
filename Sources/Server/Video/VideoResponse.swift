import WhisperEngine

/// The transcript of a video, as the application expects it: every key must be present, and counts must be integers.
struct VideoResponse {
    enum Origin {
        case cache(accesses: Int)
        /// - Parameter seconds: that the transcription took.
        case recognition(seconds: Double, cost: Double)
    }

    let transcript: Transcript
    let videoID: String
    let platform: VideoLink.Platform
    let origin: Origin

    var response: Response { .json(JSONText.object(members)) }

    private var members: [(key: String, value: String)] {
        let shared = [
            ("transcript", JSONText.string(WhiteSpace.strip(transcript.text))),
            ("segments", JSONText.array(segments)), ("videoId", JSONText.string(videoID)),
            ("platform", JSONText.string(platform.rawValue)), ("language", JSONText.string(transcript.language)),
            ("durationSeconds", Self.number(transcript.duration)),
        ]
        switch origin {
        case .cache(let accesses):
            return [("success", "true"), ("cached", "true")] + shared + [
                ("cost", "0"), ("accessCount", "\(accesses)"),
                ("message", JSONText.string("Transcript retrieved from cache (no charge)")),
            ]
        case .recognition(let seconds, let cost):
            return [("success", "true"), ("cached", "false")] + shared + [
                ("cost", cost > 0 ? JSONText.number(cost, decimals: 1e6) : "0"),
                ("transcriptionTimeMs", "\(Timestamp(seconds: seconds).milliseconds)"),
                ("message", JSONText.string("Video transcribed and cached for future use")),
            ]
        }
    }

    private var segments: [String] {
        transcript.segments.compactMap { segment in
            let text = WhiteSpace.strip(segment.text)
            guard !text.isEmpty else { return nil }
            return JSONText.object([
                ("text", JSONText.string(text)), ("start", Self.number(segment.start)),
                ("end", Self.number(segment.end)),
            ])
        }
    }

    /// The application's types have no place for `null`.
    private static func number(_ seconds: Double) -> String {
        JSONText.number(seconds.isFinite && seconds < 1e9 ? max(0, seconds) : 0)
    }
}
