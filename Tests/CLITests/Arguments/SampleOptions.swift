import WhisperEngine
import WhisperCommands

/// A small command's options, one of each kind, under names that real commands have too.
struct SampleOptions: OptionValues, Equatable {
    enum Shade: String, CaseIterable, Sendable { case light, dark }

    var given: Set<String> = []
    var isQuiet = false
    var timesWords = false
    var threads = 5
    var beamSize: Int?
    var temperature = 0.5
    var patience: Double?
    var prompt: String?
    var folder: FilePath?
    var color = Shade.light
    var offset: Double?

    static let flags: [Flag<SampleOptions>] = [
        .toggle("--quiet", "-q", in: .output, "only errors", sets: \.isQuiet, to: true),
        .boolean("--word-timestamps", in: .words, "time words", sets: \.timesWords),
        .integer("--threads", "-t", in: .model, "number of threads", range: 1...8, sets: \.threads),
        .optionalInteger("--beam-size", in: .decoding, "beam size", range: 1...100, sets: \.beamSize),
        .number("--temperature", in: .decoding, "sampling temperature", NumberRange(0...1), sets: \.temperature),
        .optionalNumber("--patience", in: .decoding, "patience", .above(0), sets: \.patience),
        .text("--initial-prompt", nil, "TEXT", in: .decoding, "prompt", example: "Names", sets: \.prompt),
        .path("--output-dir", "-o", "DIR", in: .output, "folder", example: "out", offers: .folders, sets: \.folder),
        .choice("--color", in: .output, "colors", sets: \.color),
        .time("--offset", in: .audio, "skip to this time", example: "1:30", sets: \.offset),
    ]

    static func parse(_ arguments: [String]) throws(UsageError) -> Parser.Line {
        try Parser.parse(
            arguments.map { Array($0.utf8) }, entries: flags.map(\.entry),
            others: [("live", [stepFlag.entry]), ("bench", [stepFlag.entry])])
    }

    private static let stepFlag: Flag<SampleOptions> =
        .number("--step", in: .listening, "step", .from(0), sets: \.temperature)

    /// The options that these arguments set.
    static func of(_ arguments: String...) throws -> SampleOptions {
        try Parser.options(try parse(arguments), flags: flags) { _ in }
    }

    /// The values by option name, in order.
    static func values(_ arguments: String...) throws -> [String] {
        try parse(arguments).settings.map {
            "\(flags[$0.flag].entry.name)=\(String(decoding: $0.value, as: UTF8.self))"
        }
    }

    static func operands(_ arguments: String...) throws -> [String] {
        try parse(arguments).operands.map { String(decoding: $0, as: UTF8.self) }
    }
}
