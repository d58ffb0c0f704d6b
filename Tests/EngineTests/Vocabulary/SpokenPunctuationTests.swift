import Testing

@Suite("Spoken punctuation")
struct SpokenPunctuationTests {
    /// Writes words of 0.3 s; `_` is a pause of 0.3 s, and between other words are 0.05 s.
    private static func written(
        _ text: String, _ language: String, after last: String? = nil, isEnd: Bool = true
    ) -> String {
        var words: [TranscriptWord] = [], time = 1.0
        for word in text.split(separator: " ") {
            if word == "_" {
                time += 0.3
            } else {
                words.append(TranscriptWord(word: " " + word, start: time, end: time + 0.3, probability: 1))
                time += 0.35
            }
        }
        let segment = TranscriptSegment(
            id: 0, start: 0, end: time, text: words.map(\.word).joined(), tokens: [], avgLogprob: 0, words: words)
        let before = last.map { TranscriptWord(word: $0, start: 0.6, end: 0.95, probability: 1) }
        return TextCorrection(terms: [], rules: [], language: language, hasPunctuation: true)
            .corrected(segment, after: before, isEnd: isEnd).text
    }

    @Test(
        "commands are written as signs, in place of those that the model wrote next to them",
        arguments: [
            ("en", "Hello comma, how are you question mark", " Hello, how are you?"),
            ("en", "Hello, comma, how are you. Full stop. new line. next", " Hello, how are you.\nNext"),
            ("en", "see you tomorrow period", " see you tomorrow."),
            ("en", "see you tomorrow full stop _ bye", " see you tomorrow. Bye"),
            ("en", "buy _ colon _ milk comma _ bread", " buy: milk, bread"),
            ("en", "he said open quote hello close quote and left", " he said \"hello\" and left"),
            ("en", "hello new paragraph dear Anna comma new line thanks", " hello\n\nDear Anna,\nThanks"),
            ("en", "Is it true? Question mark. Yes, exclamation mark!", " Is it true? Yes!"),
            ("en", "wait. Period. Go", " wait. Go"), ("en", "Comma, what", " what"),
            ("de", "Das ist gut Punkt", " Das ist gut."),
            ("de", "Hallo Komma, wie geht es Fragezeichen", " Hallo, wie geht es?"),
            ("fr", "bonjour virgule, ça va point d’interrogation", " bonjour, ça va?"),
            ("fr", "merci point", " merci."),
            ("es", "hola coma, qué tal signo de interrogación", " hola, qué tal?"),
            ("it", "ciao virgola, come stai punto interrogativo", " ciao, come stai?"),
            ("ru", "привет запятая, как дела вопросительный знак", " привет, как дела?"),
        ])
    func commands(language: String, text: String, wanted: String) {
        #expect(Self.written(text, language) == wanted)
    }

    @Test(
        "words of the sentence stay",
        arguments: [
            ("en", "The grace period. Ends"), ("en", "the grace period"), ("en", "the Victorian period"),
            ("en", "came to a full stop"), ("en", "he has colon cancer"), ("en", "a new line of products"),
            ("en", "the period of rest"), ("en", "the comma, then"),
            ("de", "Punkt drei ist wichtig"), ("de", "der Punkt"), ("de", "drei Komma fünf"), ("fr", "c'est un point"),
            ("fr", "deux points de vue"), ("es", "hasta cierto punto"), ("it", "a un certo punto"),
            ("ru", "моя точка зрения"), ("ja", "comma period new line"),
        ])
    func words(language: String, text: String) {
        #expect(Self.written(text, language) == " " + text)
    }

    @Test("a command at the end waits for what follows unless the utterance ends")
    func open() {
        #expect(Self.written("hello question mark", "en", isEnd: false) == " hello question mark")
        #expect(Self.written("hello question mark yes", "en", isEnd: false) == " hello? Yes")
        let words = ["hello", "there", "question", "mark", "yes"].enumerated().map {
            TranscriptWord(word: " " + $1, start: Double($0), end: Double($0) + 0.9, probability: 1)
        }
        let correction = TextCorrection(terms: [], rules: [], language: "en", hasPunctuation: true)
        #expect((0...5).map { correction.wholeCount(of: words, $0) } == [0, 1, 2, 1, 1, 5])
    }

    @Test("a sign follows the word before, which may be final, unless that has one")
    func context() {
        #expect(Self.written("comma, what", "en", after: " Hello") == ", what")
        #expect(Self.written("comma, what", "en", after: " Hello.") == " what")
        #expect(Self.written("full stop", "en", after: " Hello") == ".")
        #expect(Self.written("full stop", "en", after: " a") == " full stop")
    }

    @Test("other corrections apply beside the signs")
    func rules() throws {
        let vocabulary = try UserVocabulary("engine ex => nginx\nmark => Mark")
        let correction = TextCorrection(
            terms: vocabulary.terms, rules: vocabulary.rules, language: "en", hasPunctuation: true)
        let words = ["engine", "ex", "mark", "question", "mark"].enumerated().map {
            TranscriptWord(word: " " + $1, start: Double($0), end: Double($0) + 0.9, probability: 1)
        }
        let segment = TranscriptSegment(
            id: 0, start: 0, end: 5, text: words.map(\.word).joined(), tokens: [], avgLogprob: 0, words: words)
        #expect(correction.corrected(segment).text == " nginx Mark?")
    }
}
