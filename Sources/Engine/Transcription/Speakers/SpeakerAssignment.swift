package import EngineModels
package import EngineTranscripts

/// Gives words and segments their speakers.
///
/// A word belongs to the speaker who talks longest while it is spoken, or else to the nearest; in overlapped speech,
/// `WordSpeakers` decides. A segment is divided where the speaker of its words changes.
package struct SpeakerAssignment: Sendable {
    /// In order of their start, with times of the recording.
    let turns: [TranscriptTurn]
    /// The index of the turn that ends last of all up to each turn.
    private let latest: [Int]
    private let spelling: any TokenSpelling

    package init(turns: [TranscriptTurn], spelling: any TokenSpelling) {
        self.turns = turns
        self.spelling = spelling
        var latest: [Int] = []
        for index in turns.indices {
            let last = latest.last ?? index
            latest.append(turns[index].end > turns[last].end ? index : last)
        }
        self.latest = latest
    }

    /// The speaker between two times; `nil` without any turn.
    package func speaker(from start: Double, to end: Double) -> String? {
        let (shares, nearest) = shares(from: start, to: end)
        guard let first = shares.first else { return nearest }
        return shares.reduce(first) { $1.seconds > $0.seconds ? $1 : $0 }.speaker
    }

    /// The speakers of consecutive words; `nil` without any turn.
    package func speakers(of words: [(start: Double, end: Double)]) -> [String?] {
        guard !turns.isEmpty else { return words.map { _ in nil } }
        var chosen = WordSpeakers()
        for word in words {
            let (found, nearest) = shares(from: word.start, to: word.end)
            let shares = nearest.map { [($0, word.end - word.start)] } ?? found
            chosen.add(from: word.start, to: word.end, shares: shares)
        }
        return chosen.speakers
    }

    /// The seconds that each speaker talks between two times, ordered by turn; without any, the nearest speaker.
    private func shares(from start: Double, to end: Double) -> (shares: [WordSpeakers.Share], nearest: String?) {
        // The first turn that starts later.
        var next = 0, count = turns.count
        while count > 0 {
            let half = count / 2
            if turns[next + half].start < end {
                (next, count) = (next + half + 1, count - half - 1)
            } else {
                count = half
            }
        }
        var shares: [WordSpeakers.Share] = []
        for index in (0..<next).reversed() {
            guard turns[latest[index]].end > start else { break }
            let seconds = min(turns[index].end, end) - max(turns[index].start, start)
            guard seconds > 0 else { continue }
            if let known = shares.firstIndex(where: { $0.speaker == turns[index].speaker }) {
                shares[known].seconds += seconds
            } else {
                shares.append((turns[index].speaker, seconds))
            }
        }
        guard shares.isEmpty else { return (shares.reversed(), nil) }
        guard next > 0 else { return ([], turns.first?.speaker) }
        let before = turns[latest[next - 1]]
        let isAfter = next < turns.count && turns[next].start - end < start - before.end
        return ([], isAfter ? turns[next].speaker : before.speaker)
    }

    /// The segment with its speaker, or the parts of different speakers, in order and with the segment's id. Text, tokens
    /// and times of a part are those of its words.
    package func parts(of segment: TranscriptSegment) -> [TranscriptSegment] {
        guard !segment.text.isEmpty else { return [segment] }
        var words = segment.words ?? []
        let speakers = speakers(of: words.map { ($0.start, $0.end) })
        for index in words.indices { words[index].speaker = speakers[index] }
        var whole = segment
        whole.words = segment.words == nil ? nil : words
        var runs: [ArraySlice<TranscriptWord>] = []
        for index in words.indices {
            if let last = runs.last?.first, last.speaker == words[index].speaker {
                runs[runs.count - 1] = words[runs[runs.count - 1].startIndex...index]
            } else {
                runs.append(words[index...index])
            }
        }
        guard runs.count > 1 else {
            whole.speaker = runs.first?.first?.speaker ?? speaker(from: segment.start, to: segment.end)
            return [whole]
        }
        let tokens = tokens(of: segment, in: runs)
        return zip(runs, tokens).map { run, tokens in
            var part = whole
            part.words = Array(run)
            part.text = run.map(\.word).joined()
            part.tokens = Array(segment.tokens[tokens])
            part.tokenLogprobs = segment.tokenLogprobs.map { Array($0[tokens]) }
            part.speaker = run.first?.speaker
            part.start = run.first?.start ?? segment.start
            part.end = run.last?.end ?? segment.end
            return part
        }
    }

    /// The places of the tokens of each run of words: a token belongs to the run that contains its first byte.
    private func tokens(of segment: TranscriptSegment, in runs: [ArraySlice<TranscriptWord>]) -> [Range<Int>] {
        var ends: [Int] = []
        for run in runs { ends.append((ends.last ?? 0) + run.reduce(0) { $0 + $1.word.utf8.count }) }
        var tokens = [Range<Int>](repeating: 0..<0, count: runs.count), run = 0, position = 0
        for (index, token) in segment.tokens.enumerated() {
            while run + 1 < runs.count, position >= ends[run] {
                run += 1
                tokens[run] = index..<index
            }
            tokens[run] = tokens[run].lowerBound..<(index + 1)
            position += spelling.textBytes(of: token)?.count ?? 0
        }
        return tokens
    }
}
