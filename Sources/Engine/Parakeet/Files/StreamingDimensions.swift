import EngineBasics
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
        let processor = try JSONFile.readIfPresent(processorPath)
        func number(_ settings: JSONValue?, _ key: String, in range: ClosedRange<Int>, default other: Int? = nil)
            throws(ModelError) -> Int
        {
            let found = settings?[key] ?? other.map { .number("\($0)") }
            guard let count = found?.count, range.contains(count) else {
                throw .badSetting(
                    path: path, key: key, found: found?.shown ?? "missing",
                    expected: "\(range.lowerBound) to \(range.upperBound)")
            }
            return count
        }
        let standard = try number(encoder, "default_num_lookahead_tokens", in: 0...99, default: 13)
        let key = "supported_num_lookahead_tokens", supported = processor?[key]
        let lookaheads = supported == nil ? [standard] : supported?.counts ?? []
        guard !lookaheads.isEmpty, lookaheads.allSatisfy({ $0 < 100 }) else {
            throw .badSetting(
                path: processorPath, key: key, found: supported?.shown ?? "missing",
                expected: "a list of numbers below 100")
        }
        var streaming = StreamingDimensions(
            leftContext: try number(encoder, "sliding_window", in: 1...1000, default: 71) - 1,
            lookaheads: Set(lookaheads).sorted())
        guard value["num_prompts"] != nil else { return streaming }
        let count = try number(value, "num_prompts", in: 1...4096)
        var numbers: [String: Int] = [:]
        if case .object(let members)? = processor?["prompt_dictionary"] {
            for member in members {
                guard let index = member.value.count, index < count else {
                    throw .badSetting(
                        path: processorPath, key: member.name, found: member.value.shown,
                        expected: "a number below \(count)")
                }
                numbers[member.name] = index
            }
        }
        streaming.prompts = PromptDimensions(
            count: count, width: try number(value, "prompt_intermediate_size", in: 1...65_536),
            unknown: try number(value, "default_prompt_id", in: 0...(count - 1)), numbers: numbers)
        return streaming
    }
}
