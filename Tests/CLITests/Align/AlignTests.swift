import Foundation
import Testing

/// `align` as a user runs it, on a prompt of a human voice: "please enter the number you wish to call".
@Suite("Aligning a text")
struct AlignTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private func run(_ script: String) throws -> Program.Outcome {
        try Program.shell(
            "m=$WHISPER_LOCAL_MODELS/ct2-tiny.en; \(script)", in: scratch,
            environment: [
                "WHISPER_LOCAL_MODELS": RealVoices.models ?? "", "SPEECH": RealVoices.speech ?? "",
            ])
    }

    private func content(_ name: String) throws -> String {
        try String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)
    }

    @Test("what is no text is refused with its status, before the model is loaded")
    func hostile() throws {
        try scratch.write("empty.txt")
        try scratch.write("noise.txt", "\u{0}\u{1}")
        try scratch.write("cues.srt", "words without times")
        try scratch.write("bad.json", "{")
        for (arguments, status, text) in [
            ("", 64, "no recording given"), ("a.wav", 64, "no text given"), ("a b c", 64, "unexpected argument"),
            ("same same", 64, "one is the recording"), ("$CLIPS/say-00.wav none.txt", 66, "no such text: none.txt"),
            ("$CLIPS/say-00.wav empty.txt", 65, "empty.txt has no words"),
            ("$CLIPS/say-00.wav noise.txt", 65, "noise.txt is not text in UTF-8 (byte 0)"),
            ("text.txt $CLIPS/say-00.wav", 65, "name the recording first"),
            ("$CLIPS/say-00.wav cues.srt", 65, "cues.srt has no cues"),
            ("$CLIPS/say-00.wav bad.json", 65, "bad.json is not JSON"),
            ("--near -1 $CLIPS/say-00.wav empty.txt", 64, "--near"),
        ] {
            let outcome = try run("whisper-local align -m nano.en \(arguments)")
            #expect(outcome.status == status && outcome.output == "" && outcome.error.contains(text), "\(outcome)")
        }
    }

    @Test(
        "a text gets the times of a human voice; what differs is counted, and listed with --verbose",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func voice() throws {
        let prompt = "$SPEECH/en/vm-enter-num-to-call.wav"
        try scratch.write(
            "text.md", "# Please enter\n\nthe **number** you wish to phone\n\nNobody ever says this sentence here.\n")
        let outcome = try run("whisper-local align -m $m -f srt,json,vtt,ass \(prompt) text.md")
        #expect(outcome.status == 0 && outcome.error.contains("8 of 14 words of the text are said"), "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[0].hasSuffix("]  Please enter"), "\(outcome)")
        #expect(lines.last == "[not said]  Nobody ever says this sentence here.")
        let srt = try content("vm-enter-num-to-call.srt")
        #expect(srt.contains("Please enter") && !srt.contains("Nobody"), "\(srt)")
        #expect(try content("vm-enter-num-to-call.json").contains(#"{"word": " Nobody", "start": null, "end": null"#))
        #expect(try content("vm-enter-num-to-call.ass").contains("Dialogue: "))
        let verbose = try run("whisper-local align -v -m $m \(prompt) text.md")
        #expect(verbose.error.contains("not said: 'Nobody ever says this sentence here.'"), "\(verbose)")
    }

    @Test(
        "subtitles keep their cues, and are not replaced themselves; another talk's text is refused",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func subtitles() throws {
        let prompt = "$SPEECH/en/vm-enter-num-to-call.wav"
        try scratch.write(
            "vm-enter-num-to-call.srt",
            "1\n00:10:00,000 --> 00:10:05,000\nplease enter\nthe number\n\n2\n00:10:05,000 --> 00:10:09,000\nyou wish to call\n"
        )
        let refused = try run("whisper-local align -q -m $m -f srt \(prompt) vm-enter-num-to-call.srt")
        #expect(refused.status == 73 && refused.error.contains("vm-enter-num-to-call.srt"), "\(refused)")
        let outcome = try run("whisper-local align -q -m $m -f srt -o out \(prompt) vm-enter-num-to-call.srt")
        #expect(outcome == Program.Outcome(status: 0, output: "", error: ""))
        let cues = try content("out/vm-enter-num-to-call.srt").components(separatedBy: "\n\n")
        #expect(cues[0].hasPrefix("1\n00:00:0") && cues[0].hasSuffix("\nplease enter\nthe number"), "\(cues)")
        #expect(cues[1].hasSuffix("\nyou wish to call"), "\(cues)")
        for text in [
            "It was the best of times, it was the worst of times, it was the age of wisdom.",
            "Bitte geben Sie jetzt die Rufnummer Ihres Gesprächspartners ein.",
        ] {
            try scratch.write("other.txt", text)
            let other = try run("whisper-local align -m $m -f srt -o none/of/these \(prompt) other.txt")
            #expect(other.status == 65 && other.output == "", "\(other)")
            #expect(other.error.contains("does not seem to belong to"), "\(other)")
            #expect(!FileManager.default.fileExists(atPath: scratch.url.appending(path: "none").path))
        }
    }
}
