import WhisperEngine

/// Settings that last: options as on the command line, one per line, `#` comments. They apply before the command
/// line's own, each to the commands that know it.
struct ConfigFile: Sendable {
    /// Bytes of the largest file taken.
    static let largestSize = 64 * 1024

    /// `nil` where neither `XDG_CONFIG_HOME` nor `HOME` is an absolute path.
    let path: FilePath?

    init(environment: ProcessEnvironment) {
        path = environment.baseFolder("XDG_CONFIG_HOME", fallback: ".config")?
            .appending("whisper-local").appending("config")
    }

    /// A line that sets something.
    struct Line: Equatable {
        let number: Int
        let word: [UInt8]
        let text: String
    }

    /// The lines that set something; none where there is no file.
    func lines() throws(ConfigError) -> [Line] {
        guard let path else { return [] }
        let bytes: [UInt8]
        switch FileSystem.contents(of: path, atMost: Self.largestSize) {
        case .success(let found): bytes = found
        case .failure(.missing): return []
        case .failure(.notPermitted): throw .notPermitted(file: path)
        case .failure(.tooLarge): throw .tooLarge(file: path)
        case .failure: throw .unreadable(file: path)
        }
        var lines: [Line] = []
        for (index, bytes) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            guard TextSyntax.firstInvalidByte(bytes) == nil, !bytes.contains(0) else {
                throw .notText(file: path, line: index + 1)
            }
            let line = Self.trimmed(bytes)
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            lines.append(
                Line(number: index + 1, word: Self.joined(line), text: String(decoding: line, as: UTF8.self)))
        }
        return lines
    }

    /// Sets what the file holds of these flags. An option that no command knows is an error, as is a bad value.
    func apply<Options>(_ flags: [Flag<Options>], to options: inout Options) throws(ConfigError) {
        guard let path else { return }
        let entries = flags.map(\.entry)
        let all = Commands.all.flatMap { $0.entries }
        for line in try lines() {
            do throws(UsageError) {
                let known = try Parser.line([line.word], entries: all, others: [])
                guard known.operands.isEmpty, let setting = known.settings.first,
                    all[setting.flag].group != .general
                else { throw UsageError.unknownOption(Array(line.text.utf8), nearest: nil) }
                guard let index = Parser.index(of: all[setting.flag].name, in: entries) else { continue }
                try flags[index].set(setting.value, &options)
            } catch {
                throw .badLine(file: path, line: line.number, error)
            }
        }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, isBlank(last) { line.removeLast() }
        return line.drop(while: isBlank)
    }

    /// `--language de` as the one word `--language=de`; what has a `=` before its first blank stays.
    private static func joined(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let name = line.prefix { !isBlank($0) && $0 != UInt8(ascii: "=") }
        let rest = line.dropFirst(name.count)
        guard let next = rest.first, isBlank(next) else { return Array(line) }
        return name + [UInt8(ascii: "=")] + trimmed(rest)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
