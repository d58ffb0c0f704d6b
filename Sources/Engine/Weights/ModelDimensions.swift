/// The ten numbers that fix a Whisper network's shape, under openai-whisper's names.
public struct ModelDimensions: Hashable, Codable, Sendable {
    public var nMels: Int
    public var nAudioCtx: Int
    public var nAudioState: Int
    public var nAudioHead: Int
    public var nAudioLayer: Int
    public var nVocab: Int
    public var nTextCtx: Int
    public var nTextState: Int
    public var nTextHead: Int
    public var nTextLayer: Int

    public init(
        nMels: Int, nAudioCtx: Int, nAudioState: Int, nAudioHead: Int, nAudioLayer: Int,
        nVocab: Int, nTextCtx: Int, nTextState: Int, nTextHead: Int, nTextLayer: Int
    ) {
        self.nMels = nMels
        self.nAudioCtx = nAudioCtx
        self.nAudioState = nAudioState
        self.nAudioHead = nAudioHead
        self.nAudioLayer = nAudioLayer
        self.nVocab = nVocab
        self.nTextCtx = nTextCtx
        self.nTextState = nTextState
        self.nTextHead = nTextHead
        self.nTextLayer = nTextLayer
    }

    /// Multilingual vocabularies have 51865 ids or more, English ones 51864.
    public var isMultilingual: Bool { nVocab >= 51_865 }

    enum CodingKeys: String, CodingKey {
        case nMels = "n_mels"
        case nAudioCtx = "n_audio_ctx"
        case nAudioState = "n_audio_state"
        case nAudioHead = "n_audio_head"
        case nAudioLayer = "n_audio_layer"
        case nVocab = "n_vocab"
        case nTextCtx = "n_text_ctx"
        case nTextState = "n_text_state"
        case nTextHead = "n_text_head"
        case nTextLayer = "n_text_layer"
    }
}
