import Testing

@Suite("Networks for speakers", .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
struct SpeakerNetworkTests {
    /// The recordings of a golden file.
    static func samples(_ name: String) async throws -> [Float] {
        let samples =
            switch name {
            case "one": try await SpeakerFixture.mix([("en/agent-alreadyon.wav", 0)])
            case "two":
                try await SpeakerFixture.mix(
                    [("en/agent-alreadyon.wav", 0), ("fr/agent-incorrect.wav", 2.5)], count: 160_000)
            default: try await SpeakerFixture.mix([("it/conf-onlyone.wav", 0)])
            }
        let golden = try SpeakerFixture.Golden(name)
        #expect(abs(samples.reduce(0) { $0 + Double($1) } - Double(try golden.numbers("sum")[0])) < 1e-3)
        return samples
    }

    static func padded(_ samples: [Float], to count: Int = 160_000) -> [Float] {
        Array(samples.prefix(count)) + [Float](repeating: 0, count: max(0, count - samples.count))
    }

    @Test("segmentation equals the reference, stage by stage", arguments: ["one", "two", "short"])
    func segmentation(name: String) async throws {
        let golden = try SpeakerFixture.Golden(name), network = try SpeakerFixture.networks().segmentation
        let stages = try network.stages(of: Self.padded(await Self.samples(name)), step: 16_000, isComplete: true)
        #expect(SegmentationNetwork.frames(samples: 160_000) == 589)
        let sinc = stride(from: 0, to: 589, by: 4).flatMap { stages.sinc[($0 * 60)..<(($0 + 1) * 60)] }
        #expect(greatestDifference(sinc, try golden.numbers("sinc.every4")) < 2e-3)
        let lstm = stride(from: 0, to: 589, by: 16).flatMap { stages.lstm[($0 * 256)..<(($0 + 1) * 256)] }
        #expect(greatestDifference(lstm, try golden.numbers("lstm.every16")) < 1e-3)
        #expect(greatestDifference(stages.logits, try golden.numbers("logits")) < 2e-3)
    }

    @Test("the segmentation network of 2022 equals the reference")
    func multilabel() async throws {
        let network = try SpeakerFixture.networks(.float32, .multilabel).segmentation
        #expect(network.version == .multilabel && SegmentationNetwork.frames(samples: 80_000) == 293)
        let golden = try SpeakerFixture.Golden("multilabel")
        for name in ["one", "two", "short"] {
            let samples = Self.padded(try await Self.samples(name), to: 80_000)
            let stages = try network.stages(of: samples, step: 16_000, isComplete: true)
            #expect(greatestDifference(stages.logits, try golden.numbers("\(name).logits")) < 5e-3, "\(name)")
            guard name == "two" else { continue }
            let sinc = stride(from: 0, to: 293, by: 4).flatMap { stages.sinc[($0 * 60)..<(($0 + 1) * 60)] }
            #expect(greatestDifference(sinc, try golden.numbers("two.sinc.every4")) < 2e-3)
            let lstm = stride(from: 0, to: 293, by: 16).flatMap { stages.lstm[($0 * 256)..<(($0 + 1) * 256)] }
            #expect(greatestDifference(lstm, try golden.numbers("two.lstm.every16")) < 1e-3)
        }
    }

    @Test("a window does not depend on the others in its batch")
    func batches() async throws {
        let network = try SpeakerFixture.networks().segmentation
        let samples = Array(try await SpeakerFixture.conversation().prefix(160_000 + 6 * 16_000))
        let together = try network.stages(of: samples, step: 16_000).logits
        #expect(together.count == 7 * 589 * 7)
        for window in [0, 3, 6] {
            let alone = try network.stages(
                of: Array(samples[(window * 16_000)..<(window * 16_000 + 160_000)]), step: 16_000)
            let part = Array(together[(window * 589 * 7)..<((window + 1) * 589 * 7)])
            #expect(greatestDifference(alone.logits, part) < 1e-3, "window \(window)")
        }
    }

    @Test("voice vectors equal the reference, stage by stage", arguments: ["one", "two", "short"])
    func voices(name: String) async throws {
        let golden = try SpeakerFixture.Golden(name), network = try SpeakerFixture.networks().voice
        let stages = try network.stages(of: Array(await Self.samples(name).prefix(19_200)))
        #expect(greatestDifference(stages.features, try golden.numbers("features")) < 2e-3)
        // Stored by channel and band; in memory by band and channel.
        let frames = stages.features.count / 80
        var head: [Float] = []
        for row in 0..<320 {
            for frame in stride(from: 0, to: frames, by: 8) {
                head.append(stages.head[frame * 320 + row % 10 * 32 + row / 10])
            }
        }
        #expect(greatestDifference(head, try golden.numbers("head.every8")) < 1e-3)
        #expect(greatestDifference(stages.pooled, try golden.numbers("pooled")) < 1e-3)
        let expected = try golden.numbers("embedding")
        #expect(greatestDifference(stages.embedding, expected) < 1e-3)
        #expect(Self.cosine(stages.embedding, expected) >= 0.9999)
    }

    @Test("windows of any length equal the reference")
    func lengths() async throws {
        let golden = try SpeakerFixture.Golden("lengths"), networks = try SpeakerFixture.networks()
        let samples = try await Self.samples("two")
        for length in [80_000, 43_210] {
            let logits = try networks.segmentation.stages(
                of: Array(samples.prefix(length)), step: 16_000, length: length
            ).logits
            #expect(greatestDifference(logits, try golden.numbers("logits.\(length)")) < 2e-3, "\(length)")
        }
        for length in [5_000, 80_000] {
            let vector = try networks.voice.stages(of: Array(samples.prefix(length))).embedding
            #expect(greatestDifference(vector, try golden.numbers("embedding.\(length)")) < 1e-3, "\(length)")
        }
    }

    @Test(
        "every number format finds nearly the same classes and vectors",
        arguments: ComputeType.allCases.filter(\.isAvailable))
    func formats(type: ComputeType) async throws {
        let golden = try SpeakerFixture.Golden("two"), networks = try SpeakerFixture.networks(type)
        let samples = try await Self.samples("two")
        let logits = try networks.segmentation.stages(of: samples, step: 16_000).logits
        func classes(_ logits: [Float]) -> [Int] {
            stride(from: 0, to: logits.count, by: 7).map { (row: Int) -> Int in
                let values = Array(logits[row..<(row + 7)])
                return values.firstIndex(of: values.max() ?? 0) ?? 0
            }
        }
        let pairs = zip(classes(logits), classes(try golden.numbers("logits")))
        #expect(pairs.count { $0 == $1 } >= 580, "\(type)")
        let vector = try networks.voice.stages(of: Array(samples.prefix(19_200))).embedding
        #expect(Self.cosine(vector, try golden.numbers("embedding")) >= (type == .int8 ? 0.98 : 0.995), "\(type)")
    }

    @Test("filters equal the reference")
    func filters() throws {
        let golden = try SpeakerFixture.Golden("filters")
        #expect(greatestDifference(KaldiFeatures.filters, try golden.numbers("kaldi")) < 1e-5)
        let file = try SafetensorsFile(#require(SpeakerFixture.weights))
        func numbers(_ name: String) throws -> [Float] {
            let tensor = try file.tensor("segmentation.sincnet.conv1d.0.filterbank.\(name)_").floats()
            return tensor.values(0..<tensor.count)
        }
        let filters = SincFilters.filters(
            low: try numbers("low_hz"), band: try numbers("band_hz"), window: try numbers("window"),
            times: try numbers("n"))
        let left = (0..<80).flatMap { filters[($0 * 251)..<($0 * 251 + 126)] }
        #expect(greatestDifference(left, try golden.numbers("sinc")) < 1e-5)
        for filter in 0..<80 {
            for tap in 0..<125 {
                let (first, last) = (filters[filter * 251 + tap], filters[filter * 251 + 250 - tap])
                #expect(first == (filter < 40 ? last : -last))
            }
        }
    }

    static func cosine(_ a: [Float], _ b: [Float]) -> Float {
        func product(_ a: [Float], _ b: [Float]) -> Float { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
        return product(a, b) / (product(a, a) * product(b, b)).squareRoot()
    }
}
