import EngineBasics
import EngineTranscripts

/// The text of a transcript in JSON: an object with `segments` that have a `text`, or with a `text`; a list of segments, of
/// objects with a `word`, or of words.
enum JSONScript {
    private static let maxMembers = 4_000_000

    static func passages(of text: String) throws(AlignmentScriptError) -> [AlignmentScript.Passage] {
        let value: JSONValue
        do {
            value = try JSONValue(Array(text.utf8), depth: 16, members: maxMembers)
        } catch { throw .badJSON(byte: error.offset, what: error.what) }
        for list in [value["segments"], value["words"], value] {
            guard case .array(let items)? = list else { continue }
            let passages = items.compactMap(passage)
            guard passages.count == items.count else { throw .noTranscript }
            return passages
        }
        guard let text = value["text"]?.string else { throw .noTranscript }
        return AlignmentScript.lines(of: text).map { AlignmentScript.Passage($0) }
    }

    private static func passage(_ item: JSONValue) -> AlignmentScript.Passage? {
        guard let text = item.string ?? item["text"]?.string ?? item["word"]?.string else { return nil }
        var times: TranscriptSpan?
        if case .number(let start)? = item["start"], case .number(let end)? = item["end"],
            let start = Double(start), let end = Double(end)
        {
            times = TranscriptSpan(start: start, end: end)
        }
        return AlignmentScript.Passage(
            WhiteSpace.strip(text), speaker: item["speaker"]?.string, times: times)
    }
}
