import WhisperEngine

/// The file of `--report`: a line of JSON for each input, added when the input is done.
final class ReportFile: Sendable {
    /// What became of an input.
    struct Line {
        enum Outcome: String {
            case done, skipped, failed
            /// The run ended before the input was done.
            case stopped
        }

        let path: FilePath
        var outcome: Outcome
        /// The SHA-256 digest of the file in hexadecimal; `nil` if it was not read, or is not a file.
        var digest: String?
        /// Seconds of audio.
        var duration: Double?
        /// Seconds that it took.
        var seconds = 0.0
        var words: Int?
        var error: String?
    }

    private let path: FilePath
    private let descriptor: Int32

    /// Opens or creates the file. If its last line is incomplete, because a run was killed, a new line begins.
    init(_ path: FilePath) throws(OutputError) {
        self.path = path
        do { descriptor = try DiskAccess.openForAppending(path) } catch { throw error.outputError(at: path) }
        guard let file = try? ReadOnlyFile(path), file.count > 0,
            let last = try? file.bytes(file.count - 1..<file.count), last != [UInt8(ascii: "\n")]
        else { return }
        try write("\n")
    }

    deinit { try? DiskAccess.close(descriptor) }

    func add(_ line: Line, provenance: Provenance?) throws(OutputError) {
        let text = JSONText.object([
            ("path", Self.text(of: line.path)), ("sha256", JSONText.string(line.digest)),
            ("duration", line.duration.map { JSONText.number($0) } ?? "null"),
            ("seconds", JSONText.number(line.seconds)), ("model", JSONText.string(provenance?.model)),
            ("options", JSONText.string(provenance?.options)),
            ("vocabulary", JSONText.string(provenance?.vocabulary)), ("words", line.words.map { "\($0)" } ?? "null"),
            ("outcome", JSONText.string(line.outcome.rawValue)), ("error", JSONText.string(line.error)),
        ])
        try write(text + "\n")
    }

    /// In one call, so that lines of several writers do not mix.
    private func write(_ text: String) throws(OutputError) {
        do { try DiskAccess.write(Array(text.utf8), to: descriptor) } catch { throw error.outputError(at: path) }
    }

    /// The path as a JSON string. A byte that is not UTF-8 becomes `\udc80` to `\udcff`, which Python's `os.fsencode`
    /// turns into that byte again.
    static func text(of path: FilePath) -> String {
        var text = ""
        var rest = path.bytes[...]
        while let bad = UTF8Text.firstInvalidByte(rest) {
            let index = rest.startIndex + bad
            text += JSONText.string(String(decoding: rest[..<index], as: UTF8.self)).dropFirst().dropLast()
            text += "\\udc" + String(rest[index], radix: 16)
            rest = rest[(index + 1)...]
        }
        text += JSONText.string(String(decoding: rest, as: UTF8.self)).dropFirst().dropLast()
        return "\"\(text)\""
    }
}

extension Transcript {
    /// How many words the text has.
    var wordCount: Int { text.split(whereSeparator: \.isWhitespace).count }
}
