import Foundation
import Testing

/// A home with `micro` in the user's own folder and `base` in it and in openai-whisper's cache. The format is recognized by
/// content, so that a ggml file can stand for any.
struct ModelHome {
    let scratch: Program.Scratch

    init() throws {
        scratch = try Program.Scratch()
        let setUp = """
            mkdir -p "$HOME/.local/share/whisper-local/models" "$HOME/.cache/whisper"
            cp "$MODELS/ggml-micro.en.bin" "$HOME/.local/share/whisper-local/models/ggml-my micro.bin"
            ln "$HOME/.local/share/whisper-local/models/ggml-my micro.bin" "$HOME/.cache/whisper/small.en.pt"
            cp "$MODELS/ggml-micro-v3.bin" "$HOME/.cache/whisper/base.pt"
            ln "$HOME/.cache/whisper/base.pt" "$HOME/.local/share/whisper-local/models/ggml-base.bin"
            """
        let outcome = try Program.shell(setUp, in: scratch)
        #expect(outcome == Program.Outcome(status: 0, output: "", error: ""))
    }

    /// Runs a shell script; the path of the scratch folder in what it prints becomes `$PWD`.
    func run(_ script: String, environment: [String: String] = [:]) throws -> Program.Outcome {
        var outcome = try Program.shell(script, in: scratch, environment: environment)
        outcome.output = outcome.output.replacingOccurrences(of: scratch.url.path, with: "$PWD")
        outcome.error = outcome.error.replacingOccurrences(of: scratch.url.path, with: "$PWD")
        return outcome
    }

    func json(_ script: String) throws -> [String: Any] {
        let outcome = try Program.shell(script, in: scratch)
        #expect(outcome.status == 0 && outcome.error == "")
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }
}
