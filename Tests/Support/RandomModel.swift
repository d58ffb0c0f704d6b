package import EngineCompute
package import EngineWhisper

/// A small model with random weights, its tokenizer, and a decoder with the reference's window.
package struct RandomModel {
    package static let backends = NetworkFixture.backends.filter { $0 != .reference }

    package let model: WhisperModel
    package let tokenizer: Tokenizer
    package let decoder: TextDecoder

    package init(_ name: String, _ backend: ComputeOptions.Backend, rows: Int = 5) throws {
        model = try NetworkFixture.model(name, backend)
        tokenizer = model.tokenizer
        decoder = try TextDecoder(model, maxRows: rows)
        decoder.attend(to: try AudioEncoder(model).encode(try NetworkFixture.window(name)))
    }

    /// The language for the start sequence and word splitting; `nil` for English-only vocabularies.
    package func language(_ code: String?) -> String? { model.dimensions.isMultilingual ? code : nil }

    /// Two clips with 31 s of silence after the first, the first clip again, and 2 s of silence.
    package static func composedSignal() throws -> [Float] {
        let fox = try MelFixture.samples("mel/espeak-fox.wav"), nine = try MelFixture.samples("mel/espeak-nine.wav")
        return fox + [Float](repeating: 0, count: 31 * 16_000) + nine + fox + [Float](repeating: 0, count: 2 * 16_000)
    }
}
