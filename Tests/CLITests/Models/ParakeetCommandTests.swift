import Foundation
import Testing

/// The commands for models, with a small Parakeet model in the user's own folder.
@Suite("Commands with a Parakeet model")
struct ParakeetCommandTests {
    private let home: ModelHome

    init() throws {
        home = try ModelHome()
        try FileManager.default.copyItem(
            at: Fixtures.folder.appending(path: "../parakeet/tdt/model").standardizedFileURL,
            to: home.scratch.url.appending(path: ".home/.local/share/whisper-local/models/parakeet"))
    }

    private func lines(_ command: String) throws -> [String] {
        let outcome = try home.run("whisper-local \(command)")
        #expect(outcome.status == 0 && outcome.error == "")
        return outcome.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test("list, info and verify know it by its name")
    func models() throws {
        #expect(
            try lines("models list").contains {
                $0.hasPrefix("parakeet ") && $0.hasSuffix(" 4 languages f16 your own folder")
            })
        let info = try lines("models info parakeet")
        for line in [
            "name parakeet", "found in your own folder", "format Hugging Face", "type f16", "languages 4 languages",
            "encoder 2 layers, 4 heads, width 32", "decoder TDT, 2 layers, width 32", "mel bands 128",
            "vocabulary 256 tokens",
        ] { #expect(info.contains(line), "\(line)") }
        let json = try home.json("whisper-local models info --json parakeet")
        #expect(json["decoder"] as? String == "TDT")
        #expect((json["dimensions"] as? [String: Int])?["hidden_size"] == 32)
        #expect(try lines("models verify parakeet").first?.hasPrefix("parakeet: ok, ") == true)
    }

    @Test("bench measures it, and transcribe refuses what only Whisper can do")
    func others() throws {
        let json = try home.json("whisper-local bench --json --rounds 1 --threads 1 --model parakeet")
        #expect((json["encode_ms"] as? Double ?? 0) > 0)
        let refused = try home.run("whisper-local transcribe --model parakeet --best-of 3 $CLIPS/say-03.wav")
        #expect(refused.status == 64 && refused.error.contains("--best-of"))
    }

    @Test("transcribe says what it cannot do, and what it does with a language")
    func refusals() throws {
        for (options, status, text) in [
            ("--language fr", 0, "parakeet finds the language by itself; French is only noted"),
            ("--language ja", 64, "japanese"), ("--translate", 64, "Parakeet models cannot translate"),
            ("--preset openai-whisper", 64, "no use for --preset"),
        ] {
            let outcome = try home.run("whisper-local transcribe --model parakeet \(options) $CLIPS/say-03.wav")
            #expect(outcome.status == status && outcome.error.contains(text), "\(outcome)")
        }
        let transcribe = "whisper-local transcribe --quiet --model parakeet --language fr"
        let json = try home.json("\(transcribe) -f json -o . $CLIPS/say-03.wav && cat say-03.json")
        #expect(json["language"] as? String == "fr")
    }

    @Test(
        "transcribe uses it without a name if it suits the options",
        arguments: [
            ("", true), ("--language en", true), ("--language ja", false), ("--best-of 3", false),
            ("--model nano.en", false),
        ])
    func preferred(options: String, isUsed: Bool) throws {
        let outcome = try home.run(
            "whisper-local transcribe \(options) $CLIPS/say-03.wav", environment: ["WHISPER_LOCAL_MODEL": ""])
        let note = "note: using the model parakeet; --model chooses another\n"
        #expect(outcome.error.contains(note) == isUsed, "\(outcome)")
        #expect(outcome.status == 0 || options.hasSuffix("ja"), "\(outcome)")
    }

    @Test("without a name, a damaged model is passed over with a warning, and one of another program without")
    func damaged() throws {
        let transcribe = "whisper-local transcribe \"$CLIPS/say-01.wav\""
        let unset = ["WHISPER_LOCAL_MODEL": ""]
        let outcome = try home.run(
            """
            cd "$HOME/.local/share/whisper-local/models"; printf 'GGUF\\003' | cat - /dev/zero | head -c 24 >llama.gguf
            head -c 100000 "$MODELS/../parakeet/tdt/q8_0.gguf" >other.gguf; \(transcribe)
            rm -r parakeet; \(transcribe); whisper-local transcribe -q "$CLIPS/say-01.wav"
            """, environment: unset)
        let warning =
            "warning: $PWD/.home/.local/share/whisper-local/models/other.gguf is truncated: it ends after 100000 of "
            + "152096 bytes; it is not used (download it again; it is damaged or incomplete)\n"
        #expect(
            outcome.error.hasPrefix(warning + "note: using the model parakeet; --model chooses another\n" + warning),
            "\(outcome)")
        #expect(outcome.error.components(separatedBy: "other.gguf").count == 3, "\(outcome)")
        #expect(outcome.error.contains("note: nano.en is only a demonstration"), "\(outcome)")
    }
}
