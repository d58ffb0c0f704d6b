/// Scores the tokens of one window: a decoder of its own, or a slot of a batch.
protocol WindowNetwork: TokenScorer {
    /// Encodes the audio of a window and makes it the one that tokens are scored for.
    ///
    /// - Parameters:
    ///   - logMel: scaled log-mel spectrogram as `[frames, n_mels]`.
    ///   - positions: number of audio positions; missing frames are padded.
    func attend(to logMel: [Float], positions: Int, using encoder: AudioEncoder)

    /// Same as `TextDecoder.align`.
    func align(
        _ tokens: [Int], heads: [AlignmentHead], columns: Int, rows: Range<Int>,
        eachRow: (_ position: Int, _ logits: [Float]) -> Void
    ) throws -> [[Float]]
}

extension TextDecoder: WindowNetwork {
    func attend(to logMel: [Float], positions: Int, using encoder: AudioEncoder) {
        attend(to: encoder.encode(logMel, positions: positions))
    }
}
