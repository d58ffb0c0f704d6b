import EngineBasics
package import EngineCompute
package import EngineModels

extension ParakeetFile {
    package var traits: ModelTraits { ModelTraits(dimensions, vocabulary) }

    package func memory(_ options: ComputeOptions) -> Int {
        ParakeetMemory.bytes(for: self, computeType: options.resolvedType)
    }

    package func load(_ options: ComputeOptions) throws -> any SpeechModel {
        try ParakeetModel.load(self, options: options)
    }

    package var details: ModelDetails {
        let d = dimensions
        let numbers = [
            ("num_mel_bins", d.bands), ("vocab_size", d.choices), ("num_hidden_layers", d.layers),
            ("hidden_size", d.width), ("num_attention_heads", d.heads), ("intermediate_size", d.feedForward),
            ("num_decoder_layers", d.predictionLayers), ("decoder_hidden_size", d.prediction),
        ]
        let decoder =
            d.head == .ctc ? "" : ", \(Counted.text(d.predictionLayers, "layer")), width \(d.prediction)"
        return ModelDetails(
            rows: [
                ("encoder", "\(Counted.text(d.layers, "layer")), \(Counted.text(d.heads, "head")), width \(d.width)"),
                ("decoder", d.head.name + decoder), ("mel bands", "\(d.bands)"),
                ("vocabulary", "\(d.vocabulary) tokens"),
            ],
            members: [
                ("decoder", JSONText.string(d.head.name)),
                ("dimensions", JSONText.object(numbers.map { ($0.0, "\($0.1)") })),
            ])
    }
}

extension ParakeetHead {
    fileprivate var name: String {
        switch self {
        case .ctc: "CTC"
        case .rnnt: "RNN-T"
        case .tdt: "TDT"
        }
    }
}
