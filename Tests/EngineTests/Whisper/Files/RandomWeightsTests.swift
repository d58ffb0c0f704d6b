import Testing

@Suite("Random weights")
struct RandomWeightsTests {
    static let good = GGMLContents(width: 2)

    @Test("a model with damaged weights can be used or fails with an error that names it", arguments: 0..<2)
    func weights(seed: Int) throws {
        let folder = try TemporaryFolder()
        var draws = SplitMix64(seed: UInt64(seed))
        let backend = try ComputeOptions(backend: .openblas, threads: 1).makeBackend()
        for _ in 0..<20 {
            var bytes = Self.good.bytes
            for _ in 0..<5 {
                let at = Int.random(in: Self.good.recordsOffset..<bytes.count, using: &draws)
                bytes[at] = UInt8.random(in: 0...255, using: &draws)
            }
            let path = try folder.write(bytes)
            do {
                let model = try WhisperModel(try GGMLFile(path), backend: backend)
                let decoder = try TextDecoder(model, maxRows: 1)
                decoder.attend(to: try AudioEncoder(model).encode([Float](repeating: 0.5, count: 3000 * 80)))
                #expect(try decoder.start([50_257], logitsAt: [0])[0].count == 51_864)
            } catch let error as ModelError {
                #expect(error.description.contains(path.description))
            }
        }
    }
}
