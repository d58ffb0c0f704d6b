import Foundation
import Testing

/// The README's commands, pasted one after another.
@Suite("README")
struct ReadmeTests {
    private static let root = Fixtures.folder.appending(path: "../../..").standardizedFileURL

    @Test(
        "every command works as it stands, with nothing installed but what set-up installs",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func commands() throws {
        let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let blocks = text.split(separator: "```sh\n").dropFirst().compactMap { $0.split(separator: "\n```").first }
        let lines = blocks.flatMap { $0.split(separator: "\n").map(String.init) }
        // Set-up comes first, and then says where the program is.
        #expect(lines.prefix(2) == ["scripts/setup.sh", "export PATH=\"$HOME/.local/bin:$PATH\""])
        // What plays in real time, and what is about the sessions that this leaves, takes too long.
        let commands = lines.dropFirst(2).filter { !$0.contains("-local live") && !$0.contains("-local history") }
        #expect(commands.count > 10)
        let folder = ".home/.local/share/whisper-local/models"
        // `base` stands for the download, which is then found installed.
        let outcome = try Program.shell(
            """
            mkdir -p \(folder)
            for name in tiny.en base; do ln -s "$OWN/ct2-$name" \(folder)/$name; done
            ln -s "$OWN"/*.safetensors \(folder)
            cd "$ROOT"
            while read -r line; do
                bash -c "$line" </dev/null >"$HOME/output" 2>&1 && [ -s "$HOME/output" ] || { echo "$line"; cat "$HOME/output"; }
            done <<'END'
            \(commands.joined(separator: "\n"))
            END
            ls "$HOME/subtitles"
            """, in: Program.Scratch(), environment: ["OWN": RealVoices.models ?? "", "ROOT": Self.root.path])
        #expect(outcome.output == "please-hold.ass\nplease-hold.srt\nplease-hold.txt\nplease-hold.vtt\n", "\(outcome)")
    }
}
