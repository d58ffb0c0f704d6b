import Testing

/// Compares streaming models with the reference, whole and chunk by chunk. The tolerances are absolute.
@Suite("Parakeet's streaming encoder")
struct StreamingEncoderTests {
    /// With each look-ahead that a fixture's model has.
    static let cases: [(ParakeetFixture, Int)] = ParakeetFixture.streaming.flatMap { fixture in
        (fixture.name == "streaming" ? [0, 1, 6, 13] : [0, 1, 3, 6, 13]).map { (fixture, $0) }
    }

    /// The frames of a stream that gets its features in parts of these lengths, in turns.
    private static func encode(
        _ features: [Float], _ model: ParakeetModel, lookahead: Int, parts: [Int],
        observe: ((ParakeetEncoder.Stage, TensorView) -> Void)? = nil
    ) throws -> [Float] {
        let encoder = try ParakeetEncoder(model), bands = model.dimensions.bands
        let stream = try EncoderStream(model.dimensions, lookahead: lookahead)
        var found: [Float] = [], rest = features[...], part = 0
        while !rest.isEmpty {
            let next = Array(rest.prefix(parts[part % parts.count] * bands))
            rest = rest.dropFirst(next.count)
            part += 1
            let encoded = try encoder.encode(next, of: stream, isLast: rest.isEmpty, observe: observe)
            #expect(rest.isEmpty || encoded.rows % (lookahead + 1) == 0)
            found += encoded.values
        }
        return found
    }

    private static func features(_ fixture: ParakeetFixture, _ model: ParakeetModel) throws -> [Float] {
        var stream = FeatureStream(ParakeetFeatures(bands: model.dimensions.bands))
        return stream.add(try fixture.samples, isLast: true)
    }

    @Test("features equal the reference's, in parts of any length", arguments: ParakeetFixture.streaming)
    func features(fixture: ParakeetFixture) throws {
        let model = try fixture.model(.reference), samples = try fixture.samples
        let expected = try fixture.features(model), bands = model.dimensions.bands
        #expect(greatestDifference(try Self.features(fixture, model), expected) < 1e-4)
        for part in [1, 159, 160, 201, 1280, 5000] {
            var stream = FeatureStream(ParakeetFeatures(bands: bands)), found: [Float] = []
            for first in stride(from: 0, to: samples.count, by: part) {
                let end = min(first + part, samples.count)
                found += stream.add(Array(samples[first..<end]), isLast: end == samples.count)
                // A frame needs 200 samples after its first, but no more.
                #expect(end == samples.count || found.count / bands == max(0, (end - 40) / 160))
            }
            #expect(try found == Self.features(fixture, model), "\(part) samples at a time")
        }
        var stream = FeatureStream(ParakeetFeatures(bands: bands))
        #expect(stream.add([], isLast: true).isEmpty)
    }

    @Test(
        "every stage of a whole clip equals the reference's", arguments: ParakeetFixture.streaming,
        NetworkFixture.backends)
    func stages(fixture: ParakeetFixture, backend: ComputeOptions.Backend) throws {
        let model = try fixture.model(backend), features = try fixture.features(model)
        var compared = 0
        let encoded = try Self.encode(features, model, lookahead: 13, parts: [features.count]) { stage, values in
            if fixture.compare(stage, values) { compared += 1 }
        }
        #expect(try compared == 7 && encoded.count == fixture.result.encoder_frames * model.dimensions.width)
    }

    @Test("projections, predictions and scores equal the reference's", arguments: NetworkFixture.backends)
    func transducer(backend: ComputeOptions.Backend) throws {
        for fixture in ParakeetFixture.streaming {
            let model = try fixture.model(backend), encoder = try ParakeetEncoder(model)
            let stream = try EncoderStream(model.dimensions, lookahead: 13)
            let network = try #require(try TransducerNetwork(model)), result = try fixture.result.whole
            let encoded = try encoder.encode(try fixture.features(model), of: stream, isLast: true)
            let projected = network.hear(encoded)
            #expect(greatestDifference(projected.values, try fixture.values("projected")) < 1e-4)
            let state = try network.makeState(), blank = model.dimensions.blank
            var all: [Float] = [], scores: [Float] = [], frame = 0
            network.predict(blank, after: nil, into: state)
            for (token, advance) in zip(result.sequence, result.advances ?? []).prefix(6) {
                network.scores(at: frame, after: state, into: &scores)
                all += scores
                if token != blank { network.predict(token, after: state, into: state) }
                frame += advance
            }
            #expect(greatestDifference(all, try fixture.values("first-logits")) < 1e-4)
            var search = GreedySearch(model.dimensions), steps: [GreedySearch.Step] = []
            let tokens = try search.tokens(of: encoded, network) { steps.append($0) }
            #expect(steps.map(\.id) == result.sequence && steps.map(\.advance) == result.advances)
            #expect(tokens.map(\.id) == result.tokens && tokens.map(\.start) == result.frames)
        }
    }

    @Test("chunk by chunk, frames and tokens equal the reference's", arguments: cases)
    func chunks(fixture: ParakeetFixture, lookahead: Int) throws {
        let model = try fixture.model(), bands = model.dimensions.bands, width = model.dimensions.width
        let expected = try #require(try fixture.result.streams?["\(lookahead)"])
        // The reference's last chunk is filled with silent samples.
        var samples = FeatureStream(ParakeetFeatures(bands: bands))
        let silence = [Float](repeating: 0, count: 20_000)
        let features = samples.add(try fixture.samples + silence, isLast: true).prefix(expected.feature_frames * bands)
        let encoder = try ParakeetEncoder(model), network = try #require(try TransducerNetwork(model))
        let stream = try EncoderStream(model.dimensions, lookahead: lookahead)
        var place = SearchPlace(network, blank: model.dimensions.blank, state: try network.makeState())
        var search = GreedySearch(model.dimensions), projected: [Float] = [], sequence: [Int] = []
        var rest = features[...], count = 1 + 8 * lookahead
        while !rest.isEmpty {
            let encoded = try encoder.encode(Array(rest.prefix(count * bands)), of: stream, isLast: false)
            #expect(encoded.rows == lookahead + 1)
            projected += network.hear(encoded).values
            _ = search.tokens(of: encoded, network, from: &place) { sequence.append($0.id) }
            rest = rest.dropFirst(count * bands)
            count = 8 * (lookahead + 1)
        }
        #expect(greatestDifference(projected, try fixture.values("projected-\(lookahead)")) < 1e-4)
        #expect(sequence == expected.sequence && stream.frames * width == projected.count)
    }

    @Test("the encoder alone equals the reference's", arguments: cases)
    func encoded(fixture: ParakeetFixture, lookahead: Int) throws {
        let model = try fixture.model(), bands = model.dimensions.bands
        let expected = try #require(try fixture.result.streams?["\(lookahead)"]), last = model.dimensions.layers - 1
        var samples = FeatureStream(ParakeetFeatures(bands: bands)), found: [Float] = []
        let features = samples.add(try fixture.samples + [Float](repeating: 0, count: 20_000), isLast: true)
        _ = try Self.encode(
            Array(features.prefix(expected.feature_frames * bands)), model, lookahead: lookahead, parts: [8]
        ) { stage, values in
            if stage == .layer(last) { found += values.values }
        }
        #expect(greatestDifference(found, try fixture.values("encoded-\(lookahead)")) < 1e-4)
    }

    @Test("the parts make no difference", arguments: cases, [ComputeType.float32] + [.bfloat16].filter(\.isAvailable))
    func parts(of fixture: (ParakeetFixture, Int), type: ComputeType) throws {
        let (fixture, lookahead) = fixture, model = try fixture.model(type: type)
        let features = try Self.features(fixture, model)
        let whole = try Self.encode(features, model, lookahead: lookahead, parts: [features.count])
        for parts in [[1], [1 + 8 * lookahead, 8 * (lookahead + 1)], [3, 50, 7], [100]] {
            let found = try Self.encode(features, model, lookahead: lookahead, parts: parts)
            #expect(greatestDifference(found, whole) < 2e-6, "\(parts)")
        }
    }

    @Test("clips of every length end with the reference's frame", arguments: ParakeetFixture.streaming)
    func endings(fixture: ParakeetFixture) throws {
        let model = try fixture.model(), counts = try #require(try fixture.result.endings)
        let samples = try fixture.samples, width = model.dimensions.width, expected = try fixture.values("endings")
        for (index, count) in counts.enumerated() {
            var stream = FeatureStream(ParakeetFeatures(bands: model.dimensions.bands)), found: [Float] = []
            let features = stream.add(Array(samples.prefix(160 * (80 + index) + 37)), isLast: true)
            _ = try Self.encode(features, model, lookahead: 6, parts: [5, 31]) { stage, values in
                if stage == .layer(model.dimensions.layers - 1) { found += values.values }
            }
            let own = Array(expected[(index * width)..<((index + 1) * width)])
            #expect(found.count == count * width && greatestDifference(Array(found.suffix(width)), own) < 1e-4)
        }
    }

    @Test("a stream that restarts is a new one, and no audio gives no frames")
    func restart() throws {
        let fixture = ParakeetFixture.streaming[1], model = try fixture.model()
        let encoder = try ParakeetEncoder(model), stream = try EncoderStream(model.dimensions, lookahead: 3)
        let features = try Self.features(fixture, model)
        let first = try encoder.encode(features, of: stream, isLast: true).values
        stream.restart()
        #expect(try encoder.encode(features, of: stream, isLast: true).values == first)
        stream.restart()
        #expect(try encoder.encode([], of: stream, isLast: true).rows == 0)
        // Another language changes what follows.
        stream.restart()
        stream.prompt = try #require(model.dimensions.streaming?.prompts?.number(of: "de"))
        #expect(try greatestDifference(encoder.encode(features, of: stream, isLast: true).values, first) > 0.01)
    }

    @Test(
        "other number formats come close", arguments: [ComputeType.bfloat16, .int16, .int8].filter(\.isAvailable),
        ParakeetFixture.streaming)
    func formats(type: ComputeType, fixture: ParakeetFixture) throws {
        let model = try fixture.model(type: type), last = model.dimensions.layers - 1
        var found: [Float] = []
        _ = try Self.encode(try fixture.features(model), model, lookahead: 13, parts: [64]) { stage, values in
            if stage == .layer(last) { found += values.values }
        }
        let expected = try fixture.values("layer-1")
        let error = zip(found, expected).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        let relative = (error / expected.reduce(0) { $0 + $1 * $1 }).squareRoot()
        #expect(relative < (type == .int16 ? 2e-3 : type == .bfloat16 ? 2e-2 : 5e-2), "\(relative)")
    }
}
