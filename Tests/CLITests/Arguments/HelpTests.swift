import Foundation
import Testing

@Suite("Help")
struct HelpTests {
    @Test(
        "no line is longer than 100 columns",
        arguments: [
            "", "transcribe", "doctor", "completions", "history", "history list", "history show", "history export",
            "history search", "history delete", "history recover",
        ])
    func width(command: String) throws {
        let outcome = try Program.shell("whisper-local \(command) --help", in: Program.Scratch())
        #expect(outcome.status == 0)
        #expect(!outcome.output.isEmpty)
        for line in outcome.output.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    }
}
