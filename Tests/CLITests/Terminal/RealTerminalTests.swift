import Foundation
import Testing
import WhisperEngine
import WhisperCommands

/// Live transcripts in tmux, and on the terminal that the library pyte emulates.
@Suite("Live in real terminals", .serialized)
struct RealTerminalTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private struct Pane: Decodable {
        var status: Int?
        /// History and screen, without trailing blanks.
        var rows: [String]
        /// The same as it is copied: wrapped rows joined.
        var lines: [String]?

        /// The copied lines without blanks, some of which only fill rows.
        var text: [String] { (lines ?? []).map(RealTerminalTests.withoutBlanks) }
    }

    private static func withoutBlanks(_ text: String) -> String { text.filter { $0 != " " } }

    private func pane(_ command: String, files: [String: String] = [:]) throws -> Pane {
        for (name, text) in files { try scratch.write(name, text) }
        let outcome = try Program.shell(command, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        return try JSONDecoder().decode(Pane.self, from: Data(outcome.output.utf8))
    }

    /// What a live transcript writes to a terminal while its text arrives in portions.
    private static func drawn(_ utterances: [String], columns: Int, rows: Int, status: String = "") -> String {
        let size = TerminalSize(columns: columns, rows: rows)
        var screen = LiveScreen(size: size, style: .dim)
        var output = ""
        for (index, utterance) in utterances.enumerated() {
            var rest = Substring(" " + utterance)
            while !rest.isEmpty {
                screen.show(status: status.isEmpty ? "" : "\(status) \(rest.count)")
                screen.show(volatile: String(rest.prefix(30)), utterance: index)
                output += screen.redraw(size: size).safe
                screen.append(String(rest.prefix(7)), utterance: index)
                rest = rest.dropFirst(7)
                output += screen.redraw(size: size).safe
            }
        }
        return output + screen.leave(size: size).safe
    }

    private static let texts = [
        "It was cold, but not as cold as the winter in which the pond froze and the children skated on it for weeks.",
        "Donaudampfschifffahrtsgesellschaftskapitän is one word.",
        "東京は日本の首都で、世界でも有数の大都市です。人口は約千四百万人です。",
        "mixed 日本語 and English 한국어 text, with café and naïve in it",
    ]

    /// Whether every word that a row could hold is on one row.
    private static func keepsWords(_ rows: [String], _ texts: [String], columns: Int) -> Bool {
        let words = texts.flatMap { $0.split(separator: " ") }.filter { DisplayWidth.columns(of: String($0)) < columns }
        let shown = Set(rows.flatMap { $0.split(separator: " ") })
        return words.allSatisfy { shown.contains($0) }
    }

    @Test("rows end between words and show wide characters whole", arguments: [(40, 10), (21, 4), (7, 6)])
    func pyte(columns: Int, rows: Int) throws {
        let output = Self.drawn(Self.texts, columns: columns, rows: rows, status: "listening")
        let pane = try pane("in-pyte \(columns) \(rows) < output", files: ["output": output])
        #expect(Self.keepsWords(pane.rows, Self.texts, columns: columns), "\(pane.rows)")
        #expect(Self.withoutBlanks(pane.rows.joined()) == Self.withoutBlanks(Self.texts.joined()), "\(pane.rows)")
        var terminal = TerminalEmulator(columns: columns, rows: rows)
        terminal.write(output)
        #expect(terminal.allRows == pane.rows)
    }

    @Test(
        "tmux copies an utterance as one line, in a tall window and in a low one",
        arguments: [(40, 10), (21, 4), (7, 6)])
    func copied(columns: Int, rows: Int) throws {
        let output = Self.drawn(Self.texts, columns: columns, rows: rows, status: "listening")
        let pane = try pane("in-tmux \(columns) \(rows) -- cat output", files: ["output": output])
        #expect(pane.text == Self.texts.map(Self.withoutBlanks), "\(pane.rows)")
        #expect(Self.keepsWords(pane.rows, Self.texts, columns: columns), "\(pane.rows)")
    }

    @Test(
        "in tmux a live transcript leaves nothing but its lines, from the top of the screen and however it is resized")
    func flood() throws {
        _ = try Program.shell(
            "for f in 0 1 2 3 4 5 6 7; do tail -c +45 \"$CLIPS/say-0$f.wav\"; done > talk.raw", in: scratch)
        let command =
            "whisper-local live -q --no-timestamps --raw s16le:16000:1 --speed 4 --deterministic --file talk.raw"
        let plain = try Program.shell(command.replacing("--speed 4", with: "--speed max"), in: scratch)
        let expected = plain.output.split(separator: "\n").map(String.init)
        // Not quiet, so that there is a status line.
        let pane = try pane(
            "in-tmux 40 8 see:5% size:60x8 wait:0.5 size:30x8 wait:0.5 size:45x5 wait:0.5 size:40x12 -- "
                + command.replacing(" -q", with: ""))
        #expect(pane.status == 0)
        let greeting = Program.greeting.split(separator: "\n").map(String.init)
        // On a slow machine, recognition lags.
        let text = pane.text.filter { !$0.hasPrefix("warning:recognitionis") }
        #expect(text.joined() == (greeting + expected).map(Self.withoutBlanks).joined(), "\(pane.rows)")
        #expect(!pane.rows.contains { $0.contains("lag ") }, "\(pane.rows)")
    }
}
