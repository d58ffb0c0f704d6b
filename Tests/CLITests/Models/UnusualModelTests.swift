import Foundation
import TestModels
import Testing

@Suite("Models in the wrong place")
struct UnusualModelTests {
    @Test(
        "weights of every format given as a recording are recognized", arguments: ["ggml", "pt", "safetensors", "ct2"])
    func recording(format: String) throws {
        let scratch = try Program.Scratch()
        let model = PlainModel.tiny(width: 1)
        let files: [String: (bytes: [UInt8], kind: String)] = [
            "ggml": (GGMLContents(width: 1).bytes, "ggml"), "ct2": (CTranslate2Contents(model).bytes, "CTranslate2"),
            "pt": (PyTorchContents(GGMLContents(width: 1)).bytes, "PyTorch"),
            "safetensors": ([UInt8](HuggingFaceContents(model).safetensors()), "safetensors"),
        ]
        let file = try #require(files[format])
        try Data(file.bytes).write(to: scratch.url.appending(path: "a.wav"))
        let outcome = try Program.shell("whisper-local transcribe a.wav", in: scratch)
        #expect(outcome.status == 65)
        #expect(outcome.error.contains("a model (\(file.kind) weights), not a recording"), "\(outcome.error)")
    }

    @Test(
        "a recognition model given as a voice activity model is identified and rejected",
        arguments: ["bin", "pt", "safetensors"])
    func voiceActivity(ending: String) throws {
        let scratch = try Program.Scratch(), model = PlainModel.tiny(width: 1)
        let files: [String: (bytes: [UInt8], part: String)] = [
            "bin": (GGMLContents(width: 1).bytes, "it is a ggml model"),
            "pt": (PyTorchContents(GGMLContents(width: 1)).bytes, "it is a ZIP archive"),
            "safetensors": ([UInt8](HuggingFaceContents(model).safetensors()), "missing"),
        ]
        let file = try #require(files[ending])
        try Data(file.bytes).write(to: scratch.url.appending(path: "model.\(ending)"))
        let outcome = try Program.shell(
            "whisper-local transcribe --vad-filter --vad-model ./model.\(ending) \"$CLIPS/say-00.wav\"", in: scratch)
        #expect(outcome.status == 65 && outcome.error.contains(file.part), "\(outcome.error)")
    }

    @Test(
        "a network that overflows is reported at once, whatever the search",
        arguments: ["", "--beam-size 1", "--batch-size 2"])
    func overflow(options: String) throws {
        let outcome = try Program.shell(
            """
            python3 "$FIXTURES/model.py" "$MODEL" damaged.bin 4 4 overflow
            whisper-local transcribe -m ./damaged.bin -f txt -o out \(options) "$CLIPS/say-00.wav"; status=$?; ls -A out 2>&-; exit $status
            """, in: Program.Scratch())
        #expect(outcome.status == 65 && outcome.output == "", "\(outcome.output)")
        #expect(
            outcome.error == """
                error: the model computes scores that are not numbers, so its weights are damaged
                try: download it again

                """)
    }

    @Test("a read-only model in a folder that cannot be written is used")
    func readOnly() throws {
        let outcome = try Program.shell(
            """
            mkdir disc; cp "$MODEL" disc/nano.bin; chmod 444 disc/nano.bin; chmod 555 disc
            $UNPRIVILEGED whisper-local transcribe -m disc/nano.bin --no-timestamps "$CLIPS/say-00.wav"
            status=$?; ls disc; chmod 755 disc; exit $status
            """, in: Program.Scratch())
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output.contains("Turn the fan down") && outcome.output.hasSuffix("\nnano.bin\n"))
    }
}
