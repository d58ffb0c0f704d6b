/// Where the sound of a window is encoded and its tokens are scored: a network of one's own, or a place in a batch.
protocol WindowNetwork: TokenScorer {
    /// Most positions of 20 ms that it looks at (1500).
    var positions: Int { get }

    /// Takes the sound of a window.
    ///
    /// - Parameters:
    ///   - logMel: scaled log-mel as `[frames, n_mels]`.
    ///   - positions: to look at; what is missing to them is padded.
    func hear(_ logMel: [Float], positions: Int) throws

    /// As `TextDecoder.align`.
    func align(
        _ tokens: [Int], heads: [AlignmentHead], columns: Int, rows: Range<Int>,
        eachRow: (_ position: Int, _ logits: [Float]) -> Void
    ) throws -> [[Float]]
}

/// The buffers of one encoder and one decoder, used for one recording after another.
final class SoloNetwork: WindowNetwork {
    let encoder: AudioEncoder
    let decoder: TextDecoder

    init(encoder: AudioEncoder, decoder: TextDecoder) {
        self.encoder = encoder
        self.decoder = decoder
    }

    var vocabularySize: Int { decoder.vocabularySize }
    var contextLength: Int { decoder.contextLength }

    var positions: Int { encoder.positions }

    func expect(_ needs: ScoreNeeds?) { decoder.expect(needs) }

    func hear(_ logMel: [Float], positions: Int) {
        decoder.attend(to: encoder.encode(logMel, positions: positions))
    }

    func start(_ tokens: [Int], logitsAt positions: [Int]) throws -> [[Float]] {
        try decoder.start(tokens, logitsAt: positions)
    }

    func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) throws {
        try decoder.advance(tokens, from: sources, into: &logits)
    }

    func align(
        _ tokens: [Int], heads: [AlignmentHead], columns: Int, rows: Range<Int>,
        eachRow: (_ position: Int, _ logits: [Float]) -> Void
    ) throws -> [[Float]] {
        try decoder.align(tokens, heads: heads, columns: columns, rows: rows, eachRow: eachRow)
    }
}
