import Foundation
import Testing

@Suite("Speakers in output files")
struct SpeakerOutputTests {
    private func segment(
        _ speaker: String?, _ text: String, _ start: Double, _ end: Double, words: [TranscriptWord]? = nil
    ) -> TranscriptSegment {
        var segment = WriterFixture.segment(text, from: start, to: end, words: words)
        segment.speaker = speaker
        return segment
    }

    private func text(
        _ format: OutputFormat, _ segments: [TranscriptSegment],
        _ subtitles: SubtitleOptions = SubtitleOptions(style: .whisper)
    ) -> String {
        format.writer(WriterSettings(subtitles: subtitles)).text(of: WriterFixture.transcript(of: segments))
    }

    private func words(_ text: String, from start: Double) -> [TranscriptWord] {
        text.split(separator: " ").enumerated().map { index, word in
            TranscriptWord(
                word: " " + word, start: start + Double(index), end: start + Double(index) + 1, probability: 0.5)
        }
    }

    @Test(
        "every format names the speaker of each segment",
        arguments: [
            (OutputFormat.txt, "[speaker 1] Hello.\n[Ben, Dr.] Good day.\nBoth.\n"),
            (
                .srt,
                """
                1
                00:00:00,000 --> 00:00:02,000
                [speaker 1] Hello.

                2
                00:00:01,500 --> 00:00:03,000
                [Ben, Dr.] Good day.

                3
                00:00:03,000 --> 00:00:04,000
                Both.


                """
            ),
            (
                .vtt,
                """
                WEBVTT

                00:00.000 --> 00:02.000
                <v speaker 1>Hello.

                00:01.500 --> 00:03.000
                <v Ben, Dr.>Good day.

                00:03.000 --> 00:04.000
                Both.


                """
            ),
            (
                .tsv,
                "start\tend\tspeaker\ttext\n0\t2000\tspeaker 1\tHello.\n1500\t3000\tBen, Dr.\tGood day.\n"
                    + "3000\t4000\t\tBoth.\n"
            ),
            (
                .csv,
                """
                start,end,speaker,text
                0,2000,"speaker 1","Hello."
                1500,3000,"Ben, Dr.","Good day."
                3000,4000,"","Both."

                """
            ),
            (
                .lrc,
                "[by:whisper-local]\n[00:00.00] [speaker 1] Hello.\n[00:01.50] [Ben, Dr.] Good day.\n[00:03.00] Both.\n"
            ),
        ])
    func formats(format: OutputFormat, expected: String) {
        let segments = [
            segment("speaker 1", " Hello.", 0, 2), segment("Ben, Dr.", " Good day.", 1.5, 3),
            segment(nil, " Both.", 3, 4),
        ]
        #expect(text(format, segments) == expected)
    }

    @Test("JSON has the speaker and the language of a segment if it has them")
    func json() throws {
        var known = segment("Änne \"A\"", " Hello.", 0, 1)
        known.language = "de"
        var german = segment(nil, " Hello.", 0, 1)
        german.language = "de"
        #expect(
            text(.json, [known]).contains(#""no_speech_prob": 0.5, "speaker": "\u00c4nne \"A\"", "language": "de"}"#))
        #expect(text(.json, [german]).contains(#""no_speech_prob": 0.5, "language": "de"}"#))
        let plain = text(.json, [segment(nil, " Hello.", 0, 1)])
        #expect(plain.contains(#""no_speech_prob": 0.5}"#) && !plain.contains("speaker"))
    }

    @Test("RTTM has a line for each turn, or else for each segment with a speaker")
    func rttm() {
        let segments = [
            segment("speaker 1", " Hello.", 0, 2), segment("Ben, Dr.", " Good day.", 1.5, 3.0004),
            segment(nil, " Both.", 3, 4),
        ]
        var transcript = WriterFixture.transcript(of: segments)
        let writer = OutputFormat.rttm.writer(WriterSettings(recording: "my talk"))
        #expect(
            writer.text(of: transcript) == """
                SPEAKER my_talk 1 0.000 2.000 <NA> <NA> speaker_1 <NA> <NA>
                SPEAKER my_talk 1 1.500 1.500 <NA> <NA> Ben,_Dr. <NA> <NA>

                """)
        transcript.turns = [TranscriptTurn(start: 61.0625, end: 3661.5, speaker: "a\nb")]
        #expect(
            OutputFormat.rttm.text(of: transcript)
                == "SPEAKER recording 1 61.062 3600.438 <NA> <NA> a_b <NA> <NA>\n")
        transcript.turns = []
        #expect(OutputFormat.rttm.text(of: transcript).isEmpty)
    }

    @Test("JSON has the speaker of each word that has one")
    func jsonWords() {
        var spoken = words("one two", from: 0)
        spoken[0].speaker = "Anna"
        let text = text(.json, [segment("Anna", " one two", 0, 2, words: spoken)])
        #expect(text.contains(#""word": " one", "start": 0.0, "end": 1.0, "probability": 0.5, "speaker": "Anna"}"#))
        #expect(text.contains(#""word": " two", "start": 1.0, "end": 2.0, "probability": 0.5}"#))
    }

    @Test("a name cannot break out of its field or line, whatever it contains")
    func escaping() {
        let segments = [segment("a<b>&\"-->\n\r\t\u{2028}\u{1b}[2J", " Hello.", 0, 1)]
        #expect(text(.vtt, segments).hasSuffix("\n<v a&lt;b&gt;&amp;\"--&gt;     [2J>Hello.\n\n"))
        #expect(text(.srt, segments).hasSuffix("\n[a<b>&\"->     [2J] Hello.\n\n"))
        #expect(text(.csv, segments).hasSuffix("\n0,1000,\"a<b>&\"\"-->     [2J\",\"Hello.\"\n"))
        #expect(text(.tsv, segments).hasSuffix("\n0\t1000\ta<b>&\"-->     [2J\tHello.\n"))
        #expect(text(.txt, segments) == "[a<b>&\"-->     [2J] Hello.\n")
        #expect(text(.lrc, segments).hasSuffix("\n[00:00.00] [a<b>&\"-->     [2J] Hello.\n"))
    }

    @Test("a cue never contains two speakers, and the label counts for the width of a line that shows it")
    func cues() {
        let segments = [
            segment("Anna", " one two three four", 0, 4, words: words("one two three four", from: 0)),
            segment("Ben", " five six", 2, 4, words: words("five six", from: 2)),
            segment("Ben", " seven", 4, 5, words: words("seven", from: 4)),
        ]
        var options = SubtitleOptions()
        options.maxLineWidth = 14
        options.maxLineCount = 2
        let cues = SubtitleShaper(options: options).cues(of: WriterFixture.transcript(of: segments))
        #expect(cues.map(\.text) == ["[Anna] one two\nthree four", "[Ben] five six\nseven"])
        let tagged = SubtitleShaper(options: options, markup: .webVTT)
            .cues(of: WriterFixture.transcript(of: segments))
        #expect(tagged.map(\.text) == ["<v Anna>one two three\nfour", "<v Ben>five six seven"])
    }

    @Test("highlighted words keep the speaker in front")
    func highlighted() {
        let segments = [segment("Anna", " one two", 0, 2, words: words("one two", from: 0))]
        let options = SubtitleOptions(highlightWords: true)
        #expect(
            text(.vtt, segments, options) == """
                WEBVTT

                00:00.000 --> 00:01.000
                <v Anna><u>one</u> two

                00:01.000 --> 00:02.000
                <v Anna>one <u>two</u>


                """)
        #expect(text(.srt, segments, options).contains("[Anna] <u>one</u> two\n"))
    }

    @Test("a segment is encoded with its speaker, and without the key if it has none")
    func coding() throws {
        let named = segment("Anna", " Hello.", 0, 1)
        let data = try JSONEncoder().encode(named)
        #expect(try JSONDecoder().decode(TranscriptSegment.self, from: data) == named)
        let plain = try JSONEncoder().encode(segment(nil, " Hello.", 0, 1))
        #expect(!String(decoding: plain, as: UTF8.self).contains("speaker"))
    }
}
