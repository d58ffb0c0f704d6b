import EngineBasics

/// `.json` in the layout of whisper.cpp's `whisper-cli -oj`, with tabs. What it says of the machine and of the network's
/// sizes is left out.
struct WhisperCppJSONWriter: TranscriptWriter {
    let origin: TranscriptOrigin?
    let isTranslated: Bool

    func text(of transcript: Transcript) -> String {
        let segments = transcript.segments.map { segment in
            let (start, end) = (Timestamp(seconds: segment.start), Timestamp(seconds: segment.end))
            return object(
                [
                    ("timestamps", object([("from", quoted(start.srt)), ("to", quoted(end.srt))], depth: 3)),
                    ("offsets", object([("from", "\(start.milliseconds)"), ("to", "\(end.milliseconds)")], depth: 3)),
                    ("text", quoted(segment.text)),
                ], depth: 2)
        }
        let list = segments.isEmpty ? "[]" : "[\n\t\t" + segments.joined(separator: ",\n\t\t") + "\n\t]"
        let model = quoted(origin?.model ?? "")
        return object(
            [
                ("systeminfo", quoted("")), ("model", object([("type", model)], depth: 1)),
                (
                    "params",
                    object(
                        [
                            ("model", model), ("language", quoted(transcript.language)),
                            ("translate", "\(isTranslated)"),
                        ], depth: 1)
                ),
                ("result", object([("language", quoted(transcript.language))], depth: 1)),
                ("transcription", list),
            ], depth: 0) + "\n"
    }

    private func quoted(_ text: String) -> String { JSONText.string(text) }

    /// - Parameter depth: the number of objects around it.
    private func object(_ members: [(key: String, value: String)], depth: Int) -> String {
        let tabs = String(repeating: "\t", count: depth)
        return "{\n" + members.map { "\(tabs)\t\"\($0.key)\": \($0.value)" }.joined(separator: ",\n") + "\n\(tabs)}"
    }
}
