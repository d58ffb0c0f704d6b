package import EngineModels
package import EngineWeights

/// A FastConformer recognizer in a file or folder of any format: sizes, vocabulary, and tensors under the names of a
/// Hugging Face folder.
package protocol ParakeetFile: StoredModel {
    var dimensions: ParakeetDimensions { get }
    var vocabulary: ParakeetVocabulary { get }
    /// How the layers of the prediction network are stored.
    var recurrence: RecurrenceLayout { get }
    /// The mel filters and the window that the model was trained with, if the file has them.
    var featureTables: [ParakeetFeatures.Table: WeightTensor] { get }
}

enum ParakeetFormats {
    /// What to use instead of a file that cannot be read.
    static let another =
        "use a Parakeet model with a TDT, RNN-T or CTC head: NVIDIA's .nemo or .gguf file, its Hugging Face folder, or "
        + "whisper.cpp's ggml file"
}

extension ParakeetFile {
    package var recurrence: RecurrenceLayout { .pyTorch }
    package var featureTables: [ParakeetFeatures.Table: WeightTensor] { [:] }
}

/// How the weights of an LSTM are stored.
package struct RecurrenceLayout: Hashable, Sendable {
    /// Where the input, forget, cell and output gates are among the four.
    package let gates: [Int]
    /// Whether there is one bias instead of two that are added.
    package let hasOneBias: Bool

    package static let pyTorch = RecurrenceLayout(gates: [0, 1, 2, 3], hasOneBias: false)

    package init(gates: [Int], hasOneBias: Bool) {
        self.gates = gates
        self.hasOneBias = hasOneBias
    }

    /// Where the biases of a layer are.
    func biases(layer: Int) -> [String] {
        hasOneBias ? ["decoder.lstm.bias_h_l\(layer)"] : ["ih", "hh"].map { "decoder.lstm.bias_\($0)_l\(layer)" }
    }
}
