import Testing

/// Texts aligned with words that were heard at known times: a word each half second, with a pause of two seconds after each full
/// stop.
@Suite("Texts matched with what was heard")
struct TextAlignmentTests {
    /// A recording in which somebody says a text.
    private struct Heard {
        var transcript: Transcript
        /// The start of each word.
        var starts: [Double] = []

        init(_ text: String) {
            var (time, words) = (1.0, [TranscriptWord]())
            var speech: [TranscriptSpan] = []
            var begin = time
            for word in text.split(separator: " ") {
                words.append(TranscriptWord(word: " \(word)", start: time, end: time + 0.5, probability: 1))
                starts.append(time)
                time += 0.5
                if word.hasSuffix(".") {
                    speech.append(TranscriptSpan(start: begin, end: time))
                    time += 2
                    begin = time
                }
            }
            if begin < time { speech.append(TranscriptSpan(start: begin, end: time)) }
            transcript = Transcript(
                text: text, language: "en", duration: time + 1,
                segments: [
                    TranscriptSegment(
                        id: 0, start: 1, end: time, text: " " + text, tokens: [], avgLogprob: 0, words: words)
                ])
            transcript.speech = speech
        }
    }

    private static let talk =
        "Once upon a time there lived an old miller in the valley. He had three sons and a grey donkey. "
        + "When he died the youngest son received nothing but the cat of the house."

    /// Remembers for which words the network is asked, and knows nothing.
    private final class Aligner: ForcedAligner {
        var asked: [[String]] = []
        var longestPart: Double { 30 }

        func timings(of words: [String], from start: Double, to end: Double) -> [ForcedTiming]? {
            asked.append(words)
            return nil
        }
    }

    private func align(
        _ text: String, with heard: Heard, near: Double? = nil, aligner: Aligner? = nil
    ) throws -> TextAlignment {
        try Recognizer.align(AlignmentScript(Array(text.utf8)), heard: heard.transcript, near: near, aligner: aligner)
    }

    private func words(_ alignment: TextAlignment) -> [TranscriptWord] {
        alignment.transcript.segments.flatMap { $0.words ?? [] }
    }

    @Test("the same words have the times at which they were heard, whatever their signs, case and accents")
    func same() throws {
        let heard = Heard(Self.talk)
        let text = Self.talk.uppercased().replacing(" THE ", with: " “thé”, ").replacing(". ", with: "!\n\n")
        let alignment = try align(text, with: heard)
        #expect(words(alignment).map(\.start) == heard.starts)
        #expect(words(alignment).allSatisfy { $0.isSpoken == true })
        #expect(alignment.transcript.segments.count == 3)
        #expect(alignment.transcript.segments[1].start == heard.starts[12])
        #expect(alignment.transcript.segments[0].words?[10].word == " “thé”,")
        #expect(alignment.transcript.segments.map(\.text).joined() == alignment.transcript.text)
        #expect(alignment.omissions.isEmpty && alignment.additions.isEmpty)
        #expect((alignment.wordCount, alignment.spokenCount) == (34, 34))
    }

    @Test("a word that was changed takes the time of the one that was said instead")
    func changed() throws {
        let heard = Heard(Self.talk)
        let text = Self.talk.replacing("donkey", with: "elephant").replacing("an old", with: "1 young")
        let alignment = try align(text, with: heard)
        #expect(words(alignment).map(\.start) == heard.starts)
        #expect(alignment.omissions.isEmpty && alignment.additions.isEmpty)
    }

    @Test("numbers, signs and abbreviations have the time of the words that they are said as, and the other way round")
    func numbers() throws {
        let written = "In 1984 Dr. Miller gave 5 % of his money, $20, to the town of St. Mary on the 3rd of May."
        let spoken =
            "In nineteen eighty four doctor Miller gave five percent of his money twenty dollars to the town of saint Mary "
            + "on the third of may."
        let heard = Heard(spoken)
        let alignment = try align(written, with: heard)
        func word(_ text: String) -> TranscriptWord? { words(alignment).first { $0.word.hasPrefix(text) } }
        func start(_ text: String) -> Double? { word(text)?.start }
        func end(_ text: String) -> Double? { word(text)?.end }
        #expect(alignment.omissions.isEmpty && alignment.additions.isEmpty, "\(alignment)")
        #expect(start(" 1984") == heard.starts[1] && end(" 1984") == heard.starts[4])
        #expect(start(" Dr.") == heard.starts[4] && end(" Dr.") == heard.starts[5])
        #expect(start(" 5") == heard.starts[7] && end(" 5") == heard.starts[9])
        #expect(start(" $20,") == heard.starts[12] && end(" $20,") == heard.starts[14])
        #expect(start(" St.") == heard.starts[18] && start(" 3rd") == heard.starts[22])
        let other = try align(spoken, with: Heard(written.replacing(" %", with: "%")))
        #expect(other.omissions.isEmpty && other.additions.isEmpty, "\(other)")
        let year = words(other)[1...3]
        #expect(year.first?.start == 1.5 && year.last?.end == 2)
    }

    @Test("what is misheard at the ends of sentences stays beside them, not in a sentence that the text lacks")
    func besides() throws {
        let heard = Heard(
            "To erase this message please press seven. At the tone you should say your full name clearly now. "
                + "Tone aux propers are all busy at present and will answer you soon.")
        let alignment = try align(
            "To erase this message please press 7.\nAll our operators are all busy at present and will answer you soon.",
            with: heard)
        let segments = alignment.transcript.segments
        #expect(segments.map(\.start) == [heard.starts[0], heard.starts[18]])
        #expect(segments[0].end == heard.starts[6] + 0.5)
        #expect(alignment.additions.map(\.wordCount) == [11])
    }

    @Test("a word that two sentences begin with belongs to the one that is said")
    func sameBeginning() throws {
        let heard = Heard("The line is free again. Press six to hear the next message. Press two to go back.")
        let text = [
            "The line is free again.", "Press one for all other things that we offer.",
            "Press six to hear the next message.", "Press two to go back.",
        ]
        let alignment = try align(text.joined(separator: "\n"), with: heard)
        #expect(alignment.omissions.map(\.passage) == [1])
        #expect(alignment.transcript.segments[2].start == heard.starts[5])
        let other = Heard("Prego dial your password again at once. Premere uno if you wish to talk to her. Goodbye.")
        let first = try align("Prema 1 if you wish to talk to her. Goodbye.", with: other)
        #expect(first.transcript.segments[0].start == other.starts[7] && first.omissions.isEmpty)
    }

    @Test("sentences begin and end with the speech, without the margins that the detector leaves around it")
    func margins() {
        let speech = [(0, 0.5), (1.03, 2), (5, 5.01), (7, 8)].map { TranscriptSpan(start: $0.0, end: $0.1) }
        let spans: [TranscriptSpan] = Recognizer.withoutMargins(speech, until: 8)
        #expect(spans.map { ($0.start * 100).rounded() / 100 } == [0, 1.06, 5.03, 7.03])
        #expect(spans.map { ($0.end * 100).rounded() / 100 } == [0.47, 1.97, 5.03, 8])
    }

    @Test("words that were heard as two, or two as one, share the time")
    func divided() throws {
        let heard = Heard(
            Self.talk.replacing("received nothing", with: "receivednothing").replacing("upon", with: "up on"))
        let alignment = try align(Self.talk, with: heard)
        let found = words(alignment)
        let upon = try #require(found.first { $0.word == " upon" })
        #expect(upon.start == heard.starts[1] && upon.end == heard.starts[3])
        let received = try #require(found.firstIndex { $0.word == " received" })
        #expect(found[received].end == found[received + 1].start)
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.end <= $1.start })
    }

    @Test("sentences that nobody says have no time, and are left out of files with times")
    func extra() throws {
        let heard = Heard(Self.talk)
        let lines = Self.talk.replacing(". ", with: ".\n").split(separator: "\n")
        let text = [lines[0], "Nobody ever says this long sentence here.", lines[1], lines[2]].joined(separator: "\n")
        let alignment = try align(text, with: heard)
        #expect(alignment.omissions == [.init(text: "Nobody ever says this long sentence here.", passage: 1)])
        #expect(words(alignment).filter { $0.isSpoken == true }.map(\.start) == heard.starts)
        let segment = alignment.transcript.segments[1]
        #expect(!segment.isSpoken && alignment.transcript.segments[2].isSpoken)
        #expect(OutputFormat.txt.text(of: alignment.transcript).contains("Nobody"))
        for format in [OutputFormat.srt, .vtt, .ass, .tsv, .csv, .lrc] {
            let text = format.text(of: alignment.transcript)
            #expect(!text.contains("Nobody") && text.contains("donkey"), "\(format)")
        }
        let json = OutputFormat.json.text(of: alignment.transcript)
        #expect(json.contains(#""start": null, "end": null, "text": " Nobody"#))
        #expect(json.contains(#"{"word": " ever", "start": null, "end": null, "#))
    }

    @Test("words that are said but not in the text are listed with their times")
    func missing() throws {
        let heard = Heard(Self.talk)
        let alignment = try align(Self.talk.replacing(" He had three sons and a grey donkey.", with: ""), with: heard)
        let addition = try #require(alignment.additions.first)
        #expect(alignment.additions.count == 1 && addition.wordCount == 8)
        #expect(addition.text == "He had three sons and a grey donkey.")
        #expect(addition.start == heard.starts[12] && addition.end == heard.starts[19] + 0.5)
        #expect(words(alignment).map(\.start) == Array(heard.starts[..<12] + heard.starts[20...]))
    }

    @Test("words that were not recognized share the speech that is left")
    func unheard() throws {
        var heard = Heard(Self.talk)
        // Nothing of the second sentence was recognized.
        heard.transcript.segments[0].words?.removeSubrange(12..<20)
        let alignment = try align(Self.talk, with: heard)
        let sentence = words(alignment)[12..<20]
        #expect(alignment.omissions.isEmpty)
        #expect(sentence.first?.start == heard.starts[12] && sentence.last?.end == heard.starts[19] + 0.5)
        // A word for which there is no time is not said.
        let other = try align(Self.talk.replacing("grey", with: "grey fluffy"), with: Heard(Self.talk))
        #expect(other.omissions == [.init(text: "fluffy", passage: 0)])
    }

    @Test("in long texts, too, an unspoken sentence takes no words from the next one")
    func torn() throws {
        let lines = (0..<60).map { line in (0..<10).map { "w\(line)x\($0)" }.joined(separator: " ") + "." }
        let said = ["You have left the conference now.", "Press four for the previous message."]
        let heard = Heard((lines[..<30] + said + lines[30...]).joined(separator: " "))
        let text = lines[..<30] + [said[0], "Press zero to reach an operator.", said[1]] + lines[30...]
        let alignment = try align(text.joined(separator: "\n"), with: heard)
        #expect(alignment.omissions == [.init(text: "Press zero to reach an operator.", passage: 31)])
        #expect(words(alignment).filter { $0.isSpoken == true }.map(\.start) == heard.starts)
    }

    @Test("a word that was heard as one with the word beside it has the time of the letters that the other lacks")
    func joined() throws {
        let heard = Heard(Self.talk.replacing("an old", with: "anold").replacing("miller in", with: "millerin"))
        let alignment = try align(Self.talk, with: heard)
        let found = words(alignment)
        #expect(alignment.omissions.isEmpty && alignment.additions.isEmpty)
        #expect(found[6].start == heard.starts[6] && found[6].end == heard.starts[6] + 0.2)
        #expect(found[7].start == found[6].end && found[7].end == heard.starts[7])
        #expect(found[9].end == heard.starts[8] && found[9].start > heard.starts[7] + 0.3)
        #expect(found[8].end == found[9].start)
    }

    @Test("unrecognized words next to an unspoken sentence are found; the network is not given that sentence")
    func besideOmission() throws {
        var heard = Heard(Self.talk)
        heard.transcript.segments[0].words?.removeSubrange(12..<15)
        let lines = Self.talk.replacing(". ", with: ".\n").split(separator: "\n")
        let other =
            "Nobody in the recording ever says this sentence, which is much longer than the speech that is left."
        let text = [String(lines[0]), other, String(lines[1]), String(lines[2])].joined(separator: "\n")
        let aligner = Aligner()
        let alignment = try align(text, with: heard, aligner: aligner)
        #expect(alignment.omissions.map(\.passage) == [1])
        #expect(alignment.transcript.segments[2].start == heard.starts[12])
        let asked = try #require(aligner.asked.first)
        #expect(asked.contains(" He") && !asked.contains(" Nobody"))
    }

    @Test("the first words of a sentence are not before the pause that precedes it, nor the last ones after it")
    func pauses() throws {
        var heard = Heard(Self.talk)
        heard.transcript.segments[0].words?.removeSubrange(12..<15)
        let first = try align(Self.talk.replacing("the valley.", with: "the."), with: heard)
        #expect(words(first)[11].start == heard.starts[12])
        #expect(first.additions.map(\.text) == ["valley."])
        heard = Heard(Self.talk.replacing("He had", with: "Paul had"))
        heard.transcript.segments[0].words?.removeSubrange(9..<12)
        let last = try align(Self.talk.replacing("He had", with: "had"), with: heard)
        #expect(words(last)[9].start == heard.starts[9])
        #expect(last.additions.map(\.text) == ["Paul"])
    }

    @Test("words that the model puts into a pause without a length share the time of the word beside it")
    func instants() throws {
        for (lost, long, time) in [(10..<12, 9, 8.0), (12..<14, 14, 8.0)] {
            var heard = Heard(Self.talk)
            // Of the speech of them all, one word has everything, the others are in the pause of two seconds.
            let all = min(lost.lowerBound, long)..<max(lost.upperBound, long + 1)
            heard.transcript.segments[0].words?[long].start = heard.starts[all.lowerBound]
            heard.transcript.segments[0].words?[long].end = heard.starts[all.upperBound - 1] + 0.5
            for index in lost {
                heard.transcript.segments[0].words?[index].start = time
                heard.transcript.segments[0].words?[index].end = time + 0.02
            }
            let alignment = try align(Self.talk, with: heard)
            let found = words(alignment)
            #expect(alignment.omissions.isEmpty && alignment.additions.isEmpty)
            #expect(found[all.lowerBound].start == heard.starts[all.lowerBound])
            #expect(found[all.upperBound - 1].end == heard.starts[all.upperBound - 1] + 0.5)
            #expect(found[all].allSatisfy { $0.end - $0.start > 0.2 })
            #expect(zip(found, found.dropFirst()).allSatisfy { $0.end <= $1.start })
        }
        // Words invented in silence do not take time from others.
        var heard = Heard(Self.talk)
        for word in ["thank", "you", "for", "watching"] {
            heard.transcript.segments[0].words?.insert(
                TranscriptWord(word: " " + word, start: 8, end: 8, probability: 1), at: 12)
        }
        #expect(words(try align(Self.talk, with: heard)).map(\.start) == heard.starts)
    }

    @Test("the network is asked for the beginning of a sentence with a capital letter, however the text writes it")
    func capitals() throws {
        var heard = Heard(Self.talk)
        heard.transcript.segments[0].words?.removeSubrange(12..<14)
        let text = Self.talk.lowercased().replacing(". ", with: ".\n")
        let aligner = Aligner()
        _ = try align(text, with: heard, aligner: aligner)
        let words = try #require(aligner.asked.first)
        #expect(words.contains(" He") && words.contains(" had") && !words.contains(" he"))
    }

    @Test("notes in brackets and names of speakers are shown, and not missed if nobody says them")
    func notes() throws {
        let heard = Heard(Self.talk)
        let lines = Self.talk.replacing(". ", with: ".\n").split(separator: "\n")
        let text = "NARRATOR: \(lines[0])\n[a door opens] \(lines[1])\nHe: \(lines[2])"
        let alignment = try align(text, with: heard)
        #expect(alignment.omissions.isEmpty && alignment.wordCount == 34)
        #expect(words(alignment).filter { $0.isSpoken == true }.map(\.start) == heard.starts)
        #expect(alignment.transcript.segments[1].start == heard.starts[12])
        #expect(OutputFormat.srt.text(of: alignment.transcript).contains("[a door opens]"))
    }

    @Test("a sign between blanks stands with the words of its passage, not at the end of the one before")
    func signs() throws {
        let heard = Heard(Self.talk)
        let lines = Self.talk.replacing(". ", with: ".\n").split(separator: "\n")
        let segments = try align("\(lines[0])\n… \(lines[1])\n— \(lines[2]) …", with: heard).transcript.segments
        #expect(segments.map(\.start) == [heard.starts[0], heard.starts[12], heard.starts[20]])
        #expect(segments.map(\.end) == [heard.starts[11], heard.starts[19], heard.starts[33]].map { $0 + 0.5 })
        #expect(segments[1].words?.first?.word == " …" && segments[1].words?.first?.start == heard.starts[12])
    }

    @Test("cues keep their texts and lines; one of which nothing is said keeps its place among the others")
    func cues() throws {
        let heard = Heard(Self.talk)
        let srt = """
            1
            00:10:00,000 --> 00:10:05,000
            Once upon a time there lived
            an old miller in the valley.

            2
            00:10:06,000 --> 00:10:06,500
            ♪ (music) ♪

            3
            00:10:07,000 --> 00:10:09,000
            He had three sons and a grey donkey.
            """
        let alignment = try align(srt, with: heard)
        let segments = alignment.transcript.segments
        #expect(segments.map(\.start) == [1, 8, 9])
        #expect(segments[1].end == 8.5)
        var options = SubtitleOptions()
        options.keepsSegments = true
        #expect(
            OutputFormat.srt.text(of: alignment.transcript, subtitles: options) == """
                1
                00:00:01,000 --> 00:00:07,000
                Once upon a time there lived
                an old miller in the valley.

                2
                00:00:08,000 --> 00:00:08,833
                ♪ (music) ♪

                3
                00:00:09,000 --> 00:00:13,000
                He had three sons and a grey donkey.


                """)
    }

    @Test("characters of scripts without blanks are matched one by one")
    func characters() throws {
        let text = "我今天早上去公园散步的时候看见了一只很大的白色的狗在追一只猫"
        let words = text.enumerated().map { index, character in
            TranscriptWord(
                word: String(character), start: Double(index) / 4, end: Double(index + 1) / 4, probability: 1)
        }
        let heard = Transcript(
            text: text, language: "zh", duration: 10,
            segments: [
                TranscriptSegment(id: 0, start: 0, end: 8, text: text, tokens: [], avgLogprob: 0, words: words)
            ])
        let script = try AlignmentScript(Array("我今天早上去公園散步的時候，看見了一只很大的白色的狗。\n在追一只猫！".utf8))
        let alignment = try Recognizer.align(script, heard: heard, near: nil, aligner: nil)
        #expect(alignment.transcript.segments.map(\.start) == [0, 6.25])
        #expect(alignment.transcript.segments[0].text == " 我今天早上去公園散步的時候，看見了一只很大的白色的狗。")
        #expect(alignment.omissions.isEmpty && alignment.additions.isEmpty)
    }

    @Test("a text of something else is refused")
    func other() throws {
        let heard = Heard(Self.talk)
        for text in [
            "The quarterly figures of the company were better than the board had expected in the spring of the year.",
            "Es war einmal ein alter Müller, der lebte mit seinen drei Söhnen in einem Tal am Rande des Waldes.",
            String(repeating: "the cat of the dog and a ", count: 3000),
        ] {
            #expect(throws: AlignmentError.self) { try align(text, with: heard) }
        }
        var silence = heard.transcript
        silence.segments = []
        #expect(throws: AlignmentError.noSpeech) {
            try Recognizer.align(AlignmentScript(Array("text".utf8)), heard: silence, near: nil, aligner: nil)
        }
    }

    @Test("a talk of eight hours with repetitions, and one chapter of a book, are matched in time")
    func long() throws {
        var random = SplitMix64(seed: 7)
        let vocabulary = (0..<3000).map { "w\($0)" }
        var said = (0..<60_000).map { _ in vocabulary[Int(random.next() % 3000)] }
        for start in stride(from: 1000, to: 59_000, by: 2000) {
            said.replaceSubrange(start..<start + 40, with: said[..<40])
        }
        let heard = Heard(said.joined(separator: " "))
        let whole = try align(said.joined(separator: " "), with: heard)
        #expect(words(whole).map(\.start) == heard.starts.map { ($0 * 100).rounded() / 100 })
        let chapter = try align(said[20_000..<21_000].joined(separator: " "), with: heard)
        #expect(words(chapter).map(\.start) == Array(heard.starts[20_000..<21_000]))
        // Nothing but one word.
        let same = Heard(Array(repeating: "la", count: 5000).joined(separator: " "))
        let song = try align(Array(repeating: "la", count: 5000).joined(separator: " "), with: same)
        #expect(song.spokenCount == 5000)
    }

    @Test("times are in order whatever is changed, and every word of the text is there")
    func random() throws {
        var random = SplitMix64(seed: 3)
        let source = Self.talk.split(separator: " ").map(String.init)
        for _ in 0..<200 {
            var text = source
            for _ in 0..<(random.next() % 8) {
                let place = Int(random.next() % UInt64(text.count))
                switch random.next() % 3 {
                case 0: text.remove(at: place)
                case 1: text.insert(["so", "perhaps", "—", "2", "x."][Int(random.next() % 5)], at: place)
                default: text[place] = source[Int(random.next() % UInt64(source.count))]
                }
            }
            let alignment = try align(text.joined(separator: " "), with: Heard(Self.talk))
            let found = words(alignment)
            #expect(found.map(\.word).joined() == " " + text.joined(separator: " "))
            #expect(found.allSatisfy { $0.start <= $0.end })
            let spoken = found.filter { $0.isSpoken == true && $0.probability > 0 }
            #expect(zip(spoken, spoken.dropFirst()).allSatisfy { $0.end <= $1.start + 1e-9 })
            #expect(alignment.spokenCount >= 20)
        }
    }
}
