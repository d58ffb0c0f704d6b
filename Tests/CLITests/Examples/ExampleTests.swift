import Foundation
import Testing

/// The programs of `Examples/`, which see only the engine's public API.
@Suite("Example programs", .serialized)
struct ExampleTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    @Test("transcribe-file prints the segments of a recording")
    func file() throws {
        let outcome = try Program.shell("transcribe-file \"$MODEL\" \"$CLIPS/say-00.wav\"", in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(
            outcome.output == """
                  0.52    3.04   Turn the fan down to 5%.
                  3.62    5.46   Where did you put the short chair?

                """)
    }

    @Test("samples-to-srt turns samples from memory into subtitles")
    func samples() throws {
        let outcome = try Program.shell(
            "ffmpeg -v error -i \"$CLIPS/say-00.wav\" -f f32le -ac 1 -ar 16000 - | samples-to-srt \"$MODEL\"",
            in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first == "1")
        #expect(lines.contains { $0.hasPrefix("00:00:") && $0.contains(" --> ") })
        #expect(lines.suffix(2) == ["Turn the fan down to 5%. Where did you put", "the short chair?"])
    }

    @Test("live-captions shows volatile and final text from a microphone")
    func captions() async throws {
        let outcome = try await NullMicrophone.run(
            """
            recorded() { [ "$(pactl list short source-outputs | wc -l)" -ge 2 ]; }
            microphone mic
            live-captions "$MODEL" 8 & live=$!
            until_true recorded; paplay -d mic "$CLIPS/say-00.wav"; wait $live
            """, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        let lines = outcome.output.split(separator: "\n").map { $0.split(separator: "\r").last ?? "" }
        #expect(
            lines.suffix(2) == ["\u{1b}[K Turn the fan down to 5%.", "\u{1b}[K Where did you put the short chair?"],
            "\(outcome.output)")
        // Which words a pass sees depends on when the playback began.
        let shown = outcome.output.split(whereSeparator: \.isNewline)
        #expect(shown.contains { $0.hasPrefix("\u{1b}[K Turn the") && !$0.contains("5%") }, "\(outcome.output)")
    }

    @Test(
        "without arguments each program shows its usage",
        arguments: ["transcribe-file", "live-captions", "samples-to-srt"])
    func usage(program: String) throws {
        let outcome = try Program.shell("\(program) </dev/null", in: scratch)
        #expect(outcome.status == 64)
        #expect(outcome.output.hasPrefix("usage: \(program) MODEL"))
    }
}
