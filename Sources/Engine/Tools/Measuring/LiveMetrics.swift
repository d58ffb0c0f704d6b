import EngineModels
import EngineStreaming

/// The accuracy and latency of a live transcript, measured against words with known times. Times are seconds.
package struct LiveMetrics: Sendable, Hashable {
    /// A spoken word.
    package struct ReferenceWord: Sendable, Hashable {
        package var text: String
        package var start: Double
        package var end: Double

        package init(text: String, start: Double, end: Double) {
            self.text = text
            self.start = start
            self.end = end
        }
    }

    /// The output at one time.
    package struct Moment: Sendable, Hashable {
        package var time: Double
        /// The words that became final.
        package var finals: [String]
        /// The volatile words afterward.
        package var volatile: [String]

        package init(time: Double, finals: [String], volatile: [String]) {
            self.time = time
            self.finals = finals
            self.volatile = volatile
        }
    }

    /// Mean, median and 95th percentile.
    package struct Spread: Sendable, Hashable {
        package var mean = 0.0
        package var median = 0.0
        package var percentile95 = 0.0

        package init(_ values: [Double]) {
            guard !values.isEmpty else { return }
            let sorted = values.sorted()
            mean = values.reduce(0, +) / Double(values.count)
            median = sorted[sorted.count / 2]
            percentile95 = sorted[min(sorted.count - 1, Int((Double(sorted.count) * 0.95).rounded(.down)))]
        }
    }

    /// The differences between a text and a reference.
    package struct Accuracy: Sendable, Hashable {
        /// Number of words in the reference.
        package var words: Int
        /// Word error rate, (S + D + I) / N.
        package var errorRate: Double
        /// Inserted words that repeat their neighbors, per 1000 words of the reference.
        package var doubled: Double
        /// Missing words per 1000 words of the reference.
        package var lost: Double
        /// Other differences per 1000 words of the reference.
        package var changed: Double

        /// - Parameters:
        ///   - hypothesis: keys of the words; see `key`.
        ///   - reference: keys of the words.
        init(of hypothesis: [String], against reference: [String]) {
            self.init(WordAlignment(hypothesis, to: reference), hypothesis: hypothesis, words: reference.count)
        }

        fileprivate init(_ alignment: WordAlignment, hypothesis: [String], words: Int) {
            let differences = LiveMetrics.differences(alignment, hypothesis: hypothesis)
            let scale = words == 0 ? 0 : 1_000 / Double(words)
            self.words = words
            errorRate = words == 0 ? 0 : Double(alignment.errors) / Double(words)
            doubled = Double(differences.doubled) * scale
            lost = Double(alignment.deletions) * scale
            changed = Double(differences.changed) * scale
        }
    }

    /// The accuracy of the finals against the reference.
    package var accuracy: Accuracy
    /// Time from the end of a word to its final.
    package var finalLatency: Spread
    /// Time from the end of a word until it is first shown in the right position.
    package var volatileLatency: Spread
    /// Time from the start of speech to the first text.
    package var firstText: Double?
    /// Length-adaptive average lagging (Papi et al. 2022).
    package var averageLagging: Double
    /// Number of retracted words per final word (normalized erasure).
    package var flicker: Double

    /// - Parameters:
    ///   - moments: in order, one for each time with output.
    ///   - duration: the length of the audio.
    package init(_ moments: [Moment], reference: [ReferenceWord], duration: Double) {
        let referenceKeys = reference.map { Self.key($0.text) }
        let finals = moments.flatMap { moment in moment.finals.map { (key: Self.key($0), time: moment.time) } }
        let keys = finals.map(\.key)
        let alignment = WordAlignment(keys, to: referenceKeys)
        accuracy = Accuracy(alignment, hypothesis: keys, words: reference.count)
        finalLatency = Spread(
            alignment.steps.compactMap { step in
                switch step {
                case .match(let h, let r), .substitution(let h, let r): finals[h].time - reference[r].end
                case .deletion, .insertion: nil
                }
            })
        volatileLatency = Spread(Self.firstSights(moments, reference: reference, keys: referenceKeys))
        firstText = moments.first { !$0.finals.isEmpty || !$0.volatile.isEmpty }.map { moment in
            moment.time - (reference.first?.start ?? 0)
        }
        averageLagging = Self.averageLagging(
            finals.map(\.time), referenceCount: reference.count, duration: duration)
        flicker = Self.flicker(moments)
    }

    /// Returns the end and the final latency of each reference word that became final.
    static func finalLatencies(
        _ moments: [Moment], reference: [ReferenceWord]
    ) -> [(end: Double, latency: Double)] {
        let finals = moments.flatMap { moment in moment.finals.map { (key: key($0), time: moment.time) } }
        return WordAlignment(finals.map(\.key), to: reference.map { key($0.text) }).steps.compactMap { step in
            switch step {
            case .match(let h, let r), .substitution(let h, let r):
                (reference[r].end, finals[h].time - reference[r].end)
            case .deletion, .insertion: nil
            }
        }
    }

    /// Returns the text by which words are compared: lower case, only letters, digits and apostrophes.
    static func key(_ text: String) -> String {
        let bare = text.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "'" || $0 == "’" }
        return bare.isEmpty ? text : LiveWord.key(of: bare)
    }

    /// Counts inserted words that repeat up to five words before or after them, and other differences.
    fileprivate static func differences(_ alignment: WordAlignment, hypothesis: [String]) -> (
        doubled: Int, changed: Int
    ) {
        var extra = Set<Int>()
        for case .insertion(let h) in alignment.steps { extra.insert(h) }
        var doubled = 0
        for at in extra where (1...5).contains(where: { repeats(at, length: $0, in: hypothesis, extra: extra) }) {
            doubled += 1
        }
        return (doubled, extra.count - doubled + alignment.substitutions)
    }

    /// Returns whether a run of `length` extra words that includes `at` equals the words before or after it.
    private static func repeats(_ at: Int, length: Int, in words: [String], extra: Set<Int>) -> Bool {
        for first in max(0, at - length + 1)...at {
            let block = first..<(first + length)
            guard block.upperBound <= words.count, block.allSatisfy(extra.contains) else { continue }
            if first >= length, words[block] == words[(first - length)..<first] { return true }
            let next = block.upperBound + length
            if next <= words.count, Array(words[block]) == Array(words[block.upperBound..<next]) { return true }
        }
        return false
    }

    /// Returns how long after its end each reference word was first shown in the right position.
    private static func firstSights(_ moments: [Moment], reference: [ReferenceWord], keys: [String]) -> [Double] {
        var seen: [Int: Double] = [:]
        var finals: [String] = []
        /// Words that have been final for long are not aligned again.
        var settledWords = 0, settledReference = 0
        for moment in moments {
            finals += moment.finals.map(key)
            let current = Array(finals[settledWords...]) + moment.volatile.map(key)
            let upTo = reference[settledReference...].firstIndex { $0.start > moment.time } ?? reference.count
            let alignment = WordAlignment(current, to: Array(keys[settledReference..<upTo]))
            for case .match(let h, let r) in alignment.steps {
                let word = settledReference + r
                if seen[word] == nil { seen[word] = moment.time - reference[word].end }
                // The start of a long run of finals can no longer change its alignment.
                if settledWords + h + 60 < finals.count, h > 60 {
                    settledWords += h + 1
                    settledReference = word + 1
                    break
                }
            }
        }
        return seen.keys.sorted().compactMap { seen[$0] }
    }

    /// `1/τ · Σ (dᵢ − (i−1) · X / max(|Y|, |R|))`, where τ is the first word shown after the end of the audio.
    static func averageLagging(_ times: [Double], referenceCount: Int, duration: Double) -> Double {
        guard !times.isEmpty else { return 0 }
        let last = times.firstIndex { $0 >= duration } ?? times.count - 1
        let pace = duration / Double(max(times.count, referenceCount))
        let sum = times[...last].enumerated().reduce(0.0) { $0 + $1.element - Double($1.offset) * pace }
        return sum / Double(last + 1)
    }

    private static func flicker(_ moments: [Moment]) -> Double {
        var finals: [String] = []
        var last: [String] = []
        var erased = 0
        for moment in moments {
            finals += moment.finals
            let now = finals + moment.volatile
            // Only words after the previous finals can differ.
            let common = zip(last, now).prefix { $0 == $1 }.count
            erased += last.count - common
            last = now
        }
        return last.isEmpty ? 0 : Double(erased) / Double(last.count)
    }
}
