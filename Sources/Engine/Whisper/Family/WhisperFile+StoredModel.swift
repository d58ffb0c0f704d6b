import EngineBasics
package import EngineCompute
package import EngineModels
import EngineWeights

extension WhisperFile {
    package var traits: ModelTraits { dimensions.traits }

    /// The encoder's positional embedding is computed, not trained.
    package var parameters: Int {
        tensors.reduce(0) { $0 + ($1.key == "encoder.positional_embedding" ? 0 : $1.value.count) }
    }

    package func memory(_ options: ComputeOptions) -> Int {
        MemoryEstimate.bytes(
            for: self, decoding: options.decoding, computeType: options.resolvedType,
            keepsHalves: options.backend != .reference)
    }

    package func load(_ options: ComputeOptions) throws -> any SpeechModel {
        try WhisperModel.load(self, options: options)
    }

    package var details: ModelDetails {
        let d = dimensions, alignment = alignmentSource
        let numbers = [
            ("n_mels", d.nMels), ("n_vocab", d.nVocab), ("n_audio_ctx", d.nAudioCtx),
            ("n_audio_state", d.nAudioState), ("n_audio_head", d.nAudioHead), ("n_audio_layer", d.nAudioLayer),
            ("n_text_ctx", d.nTextCtx), ("n_text_state", d.nTextState), ("n_text_head", d.nTextHead),
            ("n_text_layer", d.nTextLayer),
        ]
        return ModelDetails(
            rows: [
                ("encoder", layers(d.nAudioLayer, heads: d.nAudioHead, width: d.nAudioState, context: d.nAudioCtx)),
                ("decoder", layers(d.nTextLayer, heads: d.nTextHead, width: d.nTextState, context: d.nTextCtx)),
                ("mel bands", "\(d.nMels)"), ("vocabulary", "\(d.nVocab) tokens"),
                ("alignment", "heads for word timestamps are \(alignment.text)"),
            ],
            members: [
                ("dimensions", JSONText.object(numbers.map { ($0.0, "\($0.1)") })),
                ("alignment_heads", JSONText.string(alignment.rawValue)),
            ])
    }

    private func layers(_ count: Int, heads: Int, width: Int, context: Int) -> String {
        "\(Counted.text(count, "layer")), \(Counted.text(heads, "head")), width \(width), context \(context)"
    }

    private var alignmentSource: AlignmentSource {
        if alignmentHeads != nil { return .file }
        return AlignmentHeads.areKnown(for: dimensions) ? .known : .unknown
    }
}

/// Where the heads for word timestamps come from.
private enum AlignmentSource: String {
    case file
    /// openai-whisper's list for the official models.
    case known
    /// All heads of the upper half of the decoder are used.
    case unknown

    var text: String {
        switch self {
        case .file: "stored in the model"
        case .known: "known"
        case .unknown: "not known; word times are less accurate"
        }
    }
}

extension ModelDimensions {
    var traits: ModelTraits {
        let languages = Language.all.prefix(
            isMultilingual ? SpecialTokens(vocabularySize: nVocab).languageCount : 1)
        var traits = ModelTraits(
            family: "Whisper", languages: Array(languages), vocabularySize: nVocab,
            longestWindow: Double(WindowSpan.fullFrames) / 100)
        traits.translation = !isMultilingual ? .none : isTurbo ? .untrained : .trained
        traits.usesWhisperOptions = true
        traits.beams = WhisperOptions.beams
        // Half the text context, less one.
        traits.maxPromptTokens = nTextCtx / 2 - 1
        // No published model has these sizes.
        traits.isDemonstration = nTextState == 192 && nTextLayer == 4 && !isMultilingual
        return traits
    }
}
