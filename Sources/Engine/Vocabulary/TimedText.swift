import EngineTranscripts

/// The text of words with their times.
struct TimedText {
    let characters: [Character]
    /// Where each word ends in the text.
    let ends: [Int]
    private let words: [TranscriptWord]

    init(_ words: [TranscriptWord]) {
        self.words = words
        var ends: [Int] = [], text = ""
        for word in words {
            text += word.word
            ends.append(text.count)
        }
        self.ends = ends
        characters = Array(text)
    }

    /// What is between blanks.
    var tokens: [SpokenPunctuation.Token] {
        SpokenPunctuation.tokens(of: characters, words.indices.map { (ends[$0], words[$0].start, words[$0].end) })
    }
}
