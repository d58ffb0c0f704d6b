extension SpecialTokens {
    /// The name of a special token, `<|endoftext|>` or `<|1.08|>`; `nil` if `id` is text or unknown.
    public func name(of id: Int) -> String? {
        guard id >= endOfText, id < vocabularySize else { return nil }
        if id >= firstTimestamp {
            let hundredths = (id - firstTimestamp) * 2
            let fraction = hundredths % 100
            return "<|\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)|>"
        }
        if languages.contains(id) {
            let index = id - firstLanguage
            return index < Language.all.count ? "<|\(Language.all[index].code)|>" : nil
        }
        return switch id {
        case endOfText: "<|endoftext|>"
        case startOfTranscript: "<|startoftranscript|>"
        case translate: "<|translate|>"
        case transcribe: "<|transcribe|>"
        case startOfLanguageModel: "<|startoflm|>"
        case startOfPrevious: "<|startofprev|>"
        case noSpeech: "<|nospeech|>"
        default: "<|notimestamps|>"
        }
    }
}
