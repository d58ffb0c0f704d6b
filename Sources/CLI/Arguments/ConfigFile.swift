package import WhisperEngine

/// The config file: options as on the command line, one per line, and `#` comments. They apply before the options on
/// the command line, each to the commands that have it.
package struct ConfigFile: Sendable {
    /// The largest accepted file, in bytes.
    static let maxSize = 64 * 1024

    /// `nil` if neither `XDG_CONFIG_HOME` nor `HOME` is an absolute path.
    package let path: FilePath?

    package init(environment: ProcessEnvironment) {
        path = environment.configFolder?.appending("config")
    }

    /// A line that sets an option.
    package struct Line: Equatable {
        let number: Int
        /// The line as one command-line argument.
        package let argument: [UInt8]
        package let text: String
    }

    /// The lines that set options; none if the file does not exist.
    package func lines() throws(ConfigError) -> [Line] {
        guard let path else { return [] }
        let contents: [UInt8]
        switch FileSystem.contents(of: path, atMost: Self.maxSize) {
        case .success(let bytes): contents = bytes
        case .failure(.missing): return []
        case .failure(.notPermitted): throw .notPermitted(file: path)
        case .failure(.tooLarge): throw .tooLarge(file: path)
        case .failure: throw .unreadable(file: path)
        }
        var lines: [Line] = []
        for (index, bytes) in contents.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            guard UTF8Text.firstInvalidByte(bytes) == nil, !bytes.contains(0) else {
                throw .notText(file: path, line: index + 1)
            }
            let line = Self.trimmed(bytes)
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            lines.append(
                Line(number: index + 1, argument: Self.argument(line), text: String(decoding: line, as: UTF8.self)))
        }
        return lines
    }

    /// Applies the file's lines to `options`, skipping options that only other commands have.
    ///
    /// - Throws: for an option that no command has, or an invalid value.
    package func apply<Options>(_ flags: [Flag<Options>], to options: inout Options) throws(ConfigError) {
        guard let path else { return }
        let entries = flags.map(\.entry)
        let all = Commands.all.flatMap { $0.entries }
        for line in try lines() {
            do throws(UsageError) {
                let parsed = try Parser.parse([line.argument], entries: all, others: [])
                guard parsed.operands.isEmpty, let setting = parsed.settings.first,
                    all[setting.flag].group != .general
                else { throw UsageError.unknownOption(Array(line.text.utf8), nearest: nil) }
                guard let index = Parser.index(of: all[setting.flag].name, in: entries) else { continue }
                try flags[index].set(setting.value, &options)
            } catch {
                var instead = ConfigLine.corrected(line.text)
                // Another command may accept the value that this one does not.
                if let option = instead, Array(option.utf8) == line.argument { instead = nil }
                throw .badLine(file: path, line: line.number, error, instead: instead)
            }
        }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, isBlank(last) { line.removeLast() }
        return line.drop(while: isBlank)
    }

    /// Turns `--language de` into `--language=de`, and leaves a line with `=` before its first blank unchanged.
    private static func argument(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let name = line.prefix { !isBlank($0) && $0 != UInt8(ascii: "=") }
        let rest = line.dropFirst(name.count)
        guard let next = rest.first, isBlank(next) else { return Array(line) }
        return Array(name) + [UInt8(ascii: "=")] + trimmed(rest)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
