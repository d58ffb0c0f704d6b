import Testing
import WhisperEngine
import WhisperCommands

@Suite("Token colors")
struct TokenColorsTests {
    @Test(
        "the color depends on the cube of the probability",
        arguments: [
            (0.0, 160), (0.5, 160), (0.53, 166), (0.8, 215), (0.9, 114), (0.96, 71), (1.0, 71), (2.0, 71), (-1.0, 160),
            (.nan, 160), (.infinity, 71),
        ])
    func color(probability: Double, number: Int) {
        #expect(TokenColors.colored(" hi", probability: probability) == "\u{1b}[38;5;\(number)m hi\u{1b}[0m")
    }

    @Test("a segment is colored word by word, or not at all without words")
    func segment() {
        let words = [
            TranscriptWord(word: " a", start: 0, end: 1, probability: 1),
            TranscriptWord(word: " b", start: 1, end: 2, probability: 0),
        ]
        var segment = TranscriptSegment(
            id: 0, seek: 0, start: 0, end: 1, text: " a b", tokens: [], temperature: 0, avgLogprob: 0,
            compressionRatio: 0,
            noSpeechProb: 0)
        #expect(TokenColors.colored(segment) == " a b")
        segment.words = words
        #expect(TokenColors.colored(segment) == "\u{1b}[38;5;71m a\u{1b}[0m\u{1b}[38;5;160m b\u{1b}[0m")
    }

    @Test("control characters are replaced")
    func control() {
        #expect(
            TokenColors.colored("\u{1b}]0;x\u{7}\n\t\u{9b}é", probability: 1).safe
                == "\u{1b}[38;5;71m�]0;x�\n\t�é\u{1b}[0m")
    }
}
