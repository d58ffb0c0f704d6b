import EngineBasics
import EngineModels
import EngineWeights

/// What the sizes of a model that hears audio as it arrives have in addition.
///
/// Its encoder divides the frames into chunks. A frame sees its whole chunk, and of those before as many as fit into the
/// left context.
package struct StreamingDimensions: Hashable, Sendable {
    /// Frames before a chunk.
    package var leftContext: Int
    /// The frames after its own that the first frame of a chunk sees, for each length of chunks that the model was
    /// trained with; in ascending order.
    package var lookaheads: [Int]
    /// The language prompts; `nil` if the model has none.
    package var prompts: PromptDimensions?

    /// The frames before a chunk that it sees.
    package func past(lookahead: Int) -> Int { leftContext / (lookahead + 1) * (lookahead + 1) }

    /// The greatest distance of two frames that see each other.
    package var reach: Int { leftContext + (lookaheads.last ?? 0) }

    /// The longest look-ahead whose chunks are not longer than a number of seconds, or the shortest.
    ///
    /// - Parameter frame: the length of a frame.
    package func lookahead(within seconds: Double, frame: Double) -> Int {
        lookaheads.last { Double($0 + 1) * frame <= seconds } ?? lookaheads.first ?? 0
    }
}

/// Language prompts: one-hot vectors, each for a language or locale.
package struct PromptDimensions: Hashable, Sendable {
    /// The length of the vector, and the width of the layer after it.
    package var count: Int
    package var width: Int
    /// The index of the prompt for an unknown language.
    package var unknown: Int
    /// By locale, such as `en-US`, or language.
    package var numbers: [String: Int]

    /// The number of a language: its own, or the least of its countries.
    package func number(of code: String) -> Int? {
        numbers[code] ?? numbers.filter { $0.key.hasPrefix(code + "-") }.values.min()
    }
}

extension StreamingDimensions {
    static let contexts = 0...1000
    static let lookaheadRange = 0...99

    /// Reads those of NVIDIA's own files, which have the prompts, if any, under two names. They do not give the width of
    /// the layer after the prompt, which is twice that of the encoder.
    init(
        leftContext: Int, lookaheads: Set<Int>, promptCount: String, promptNumbers: String, width: Int,
        settings: NamedSettings
    ) throws(ModelError) {
        self.init(leftContext: leftContext, lookaheads: lookaheads.sorted())
        guard let count = settings.given(promptCount), count != .number("0") else { return }
        let limit = try settings.number(promptCount, in: PromptDimensions.counts)
        let numbers = try settings.promptNumbers(promptNumbers, below: limit)
        guard let unknown = numbers["auto"] else {
            throw settings.bad(promptNumbers, expected: "prompts with one for \"auto\"")
        }
        prompts = PromptDimensions(count: limit, width: 2 * width, unknown: unknown, numbers: numbers)
    }
}

extension PromptDimensions {
    static let counts = 1...4096
}

extension NamedSettings {
    /// The numbers of language prompts: an object, or a list of texts such as `en-US:0`.
    func promptNumbers(_ name: String, below count: Int) throws(ModelError) -> [String: Int] {
        var numbers: [String: Int] = [:]
        func add(_ language: String, _ number: Int?, shown: String) throws(ModelError) {
            guard let number, number < count else {
                throw .badSetting(path: path, key: language, found: shown, expected: "a number below \(count)")
            }
            numbers[language] = number
        }
        switch given(name) {
        case .object(let members):
            for member in members { try add(member.name, member.value.count, shown: member.value.shown) }
        case .array(let entries):
            for entry in entries {
                guard let text = entry.string, let colon = text.lastIndex(of: ":") else {
                    throw bad(name, expected: "a list of languages and numbers")
                }
                let number = text[text.index(after: colon)...]
                try add(String(text[..<colon]), JSONValue.number(String(number)).count, shown: String(number))
            }
        default: break
        }
        // Without any, the model would seem to know only English.
        guard numbers.keys.contains(where: { (try? Language($0)) != nil }) else {
            throw bad(name, expected: "languages and numbers")
        }
        return numbers
    }
}

extension ParakeetSettings {
    /// Reads the settings of a model that hears audio as it arrives.
    ///
    /// - Parameters:
    ///   - value: of `config.json`, `path`.
    ///   - encoder: its part for the encoder.
    static func streaming(
        _ value: JSONValue, encoder: JSONValue, path: FilePath
    ) throws(ModelError) -> StreamingDimensions {
        let processorPath = path.folder.appending("processor_config.json")
        let values = try JSONFile.readIfPresent(processorPath)
        let model = NamedSettings(path: path) { value[$0] }, encoder = NamedSettings(path: path) { encoder[$0] }
        let processor = NamedSettings(path: processorPath) { values?[$0] }
        let key = "supported_num_lookahead_tokens"
        let range = StreamingDimensions.lookaheadRange
        let standard = try encoder.number("default_num_lookahead_tokens", in: range, or: 13)
        let lookaheads = processor.given(key) == nil ? [standard] : try processor.counts(key)
        guard !lookaheads.isEmpty, lookaheads.allSatisfy(range.contains) else {
            throw processor.bad(key, expected: "a list of numbers below 100")
        }
        var streaming = StreamingDimensions(
            leftContext: try encoder.number("sliding_window", in: 1...1000, or: 71) - 1,
            lookaheads: Set(lookaheads).sorted())
        guard value["num_prompts"] != nil else { return streaming }
        let count = try model.number("num_prompts", in: PromptDimensions.counts)
        let numbers = try processor.promptNumbers("prompt_dictionary", below: count)
        streaming.prompts = PromptDimensions(
            count: count, width: try model.number("prompt_intermediate_size", in: 1...65_536),
            unknown: try model.number("default_prompt_id", in: 0...(count - 1)), numbers: numbers)
        return streaming
    }
}
