import EngineTranscripts

/// Times for cues of which nothing is said, such as notes and signs in the picture: those that they had, moved like the cues
/// around them.
enum CueTimes {
    static func keep(_ segments: inout [TranscriptSegment], _ cues: [AlignmentScript.Passage]) {
        let known = segments.indices.filter { segments[$0].isSpoken && cues[$0].times != nil }
        var last = 0.0
        for index in segments.indices {
            defer { last = max(last, segments[index].end) }
            guard !segments[index].isSpoken, let times = cues[index].times else { continue }
            let before = known.last { $0 < index }, after = known.first { $0 > index }
            let next = after.map { segments[$0].start } ?? .infinity
            func moved(_ time: Double) -> Double {
                guard let before, let old = cues[before].times else {
                    guard let after, let old = cues[after].times else { return time }
                    return time + segments[after].start - old.start
                }
                guard let after, let other = cues[after].times, other.start > old.end else {
                    return time + segments[before].end - old.end
                }
                let share = (time - old.end) / (other.start - old.end)
                return segments[before].end + share * (segments[after].start - segments[before].end)
            }
            segments[index].start = min(max(moved(times.start), last), next)
            segments[index].end = min(max(moved(times.end), segments[index].start), next)
            guard var words = segments[index].words else { continue }
            for word in words.indices {
                (words[word].start, words[word].end, words[word].isSpoken) =
                    (segments[index].start, segments[index].end, nil)
            }
            segments[index].words = words
        }
    }
}
