import Testing

/// What the rest of the program asks a family.
@Suite("Parakeet as a family of models")
struct ParakeetFamilyTests {
    @Test("a folder says what it is before it is loaded, and then is the same", arguments: ParakeetFixture.all)
    func stored(fixture: ParakeetFixture) throws {
        let stored = try ModelFamilies.open(fixture.folder)
        #expect(stored.format == "Hugging Face" && stored.mainType == .f16)
        let rows = Dictionary(uniqueKeysWithValues: stored.details.rows.map { ($0.title, $0.text) })
        let expected =
            switch fixture.name {
            case "ctc": ("2 layers, 4 heads, width 32", "CTC")
            case "rnnt": ("2 layers, 2 heads, width 32", "RNN-T, 1 layer, width 32")
            case "tdt-bias": ("2 layers, 2 heads, width 32", "TDT, 1 layer, width 32")
            default: ("2 layers, 4 heads, width 32", "TDT, 2 layers, width 32")
            }
        #expect(rows["encoder"] == expected.0 && rows["decoder"] == expected.1)
        let memory = [ComputeType.float32, .int16, .int8].map { stored.memory(ComputeOptions(computeType: $0)) }
        #expect(memory[0] > memory[1] && memory[1] >= memory[2] && memory[2] > 50_000_000)
        try stored.verify()
        let model = try stored.load(ComputeOptions(computeType: .float32, threads: 1))
        #expect(model.traits == stored.traits && model.traits.family.hasPrefix("Parakeet"))
    }

    @Test(
        "packed weights in a file give the same tokens",
        arguments: ParakeetFixture.all, [ComputeType.float32, .int16, .int8])
    func packed(fixture: ParakeetFixture, type: ComputeType) throws {
        let folder = try TemporaryFolder()
        var own: [Float] = []
        for isNew in [nil, true, false] as [Bool?] {
            var options = ComputeOptions(computeType: type, threads: 2)
            options.packedWeights = isNew.map { _ in folder.path("packed") }
            let model = try ParakeetModel.load(ParakeetFolder(fixture.folder), options: options)
            let encoded = try ParakeetEncoder(model).encode(fixture.features(model)), values = encoded.values
            switch model.packedWeights {
            case .own: #expect(isNew == nil)
            case .shared(_, let wasNew): #expect(isNew == wasNew)
            case .notShared(_, let failure): Issue.record("\(failure)")
            }
            if isNew == nil { own = values } else { #expect(values == own) }
        }
    }

    @Test("every round of a measurement decodes the same tokens", arguments: ParakeetFixture.all)
    func timer(fixture: ParakeetFixture) throws {
        let timer = try fixture.model().timer(of: fixture.samples, tokens: 7, beamSize: 1)
        for _ in 0..<2 {
            let times = try timer.measure(in: .elapsed)
            #expect(times.mel > .zero && times.encode > .zero && times.decode > .zero)
            #expect(try times.tokens == fixture.result.whole.tokens.count)
        }
    }
}
