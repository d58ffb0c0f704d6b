import EngineTranscripts

/// When each word of the text is said, from the words that were heard.
struct UnitPlacing {
    /// A word that is said.
    struct Place: Hashable {
        var start: Double
        var end: Double
        /// How much it is like what was heard, 0…1.
        var probability: Double
    }

    /// Seconds that a letter takes, when someone speaks fast.
    private static let secondsPerLetter = 0.06
    /// Words of which nothing was heard are taken to be said if there is speech for this share of them.
    private static let leastSpeech = 0.4
    /// Texts of which one is longer by this factor, and a word, are not the same one heard differently.
    private static let (longer, spare) = (2.5, 6.0)
    /// A pause divides two sentences if it is this many times as long as any other there.
    private static let far = 2.0
    /// More words than this that have hardly a letter in common with what was heard are not the same either.
    private static let (fewWords, leastSimilarity) = (5, 0.35)

    let units: [ScriptUnit]
    let heard: [HeardUnit]
    private let speech: [TranscriptSpan]?
    private let duration: Double

    /// `nil` for words that are not said.
    private(set) var places: [Place?]
    /// Words that were not heard where they should be, although they may be said.
    private(set) var doubtful: [Range<Int>] = []
    /// Whether each word that was heard is in the text.
    private(set) var isInText: [Bool]

    /// - Parameters:
    ///   - partners: for each unit the word that was heard, if any, in order.
    ///   - speech: `nil` if it is unknown.
    init(
        _ units: [ScriptUnit], _ heard: [HeardUnit], partners: [Int?], speech: [TranscriptSpan]?, duration: Double
    ) {
        self.units = units
        self.heard = heard
        self.speech = speech
        self.duration = duration
        places = Array(repeating: nil, count: units.count)
        isInText = Array(repeating: false, count: heard.count)
        var (i, j) = (0, 0)
        for (unit, partner) in partners.enumerated() {
            guard let partner else { continue }
            let word = heard[partner]
            let similarity = WordMatching.similarity(units[unit].letters, word.letters)
            places[unit] = Place(start: word.start, end: word.end, probability: similarity)
            isInText[partner] = true
            fill(i..<unit, j..<partner)
            (i, j) = (unit + 1, partner + 1)
        }
        fill(i..<units.count, j..<heard.count)
    }

    /// Places the words between two that were heard.
    private mutating func fill(_ text: Range<Int>, _ words: Range<Int>) {
        let open = text.filter { !units[$0].isOptional }
        if open.isEmpty { return }
        if let (before, after) = meeting(in: text, open), let pause = longestPause(in: words) {
            fill(text, before, words.lowerBound..<pause)
            fill(text, after, pause..<words.upperBound)
        } else {
            fill(text, open, words)
        }
    }

    private mutating func fill(_ text: Range<Int>, _ open: [Int], _ words: Range<Int>) {
        guard !open.isEmpty else { return }
        guard !words.isEmpty else { return placeUnheard(open, between: words, text) }
        let count = spokenLength(open), others = heard[words].reduce(0) { $0 + $1.spokenLength }
        if isComparable(count, others) {
            placeReplaced(open, words)
        } else if count > others {
            // Sentences of which nothing was heard are not said.
            let partial = partOfSentences(open)
            if !partial.isEmpty { placeReplaced(partial, words) }
        } else if !placeBesides(text, open, words) {
            placeReplaced(open, best(of: words, for: open, letters: letters(open)))
        }
    }

    /// The end of one sentence and the beginning of the next one, if the words between two that were heard are nothing else.
    private func meeting(in text: Range<Int>, _ open: [Int]) -> (before: [Int], after: [Int])? {
        let first = text.lowerBound > 0 ? units[text.lowerBound - 1].sentence : -1
        let second = text.upperBound < units.count ? units[text.upperBound].sentence : -1
        guard first != second, open.allSatisfy({ [first, second].contains(units[$0].sentence) }) else { return nil }
        return (open.filter { units[$0].sentence == first }, open.filter { units[$0].sentence == second })
    }

    /// The number of the word before which there is by far the longest pause: what was heard before it belongs to the sentence
    /// that ends, the rest to the one that begins.
    private func longestPause(in words: Range<Int>) -> Int? {
        guard words.lowerBound > 0, words.upperBound < heard.count, !words.isEmpty else { return nil }
        let pauses = (words.lowerBound...words.upperBound).map { (word: $0, heard[$0].start - heard[$0 - 1].end) }
        let ranked = pauses.sorted { $0.1 > $1.1 }
        return heard[ranked[0].word].follows(heard[ranked[0].word - 1]) && ranked[0].1 >= Self.far * ranked[1].1
            ? ranked[0].word : nil
    }

    /// Of much that was heard between two sentences, what is beside their other words is the end of the one and the
    /// beginning of the other, up to a pause.
    ///
    /// - Returns: whether there are two sentences, and nothing but parts of them.
    private mutating func placeBesides(_ text: Range<Int>, _ open: [Int], _ words: Range<Int>) -> Bool {
        guard let (before, after) = meeting(in: text, open) else { return false }
        var (start, end) = (words.lowerBound, words.upperBound)
        func isLess(_ range: Range<Int>, than open: [Int]) -> Bool {
            heard[range].reduce(0) { $0 + $1.spokenLength } < spokenLength(open)
        }
        while start < end, isLess(words.lowerBound..<start, than: before),
            start == words.lowerBound || !heard[start].follows(heard[start - 1])
        { start += 1 }
        while start < end, isLess(end..<words.upperBound, than: after),
            end == words.upperBound || !heard[end].follows(heard[end - 1])
        { end -= 1 }
        if !before.isEmpty, start > words.lowerBound { placeReplaced(before, words.lowerBound..<start) }
        if !after.isEmpty, end < words.upperBound { placeReplaced(after, end..<words.upperBound) }
        return true
    }

    private func letters(_ indices: [Int]) -> Int { indices.reduce(0) { $0 + units[$1].letters.count } }

    /// With the signs beside them that are said, such as a percent sign after a blank.
    private func spokenLength(_ indices: [Int]) -> Int {
        indices.reduce(0) { sum, index in
            let sign = index + 1 < units.count && units[index + 1].letters.isEmpty ? units[index + 1].spokenLength : 0
            return sum + units[index].spokenLength + sign
        }
    }

    private func isComparable(_ a: Int, _ b: Int) -> Bool {
        Double(max(a, b)) <= Self.longer * Double(min(a, b)) + Self.spare
    }

    /// Without the sentences that have no other words.
    private func partOfSentences(_ indices: [Int]) -> [Int] {
        let whole = Set(indices.map { units[$0].sentence }).filter { isInside(sentence: $0, indices) }
        return indices.filter { !whole.contains(units[$0].sentence) }
    }

    /// Whether all words of a sentence are among some, which are in order.
    private func isInside(sentence: Int, _ indices: [Int]) -> Bool {
        guard let first = indices.first(where: { units[$0].sentence == sentence }),
            let last = indices.last(where: { units[$0].sentence == sentence })
        else { return false }
        func belongs(_ index: Int) -> Bool {
            units.indices.contains(index) && units[index].sentence == sentence && !units[index].isOptional
        }
        return !belongs(first - 1) && !belongs(last + 1)
    }

    /// Words that were not recognized: said if there is speech that nothing else of the text claims.
    ///
    /// - Parameters:
    ///   - words: an empty range of those that were heard.
    ///   - text: all words between the two that were heard.
    private mutating func placeUnheard(_ open: [Int], between words: Range<Int>, _ text: Range<Int>) {
        if open.count < Self.run, placeJoined(open, between: words, text) { return }
        let start = words.lowerBound > 0 ? heard[words.lowerBound - 1].end : 0
        let end = words.upperBound < heard.count ? heard[words.upperBound].start : duration
        let free = (speech ?? [TranscriptSpan(start: start, end: end)]).compactMap { span -> TranscriptSpan? in
            let (first, last) = (max(start, span.start), min(end, span.end))
            return last - first > 0.02 ? TranscriptSpan(start: first, end: last) : nil
        }
        let available = free.reduce(0) { $0 + $1.end - $1.start }
        let hasRoom = available >= Self.leastSpeech * Double(letters(open)) * Self.secondsPerLetter
        // Few words may be hidden in the time of those around them; the network knows.
        guard hasRoom || open.count < Self.run else {
            // Sentences for which there is no speech are not said, but words beside them may be.
            let partial = partOfSentences(open)
            if partial.count < open.count, !partial.isEmpty { placeUnheard(partial, between: words, text) }
            return
        }
        addDoubtful(open)
        guard speech != nil, hasRoom, let first = free.first, let last = free.last else { return }
        let times = spread(open, over: free, from: first.start, to: last.end)
        for (index, time) in zip(open, times) {
            places[index] = Place(start: time.start, end: time.end, probability: 0)
        }
    }

    /// Adds a range for each run of words with only optional ones in between.
    private mutating func addDoubtful(_ open: [Int]) {
        for (place, index) in open.enumerated() {
            if place > 0, units[open[place - 1] + 1..<index].allSatisfy(\.isOptional) {
                doubtful[doubtful.count - 1] = doubtful[doubtful.count - 1].lowerBound..<index + 1
            } else {
                doubtful.append(index..<index + 1)
            }
        }
    }

    /// Words that were heard as one with a similar word before or after them share its time: "hautimbre" is "au timbre".
    ///
    /// - Returns: whether they were.
    private mutating func placeJoined(_ open: [Int], between words: Range<Int>, _ text: Range<Int>) -> Bool {
        guard let first = open.first, let last = open.last else { return false }
        let least = max(2, letters(open) / 2)
        func others(_ unit: Int, _ word: Int) -> (before: Int, after: Int)? {
            guard units.indices.contains(unit), heard.indices.contains(word), places[unit] != nil else { return nil }
            return LetterMapping.lettersAround(units[unit].letters, in: heard[word].letters)
        }
        if last + 1 == text.upperBound, let count = others(last + 1, words.upperBound)?.before, count >= least {
            let word = heard[words.upperBound]
            let time = word.start + (word.end - word.start) * Double(count) / Double(word.letters.count)
            place(open, from: word.start, to: time)
            places[last + 1]?.start = time
            return true
        }
        if first == text.lowerBound, let count = others(first - 1, words.lowerBound - 1)?.after, count >= least {
            let word = heard[words.lowerBound - 1]
            let time = word.end - (word.end - word.start) * Double(count) / Double(word.letters.count)
            place(open, from: time, to: word.end)
            places[first - 1]?.end = time
            return true
        }
        return false
    }

    /// Divides a time among words by their length.
    private mutating func place(_ open: [Int], from start: Double, to end: Double) {
        let each = (end - start) / Double(max(1, spokenLength(open)))
        var time = start
        for index in open {
            let next = time + each * Double(spokenLength([index]))
            places[index] = Place(start: time, end: next, probability: 0)
            time = next
        }
    }

    private func spread(
        _ open: [Int], over speech: [TranscriptSpan], from start: Double, to end: Double
    ) -> [(start: Double, end: Double)] {
        var gap = Transcript(
            text: "", language: "", duration: duration,
            segments: [
                TranscriptSegment(
                    id: 0, start: start, end: end, text: open.map { units[$0].text }.joined(), tokens: [], avgLogprob: 0
                )
            ])
        gap.speech = speech
        let spread = SpokenUnits(gap).runs.flatMap(\.units)
        if spread.count == open.count { return spread.map { ($0.start, $0.end) } }
        let total = Double(max(1, letters(open)))
        var before = 0.0
        return open.map { index in
            let first = before / total
            before += Double(units[index].letters.count)
            return (start + (end - start) * first, start + (end - start) * before / total)
        }
    }

    /// Words in whose place others were heard.
    private mutating func placeReplaced(_ open: [Int], _ words: Range<Int>) {
        let mapping = LetterMapping(open.map { units[$0] }, heard[words])
        // Numbers have no letters in common with their digits.
        let hasDigits = heard[words].contains { $0.letters.contains(where: \.isNumber) }
        if open.count > Self.fewWords, mapping.similarity < Self.leastSimilarity, !hasDigits {
            addDoubtful(open)
            return
        }
        for (index, time) in zip(open, mapping.times) {
            places[index] = Place(start: time.start, end: time.end, probability: max(0, mapping.similarity))
        }
        for word in words { isInText[word] = true }
    }

    /// The most similar ones among many words that were heard, about as long as the text.
    private func best(of words: Range<Int>, for open: [Int], letters count: Int) -> Range<Int> {
        let text = open.flatMap { units[$0].letters }
        var best = (range: words.lowerBound..<words.lowerBound + 1, similarity: -1.0)
        for first in words {
            var (end, length) = (first, 0)
            while end < words.upperBound, length < count {
                length += heard[end].letters.count
                end += 1
            }
            let similarity = WordMatching.similarity(text, heard[first..<end].flatMap(\.letters))
            if similarity > best.similarity { best = (first..<end, similarity) }
            if end == words.upperBound { break }
        }
        return best.range
    }
}

// MARK: - What the network says of doubtful words

extension UnitPlacing {
    /// The network's probability of words that are said: of one or two, and of half of three or more.
    private static let (leastWord, leastRun, run) = (0.01, 0.05, 3)
    /// How many words before and after doubtful ones the network is given, too.
    private static let (before, after) = (6, 4)
    /// Seconds between the edge of a part and its first or last word.
    private static let margin = 0.1
    /// Words move at most this far, in seconds, to where the speech begins or ends.
    private static let reach = 1.0

    /// A part of the recording with doubtful words, and those around them.
    struct Part: Hashable {
        let units: Range<Int>
        var doubtful: [Range<Int>]
        let start: Double
        let end: Double
    }

    /// The parts to be timed by the network.
    func parts(upTo longest: Double) -> [Part] {
        var parts: [Part] = []
        for range in doubtful {
            var (first, last) = (range.lowerBound, range.upperBound)
            var (left, right) = (0, 0)
            while first > 0, left < Self.before {
                first -= 1
                if places[first] != nil { left += 1 }
            }
            while last < units.count, right < Self.after {
                last += 1
                if places[last - 1] != nil { right += 1 }
            }
            guard let part = part(first..<last, [range], longest) else { continue }
            if let other = parts.last, other.units.upperBound > first,
                let both = self.part(other.units.lowerBound..<last, other.doubtful + [range], longest)
            {
                parts[parts.count - 1] = both
            } else {
                parts.append(part)
            }
        }
        return parts
    }

    private func part(_ range: Range<Int>, _ doubtful: [Range<Int>], _ longest: Double) -> Part? {
        // At the ends of the recording there may be no words that were heard.
        let isSure = { (index: Int) in places[index] != nil && !doubtful.contains { $0.contains(index) } }
        let known = range.filter(isSure)
        var (start, end) = (0.0, duration)
        if let first = known.first, !doubtful.contains(where: { $0.lowerBound < first }), let place = places[first] {
            start = max(0, place.start - Self.margin)
        } else if let last = places[..<range.lowerBound].last(where: { $0 != nil }), let place = last {
            start = place.end
        }
        if let last = known.last, !doubtful.contains(where: { $0.upperBound > last + 1 }), let place = places[last] {
            end = min(duration, place.end + Self.margin)
        } else if let next = places[range.upperBound...].first(where: { $0 != nil }), let place = next {
            end = place.start
        }
        return end - start > 0.2 && end - start <= longest
            ? Part(units: range, doubtful: doubtful, start: start, end: end) : nil
    }

    /// Uses the network's times for the doubtful words of a part.
    ///
    /// - Parameter timings: of all its units with letters, in order.
    mutating func place(_ part: Part, _ timings: [Int: ForcedPlace]) {
        for range in part.doubtful {
            let open = range.filter { !units[$0].isOptional }
            // Spoken and unspoken sentences may be next to each other, so each is judged separately.
            let said = Set(open.map { units[$0].sentence }).filter { sentence in
                let words = open.filter { units[$0].sentence == sentence }
                let probabilities = words.map { timings[$0]?.probability ?? 0 }
                // Small words are probable after almost anything.
                let middle = probabilities.sorted()[max(0, (words.count - 1) / 2)]
                return middle >= (words.count >= Self.run ? Self.leastRun : Self.leastWord)
            }
            for index in open where !said.contains(units[index].sentence) { places[index] = nil }
            place(open.filter { said.contains(units[$0].sentence) }, timings)
        }
    }

    private mutating func place(_ open: [Int], _ timings: [Int: ForcedPlace]) {
        guard let first = open.first, let last = open.last, let begin = timings[first]?.start,
            let finish = timings[last]?.end
        else { return }
        let before = places[..<first].lastIndex { $0 != nil }, after = places[(last + 1)...].firstIndex { $0 != nil }
        // The words around them were given their time.
        var (start, end) = (0.0, duration)
        if let before, let place = places[before] {
            if place.start + 0.02 < begin, begin < place.end { places[before]?.end = begin }
            start = places[before]?.end ?? 0
        }
        if let after, let place = places[after] {
            if place.start < finish, finish < place.end - 0.02 { places[after]?.start = finish }
            end = places[after]?.start ?? duration
        }
        for index in open {
            guard let timing = timings[index] else { continue }
            let first = min(max(timing.start, start), end)
            places[index] = Place(
                start: first, end: max(first, min(timing.end, end)), probability: timing.probability)
        }
        for span in speech ?? [] {
            if start <= span.start + 0.05, begin > span.start, begin - span.start <= Self.reach, span.start < end {
                places[first]?.start = max(start, span.start)
            }
            if end >= span.end - 0.05, finish < span.end, span.end - finish <= Self.reach, span.end > start {
                places[last]?.end = min(end, span.end)
            }
        }
    }

    struct ForcedPlace: Hashable {
        let start: Double
        let end: Double
        let probability: Double
    }

    /// Cuts silence off the words, puts their times in order and makes none shorter than a model's step.
    mutating func order() {
        var last = 0.0
        var next = 0
        for index in places.indices {
            guard var place = places[index] else { continue }
            if let speech {
                while next < speech.count, speech[next].end <= place.start { next += 1 }
                // Of a word over a pause, the longest piece.
                let pieces = speech[next...].prefix { $0.start < place.end }.map {
                    (start: max($0.start, place.start), end: min($0.end, place.end))
                }
                if let piece = pieces.max(by: { $0.end - $0.start < $1.end - $1.start }) {
                    (place.start, place.end) = piece
                }
            }
            let start = max(last, place.start)
            last = max(start + 0.02, place.end)
            places[index] = Place(start: start, end: last, probability: place.probability)
        }
    }
}
