import Foundation
import Testing

@Suite("Beam search of transducers")
struct BeamSearchTests {
    /// A search of `parakeet_beams.py`, over a fixture's network or planted scores.
    private struct Case: Decodable {
        let set: String?
        let durations: [Int]?
        let size: Int
        let tokens: [Int]
        let starts: [Int]
        let ends: [Int]
        let logprobs: [Float]
        let score: Double

        func expectEqual(_ found: [ParakeetToken], _ search: BeamSearch) {
            #expect(found.map(\.id) == tokens && found.map(\.start) == starts && found.map(\.end) == ends)
            #expect(zip(found, logprobs).allSatisfy { abs($0.logprob - $1) < 1e-3 })
            #expect(abs((search.candidates.first?.logprob ?? 0) - score) < 1e-3)
            #expect(search.candidates.first?.tokens == found)
        }
    }

    private struct Cases: Decodable { let cases: [Case] }
    private static var cases: [Case] {
        get throws { try (Fixtures.json("parakeet/beams.json") as Cases).cases }
    }

    @Test("finds what the definition finds with planted scores")
    func planted() throws {
        let cases = try Self.cases.filter { $0.set == nil }
        #expect(cases.count == 16)
        for example in cases {
            let dimensions = try ParakeetDimensions.decoder(
                durations: example.durations, vocabulary: 20, maxSymbols: 3)
            var search = BeamSearch(dimensions, size: example.size)
            example.expectEqual(try search.tokens(frames: 40, ScriptedTransducer.planted(dimensions)), search)
        }
    }

    @Test("finds what the definition finds with a network", arguments: NetworkFixture.backends)
    func network(backend: ComputeOptions.Backend) throws {
        for fixture in ParakeetFixture.all where fixture.name != "ctc" {
            let model = try fixture.model(backend), encoder = try ParakeetEncoder(model)
            let network = try #require(try TransducerNetwork(model, states: 8))
            let frames = network.hear(try encoder.encode(fixture.features(model))).rows
            let cases = try Self.cases.filter { $0.set == fixture.name }
            #expect(cases.count == 4)
            for example in cases {
                var search = BeamSearch(model.dimensions, size: example.size)
                example.expectEqual(try search.tokens(frames: frames, network), search)
            }
        }
    }

    /// The probability of each text: the sum over all ways to draw it.
    private static func probabilities(
        _ dimensions: ParakeetDimensions, frames: Int, _ network: ScriptedTransducer
    ) -> [[Int]: Double] {
        var found: [[Int]: Double] = [:]
        func softmax(_ scores: ArraySlice<Float>) -> [Double] {
            let powers = scores.map { exp(Double($0)) }
            return powers.map { $0 / powers.reduce(0, +) }
        }
        func draw(_ text: [Int], _ frame: Int, here: Int, _ probability: Double) {
            guard frame < frames else { return found[text, default: 0] += probability }
            let scores = network.compute(frame, text), tokens = softmax(scores[..<dimensions.choices])
            let durations: [(Int, Double)] =
                if case .tdt(let durations) = dimensions.head {
                    Array(zip(durations, softmax(scores[dimensions.choices...])))
                } else { [(0, 1)] }
            for (id, ofToken) in tokens.enumerated() {
                for (duration, ofDuration) in durations {
                    let isBlank = id == dimensions.blank
                    let advance = max(duration, isBlank || here + 1 == dimensions.maxSymbols ? 1 : 0)
                    draw(
                        isBlank ? text : text + [id], frame + advance, here: advance > 0 ? 0 : here + 1,
                        probability * ofToken * ofDuration)
                }
            }
        }
        draw([], 0, here: 0, 1)
        return found
    }

    @Test(
        "with enough beams, the probabilities of all texts are right",
        arguments: [nil, [0, 1], [0, 1, 2, 4], [1, 3], [0]] as [[Int]?])
    func complete(durations: [Int]?) throws {
        for (seed, limit) in [(1, 1), (2, 2), (3, 2)] {
            let dimensions = try ParakeetDimensions.decoder(durations: durations, vocabulary: 3, maxSymbols: limit)
            let network = ScriptedTransducer.planted(dimensions, seed: seed), frames = 3
            let expected = Self.probabilities(dimensions, frames: frames, network)
            var search = BeamSearch(dimensions, size: 10_000)
            let best = try search.tokens(frames: frames, network), candidates = search.candidates
            #expect(candidates.count == expected.count && candidates.first?.tokens == best)
            #expect(abs(candidates.reduce(0) { $0 + exp($1.logprob) } - 1) < 1e-5)
            #expect(
                candidates.allSatisfy {
                    abs(exp($0.logprob) - (expected[$0.tokens.map(\.id)] ?? 0)) < 1e-5
                })
            #expect(zip(candidates, candidates.dropFirst()).allSatisfy { $0.logprob >= $1.logprob })
        }
    }

    @Test("texts are predicted once, and the memory of states is used again")
    func states() throws {
        let dimensions = try ParakeetDimensions.decoder(durations: [0, 1, 2], vocabulary: 20, maxSymbols: 3)
        let network = ScriptedTransducer.planted(dimensions)
        var search = BeamSearch(dimensions, size: 4)
        let first = try search.tokens(frames: 40, network)
        #expect(Set(network.predicted).count == network.predicted.count && network.predicted.count > 40)
        #expect(network.texts.count <= 4 * 4)
        let made = network.texts.count
        #expect(try search.tokens(frames: 40, network) == first && network.texts.count == made)
    }

    @Test("no frames give no text, equal scores the lowest ids, and an error ends the search")
    func edges() throws {
        let dimensions = try ParakeetDimensions.decoder(durations: nil, vocabulary: 3, maxSymbols: 1)
        let equal = ScriptedTransducer { _, _ in [1, 3, 3, 2] }
        var search = BeamSearch(dimensions, size: 3)
        #expect(try search.tokens(frames: 0, equal).isEmpty)
        #expect(try search.tokens(frames: 3, equal).map(\.id) == [1, 1, 1])
        var steps: [[Int]] = []
        #expect(throws: CancellationError.self) {
            try search.tokens(frames: 3, equal) { ids in
                steps.append(ids)
                if ids.count == 2 { throw CancellationError() }
            }
        }
        #expect(steps == [[1], [1, 1]])
        #expect(try search.tokens(frames: 1, equal).map(\.id) == [1])
    }
}
