import EngineAudio
import EngineBasics
import EngineCompute
import EngineModels
import EngineTranscripts
package import EngineVocabulary
import Glibc

/// Hears audio part by part with a streaming model, from samples to words that never change.
package final class SpeechStream {
    let model: ParakeetModel
    private let encoder: ParakeetEncoder
    private let network: TransducerNetwork
    private let past: EncoderStream
    private let state: PredictionState
    private var search: GreedySearch
    private var place: SearchPlace
    private var rewindingSearch: RewindingSearch
    /// Preferred by the search, from the start of the next stream on.
    var terms: [Term]
    private var usedTerms: [Term] = []
    private var features: FeatureStream
    private var words: WordBuilder
    /// Samples and features that have not been encoded yet.
    private var samples: [Float] = []
    private var waiting: [Float] = []
    /// The number of samples of the stream so far.
    private var count = 0
    /// The language that the network has named last.
    private var language: DetectedLanguage?

    /// - Parameters:
    ///   - lookahead: one of `StreamingDimensions.lookaheads`.
    ///   - terms: preferred by the search.
    package init(_ model: ParakeetModel, lookahead: Int, terms: [Term] = []) throws {
        guard let network = try TransducerNetwork(model) else { preconditionFailure("not a streaming model") }
        self.model = model
        self.terms = terms
        self.network = network
        encoder = try ParakeetEncoder(model)
        past = try EncoderStream(model.dimensions, lookahead: lookahead)
        state = try network.makeState()
        search = GreedySearch(model.dimensions)
        rewindingSearch = RewindingSearch(model.dimensions)
        place = SearchPlace(network, blank: model.dimensions.blank, state: state)
        features = FeatureStream(model.features)
        words = WordBuilder(model)
    }

    /// The most samples that are encoded at once, with room for the frames that wait for the rest of their chunk.
    var blockSamples: Int { (model.dimensions.mostFrames - past.lookahead - 3) * 8 * ParakeetFeatures.hop }

    /// The language that the network has named last, if it is one of those that may be spoken.
    ///
    /// - Parameter codes: empty for any.
    func language(among codes: [String]) -> DetectedLanguage? {
        language.flatMap { codes.isEmpty || codes.contains($0.code) ? $0 : nil }
    }

    /// The number of frames that have been decoded: later tokens begin there or after it.
    var frames: Int { rewindingSearch.terms == nil ? place.heard : rewindingSearch.settled }

    /// The word that further tokens may belong to.
    var open: ParakeetWord? { words.open }

    /// Begins a stream.
    ///
    /// - Parameter language: the code of the spoken language; `nil` if it is unknown.
    package func start(language: String?) {
        past.restart()
        choose(language)
        noteTerms()
        rewindingSearch.start()
        place = SearchPlace(network, blank: model.dimensions.blank, state: state)
        features = FeatureStream(model.features)
        words = WordBuilder(model)
        samples = []
        waiting = []
        count = 0
        self.language = nil
    }

    private func noteTerms() {
        if terms == usedTerms { return }
        usedTerms = terms
        rewindingSearch.terms = TermTrie(terms, model.vocabulary)
        network.prefer(rewindingSearch.terms?.greatestBonuses(RewindingSearch.bonus) ?? [])
    }

    /// Changes the language of what is heard from now on.
    func choose(_ language: String?) {
        guard let prompts = model.dimensions.streaming?.prompts else { return }
        past.prompt = language.flatMap(prompts.number) ?? prompts.unknown
    }

    /// Hears the next samples.
    ///
    /// - Parameter isLast: whether the stream ends with them.
    /// - Returns: the words that are complete now.
    /// - Throws: `ComputeError.outOfMemory`; the samples are then heard in the next call.
    package func hear(_ new: [Float], isLast: Bool) throws -> [ParakeetWord] {
        samples += new
        count += new.count
        repeat {
            let block = Array(samples.prefix(blockSamples))
            samples.removeFirst(block.count)
            try encode(block, isLast: isLast && samples.isEmpty)
        } while !samples.isEmpty
        return words.take(isLast: isLast, frames: isLast ? ParakeetModel.frames(in: count) : .infinity)
    }

    private func encode(_ block: [Float], isLast: Bool) throws {
        waiting += features.add(block, isLast: isLast)
        let encoded = try encoder.encode(waiting, of: past, isLast: isLast)
        waiting = []
        for token in try tokens(of: encoded, isLast: isLast) {
            words.add(token)
            if let code = model.vocabulary.language(of: token.id) {
                language = DetectedLanguage(code: code, probability: Double(exp(token.logprob)))
            }
        }
    }

    private func tokens(of encoded: TensorView, isLast: Bool) throws -> [ParakeetToken] {
        guard rewindingSearch.terms != nil else { return try search.tokens(of: encoded, network, from: &place) }
        network.hear(encoded, after: rewindingSearch.kept)
        return try rewindingSearch.tokens(frames: encoded.rows, network, isLast: isLast)
    }
}

extension SpeechStream {
    /// Hears a stream and measures how long each part takes.
    func measure(_ samples: [Float], in stopwatch: Stopwatch) throws -> WindowTimes {
        var times = WindowTimes(), rest = samples[...], found: [Float] = []
        repeat {
            let block = Array(rest.prefix(blockSamples))
            rest = rest.dropFirst(block.count)
            times.mel += stopwatch.measure { found = features.add(block, isLast: rest.isEmpty) }
            let start = stopwatch.now
            let encoded = try encoder.encode(found, of: past, isLast: rest.isEmpty)
            times.encode += stopwatch.now - start
            times.decode += try stopwatch.measure {
                times.tokens += try search.tokens(of: encoded, network, from: &place).count
            }
        } while !rest.isEmpty
        return times
    }
}
