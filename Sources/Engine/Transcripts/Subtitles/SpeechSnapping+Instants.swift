extension SpeechSnapping {
    /// The longest time, in seconds, of words for which the model found none.
    private static let instant = 0.05
    /// How far, in seconds, such words are from the speech to which they belong.
    private static let farthest = 5.0
    /// Seconds that a letter takes, when someone speaks fast.
    private static let secondsPerLetter = 0.06

    /// Gives words that are an instant in silence a part of the time of the word before or after it, if that is long enough
    /// for all: Whisper sometimes puts the last words of a sentence at the end of the pause that follows, and the word before
    /// then has the rest of the speech.
    ///
    /// - Parameter words: of one speaker, in order, moved to the speech.
    func placeInstants(_ words: inout [TranscriptWord]) {
        let isLost = words.map { $0.end - $0.start <= Self.instant && spans(from: $0.start, to: $0.end).isEmpty }
        guard isLost.contains(true) else { return }
        let lengths = words.map { SpokenLength.of($0.word) }
        var first = 0
        while first < words.count {
            guard isLost[first] else {
                first += 1
                continue
            }
            let end = isLost[first...].firstIndex(of: false) ?? words.count
            /// The word before or after, whose time they share.
            func side(of run: Range<Int>) -> TranscriptWord {
                words[run.lowerBound == first ? run.upperBound - 1 : run.lowerBound]
            }
            func secondsPerLetter(_ run: Range<Int>) -> Double {
                let side = side(of: run)
                let gap = max(words[first].start - side.end, side.start - words[end - 1].end)
                return gap <= Self.farthest ? (side.end - side.start) / Double(max(1, lengths[run].reduce(0, +))) : 0
            }
            let runs = [first - 1..<end, first..<end + 1].filter { $0.lowerBound >= 0 && $0.upperBound <= words.count }
            if let run = runs.max(by: { secondsPerLetter($0) < secondsPerLetter($1) }),
                secondsPerLetter(run) >= Self.secondsPerLetter
            {
                let each = secondsPerLetter(run)
                var time = side(of: run).start
                for index in run {
                    words[index].start = time
                    time += each * Double(lengths[index])
                    words[index].end = time
                }
            }
            first = end
        }
    }
}
