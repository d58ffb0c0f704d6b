import Testing

/// Compares the network with the reference, stage by stage. The tolerances are absolute.
@Suite("Parakeet's network")
struct ParakeetNetworkTests {
    @Test("features equal the reference's", arguments: ParakeetFixture.all, InstructionSets.all)
    func features(fixture: ParakeetFixture, set: String) throws {
        let model = try fixture.model(.reference), samples = try fixture.samples
        let found = try InstructionSets.limited(to: set) {
            ParakeetFeatures(bands: model.dimensions.bands).normalized(samples)
        }
        #expect(greatestDifference(found, try fixture.features(model)) < 1e-4)
    }

    @Test("every stage of the encoder equals the reference's", arguments: ParakeetFixture.all, NetworkFixture.backends)
    func encoder(fixture: ParakeetFixture, backend: ComputeOptions.Backend) throws {
        let model = try fixture.model(backend), encoder = try ParakeetEncoder(model)
        var compared = 0
        let encoded = try encoder.encode(fixture.features(model)) { stage, values in
            if fixture.compare(stage, values) { compared += 1 }
        }
        #expect(try compared == 7 && encoded.rows == fixture.result.encoder_frames)
    }

    @Test("projections, predictions and scores equal the reference's", arguments: NetworkFixture.backends)
    func transducer(backend: ComputeOptions.Backend) throws {
        for fixture in ParakeetFixture.all where fixture.name != "ctc" {
            let model = try fixture.model(backend), encoder = try ParakeetEncoder(model)
            let network = try #require(try TransducerNetwork(model)), result = try fixture.result.whole
            let projected = network.hear(try encoder.encode(fixture.features(model)))
            #expect(greatestDifference(projected.values, try fixture.values("projected")) < 1e-4)
            let state = try network.makeState(), blank = model.dimensions.blank
            var predictions: [Float] = [], scores: [Float] = [], all: [Float] = [], frame = 0
            func predict(_ token: Int, after last: PredictionState?) {
                network.predict(token, after: last, into: state)
                predictions += state.output.values(0..<state.output.count)
            }
            predict(blank, after: nil)
            for (token, advance) in zip(result.sequence, result.advances ?? []).prefix(6) {
                network.scores(at: frame, after: state, into: &scores)
                all += scores
                if token != blank { predict(token, after: state) }
                frame += advance
            }
            #expect(greatestDifference(predictions, try fixture.values("predictions")) < 1e-4)
            #expect(greatestDifference(all, try fixture.values("first-logits")) < 1e-4)
        }
    }

    @Test("CTC scores equal the reference's", arguments: NetworkFixture.backends)
    func ctc(backend: ComputeOptions.Backend) throws {
        let fixture = ParakeetFixture(name: "ctc"), model = try fixture.model(backend)
        let network = try #require(try CTCNetwork(model))
        let scores = network.hear(try ParakeetEncoder(model).encode(fixture.features(model)))
        #expect(greatestDifference(scores.values, try fixture.values("logits")) < 1e-4)
    }

    @Test("greedy search takes the reference's steps", arguments: ParakeetFixture.all, NetworkFixture.backends)
    func greedy(fixture: ParakeetFixture, backend: ComputeOptions.Backend) throws {
        let model = try fixture.model(backend), result = try fixture.result.whole
        let encoded = try ParakeetEncoder(model).encode(
            ParakeetFeatures(bands: model.dimensions.bands).normalized(fixture.samples))
        var search = GreedySearch(model.dimensions)
        let tokens: [ParakeetToken]
        if let network = try TransducerNetwork(model) {
            var steps: [GreedySearch.Step] = []
            tokens = try search.tokens(of: encoded, network) { steps.append($0) }
            #expect(steps.map(\.id) == result.sequence && steps.map(\.advance) == result.advances)
        } else {
            tokens = try search.tokens(of: encoded, #require(try CTCNetwork(model)))
        }
        #expect(tokens.map(\.id) == result.tokens && tokens.map(\.start) == result.frames)
        if let durations = result.durations { #expect(tokens.map { $0.end - $0.start } == durations) }
        #expect(tokens.allSatisfy { $0.logprob <= 0 && $0.logprob > -10 })
    }

    @Test(
        "other number formats come close", arguments: [ComputeType.bfloat16, .int16, .int8].filter(\.isAvailable),
        ParakeetFixture.all)
    func formats(type: ComputeType, fixture: ParakeetFixture) throws {
        let model = try fixture.model(type: type)
        let encoded = try ParakeetEncoder(model).encode(fixture.features(model)).values
        let expected = try fixture.values("layer-1")
        let error = zip(encoded, expected).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        let power = expected.reduce(0) { $0 + $1 * $1 }
        let relative = (error / power).squareRoot()
        #expect(relative < (type == .int16 ? 2e-3 : type == .bfloat16 ? 2e-2 : 5e-2), "\(relative)")
    }
}
