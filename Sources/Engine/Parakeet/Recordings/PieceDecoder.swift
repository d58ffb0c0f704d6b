import EngineAudio
import EngineCompute
import EngineModels
import EngineVocabulary

/// Hears one piece of audio after another.
final class PieceDecoder {
    private enum Network {
        case transducer(TransducerNetwork)
        case ctc(CTCNetwork)
    }

    let model: ParakeetModel
    let encoder: ParakeetEncoder
    /// Number of beams; 1 for greedy search.
    let beams: Int
    private let network: Network
    private var search: GreedySearch
    private var rewindingSearch: RewindingSearch
    private var beamSearch: BeamSearch
    /// Preferred by the search of a transducer.
    var terms: [Term] {
        didSet { if terms != oldValue { noteTerms() } }
    }

    /// Longest piece, in samples.
    static let longest = Int(ParakeetModel.longestPiece) * AudioChunk.sampleRate

    /// Samples to leave out at the start of a piece in which nothing was heard. Silence before the first word can make
    /// the network deaf, and detectors put 0.3 s of it there: so these leave 0.3, 0.1 and 0 s.
    private static let starts = [0.0, 0.2, 0.3].map { AudioChunk.samples(in: $0) }

    /// - Parameter beams: without effect on a CTC model.
    init(_ model: ParakeetModel, beams: Int, terms: [Term] = []) throws {
        self.model = model
        self.beams = beams
        encoder = try ParakeetEncoder(model)
        if let transducer = try TransducerNetwork(model, states: beams) {
            network = .transducer(transducer)
        } else if let ctc = try CTCNetwork(model) {
            network = .ctc(ctc)
        } else {
            preconditionFailure("a model without a decoder")
        }
        search = GreedySearch(model.dimensions)
        rewindingSearch = RewindingSearch(model.dimensions)
        beamSearch = BeamSearch(model.dimensions, size: beams)
        self.terms = terms
        if !terms.isEmpty { noteTerms() }
    }

    private func noteTerms() {
        guard case .transducer(let network) = network else { return }
        let trie = TermTrie(terms, model.vocabulary), bonus = beams > 1 ? BeamSearch.bonus : RewindingSearch.bonus
        network.prefer(trie?.greatestBonuses(bonus) ?? [])
        rewindingSearch.terms = trie
        beamSearch.terms = trie
    }

    /// The words of a piece.
    ///
    /// - Parameters:
    ///   - samples: at most `longest`.
    ///   - triesAgain: whether to hear it again without its start if there seems to be nothing.
    ///   - onTokens: receives the ids of the tokens so far; throws to stop.
    func words(
        of samples: [Float], triesAgain: Bool = true, onTokens: ([Int]) throws -> Void
    ) throws -> [ParakeetWord] {
        for start in triesAgain ? Self.starts : [0] where samples.count >= start + ParakeetFeatures.leastSamples {
            let heard = start == 0 ? samples : Array(samples[start...])
            let encoded = try encoder.encode(model.features.normalized(heard))
            try onTokens([])
            var builder = WordBuilder(model)
            for token in try tokens(in: encoded, onTokens: onTokens) { builder.add(token) }
            var words = builder.take(isLast: true, frames: ParakeetModel.frames(in: heard.count))
            if words.isEmpty { continue }
            let frames = ParakeetModel.frames(in: start)
            for index in words.indices {
                words[index].start += frames
                words[index].end += frames
            }
            return words
        }
        return []
    }

    /// The tokens of what `encoder` made of a piece.
    func tokens(in encoded: TensorView, onTokens: ([Int]) throws -> Void) throws -> [ParakeetToken] {
        switch network {
        case .transducer(let network) where beams > 1:
            network.hear(encoded)
            return try beamSearch.tokens(frames: encoded.rows, network, onStep: onTokens)
        case .transducer(let network) where rewindingSearch.terms != nil:
            network.hear(encoded)
            rewindingSearch.start()
            return try rewindingSearch.tokens(frames: encoded.rows, network, isLast: true, onStep: onTokens)
        case .transducer(let network):
            var ids: [Int] = []
            return try search.tokens(of: encoded, network) { step in
                if step.id != model.dimensions.blank { ids.append(step.id) }
                try onTokens(ids)
            }
        case .ctc(let network): return try search.tokens(of: encoded, network)
        }
    }
}

extension ParakeetModel {
    var hasDurations: Bool {
        if case .tdt = dimensions.head { true } else { false }
    }
}
