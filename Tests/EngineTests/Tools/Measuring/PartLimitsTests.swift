import Foundation
import Testing

/// `bench --limits`, with small models whose operations are computed by hand.
@Suite("Limits of the parts of a model")
struct PartLimitsTests {
    private static func limits(_ path: String, tokens: Int = 3, type: ComputeType = .auto) throws -> PartLimits {
        var options = Benchmark.Options()
        options.tokens = tokens
        options.rounds = 2
        options.compute = ComputeOptions(computeType: type, threads: 1)
        options.compute.measures = .processor
        let model = FilePath(Fixtures.url(path).path(percentEncoded: false))
        return try Benchmark(model: model, options: options).limits()
    }

    private static func operations(_ limits: PartLimits, _ stage: ModelPart.Stage) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: limits.parts.filter { $0.stage == stage }.compactMap { part in
                part.name.map { ($0, part.operations) }
            })
    }

    @Test("micro.en: 2 layers of 64 columns, 80 bands, 1500 positions")
    func whisper() throws {
        let limits = try Self.limits("models/ggml-micro.en.bin")
        #expect(
            Self.operations(limits, .encoder) == [
                // 2 · (3000 · 64 · 240 + 1500 · 64 · 192)
                "convolutions": 129_024_000,
                // 2 · 2 · 1500 · 64 · 256
                "QKV and output projections": 98_304_000,
                // 2 · 4 · 1500² · 64
                "attention": 1_152_000_000,
                "MLP": 196_608_000,
                "cross-attention keys and values": 49_152_000,
            ])
        let more = Self.operations(try Self.limits("models/ggml-micro.en.bin", tokens: 4), .decoder)
        let step = more.merging(Self.operations(limits, .decoder)) { $0 - $1 }.filter { $0.key != "self-attention" }
        #expect(
            step == [
                "QKV and output projections": 65_536, "cross-attention query and output": 32_768,
                "cross-attention": 768_000, "MLP": 131_072, "vocabulary projection": 6_638_592,
            ])
        Self.check(limits)
    }

    @Test("Parakeet: 2 layers of 32 columns, 375 frames", arguments: [ComputeType.auto, .int8])
    func parakeet(type: ComputeType) throws {
        let limits = try Self.limits("parakeet/tdt/model", type: type)
        var encoder = Self.operations(limits, .encoder)
        // Parts of the image have rows in common.
        let subsampling = encoder.removeValue(forKey: "subsampling")
        #expect((57_792_000..<63_000_000).contains(subsampling ?? 0), "\(subsampling ?? 0)")
        #expect(
            encoder == [
                "feed-forward modules": 24_576_000, "QKV and output projections": 6_144_000,
                // 2 · 6 · 375² · 32
                "attention": 54_000_000,
                "convolution modules": 5_040_000,
            ])
        let decoder = Self.operations(limits, .decoder)
        #expect(decoder["joint network, encoder projection"] == 768_000)
        #expect(Set(decoder.keys).isSuperset(of: ["joint network", "prediction network"]))
        Self.check(limits)
    }

    @Test("a measured model computes the same")
    func results() throws {
        var first: [Float]?
        for measures in [false, true] {
            var options = ComputeOptions(computeType: .int8, threads: 1)
            options.measures = measures ? .processor : nil
            let folder = FilePath(Fixtures.url("parakeet/tdt/model").path(percentEncoded: false))
            let model = try ParakeetModel.load(ParakeetFolder(folder), options: options)
            let features = (0..<(400 * model.dimensions.bands)).map { Float($0 % 83) / 41 - 1 }
            let values = try ParakeetEncoder(model).encode(features).values
            if let first { #expect(values == first) } else { first = values }
        }
    }

    /// Every part takes some time, and not much less than this machine needs at best, which was measured at another moment,
    /// perhaps beside other programs.
    private static func check(_ limits: PartLimits) {
        #expect(limits.stages.map(\.stage) == [.features, .encoder, .decoder])
        for part in limits.parts {
            guard let name = part.name else { continue }
            #expect(part.calls > 0 && part.milliseconds > 0, "\(name)")
            #expect(part.ratio > 0 && part.ratio <= 1.5, "\(name): \(part)")
        }
        for stage in limits.stages {
            let parts = limits.parts.filter { $0.stage == stage.stage && $0.name != nil }
            #expect(parts.reduce(0) { $0 + $1.milliseconds } <= 1.001 * stage.milliseconds, "\(stage)")
        }
        #expect(limits.machine.memory.onOneCore > 0)
    }
}
