extension LiveLoop {
    /// Makes words final.
    mutating func commit(_ words: [LiveWord], of pass: LivePass, to place: Int) {
        let words = ordered(words, to: place)
        guard let segment = segment(words[...], of: pass, to: place, isFinal: true) else { return }
        finalEnd = words.last?.end ?? finalEnd
        utterance?.committed += words
        utterance?.hasFinals = true
        lastFinals = (lastFinals + words).suffix(5)
        nextID += 1
        isVolatileShown = false
        tell(.finals([segment]))
    }

    /// Makes segments of a finished recording final; their times count from sample `start`.
    mutating func publish(_ segments: [TranscriptSegment], from start: Int, to place: Int) {
        var finals: [TranscriptSegment] = []
        for var segment in segments where !segment.text.isEmpty {
            segment.start = seconds(inOrder(start + Self.sample(segment.start), to: place))
            segment.words = segment.words?.map { word in
                var word = word
                word.start = seconds(inOrder(start + Self.sample(word.start), to: place))
                word.end = seconds(inOrder(start + Self.sample(word.end), to: place))
                return word
            }
            segment.end = max(seconds(inOrder(start + Self.sample(segment.end), to: place)), seconds(finalEnd))
            segment.seek = start / 160 + segment.seek
            stamp(&segment, isFinal: true)
            nextID += 1
            finals.append(segment)
            utterance?.hasFinals = true
        }
        guard !finals.isEmpty else { return }
        isVolatileShown = false
        tell(.finals(finals))
    }

    /// Replaces the volatile text; `nil` clears it.
    mutating func show(_ segment: TranscriptSegment?) {
        guard segment != nil || isVolatileShown else { return }
        isVolatileShown = segment != nil
        tell(.volatile(segment))
    }

    /// A segment of these words, `nil` without any.
    func segment(_ words: ArraySlice<LiveWord>, of pass: LivePass, to place: Int, isFinal: Bool) -> TranscriptSegment? {
        let words = ordered(Array(words), to: place)
        guard let first = words.first, let last = words.last else { return nil }
        var segment = TranscriptSegment(
            id: nextID, seek: (utterance?.window ?? 0) / 160, start: seconds(first.start), end: seconds(last.end),
            text: words.map(\.text).joined(), tokens: words.flatMap(\.tokens), temperature: pass.temperature,
            avgLogprob: pass.avgLogprob, compressionRatio: pass.compressionRatio, noSpeechProb: pass.noSpeechProb,
            words: words.map {
                TranscriptWord(
                    word: $0.text, start: seconds($0.start), end: seconds($0.end), probability: $0.probability)
            })
        stamp(&segment, isFinal: isFinal)
        return segment
    }

    private func stamp(_ segment: inout TranscriptSegment, isFinal: Bool) {
        segment.id = nextID
        segment.isFinal = isFinal
        segment.language = language
        segment.session = session
        segment.utterance = utterance?.index ?? 0
    }

    /// The words with times that go on from the last final and do not go back.
    private func ordered(_ words: [LiveWord], to place: Int) -> [LiveWord] {
        var last = finalEnd
        let most = max(place, finalEnd)
        return words.map { word in
            var word = word
            word.start = min(max(word.start, last), most)
            word.end = min(max(word.end, word.start), most)
            last = word.end
            return word
        }
    }

    /// A time that is not before anything final.
    private mutating func inOrder(_ sample: Int, to place: Int) -> Int {
        finalEnd = max(finalEnd, min(sample, place))
        return finalEnd
    }

    private func seconds(_ sample: Int) -> Double { Double(sample) / Self.second }

    private static func sample(_ seconds: Double) -> Int {
        let value = (seconds * second).rounded()
        return value.isFinite ? Int(min(max(value, 0), 0x1p52)) : 0
    }
}
