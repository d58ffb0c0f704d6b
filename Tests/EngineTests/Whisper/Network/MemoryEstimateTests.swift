import Foundation
import TestSupport
import Testing

@Suite("Memory estimate")
struct MemoryEstimateTests {
    @Test("a model that does not fit is rejected before any weight is read")
    func tooLittle() throws {
        let folder = try TemporaryFolder()
        var contents = GGMLContents(width: 2)
        // Would be rejected if it were read.
        contents["encoder.conv1.weight"].data = [UInt8](repeating: 0xff, count: 2 * 2 * 80 * 3)
        let path = try folder.write(contents.bytes)
        let file = try GGMLFile(path)
        let backend = try ComputeOptions(backend: .reference).makeBackend()
        let needs = MemoryEstimate.bytes(for: file.dimensions)
        #expect(throws: ModelError.notEnoughMemory(path: path, needs: needs, available: needs - 1)) {
            try WhisperModel(file, backend: backend, memory: needs - 1)
        }
        for memory in [needs, nil] {
            #expect(throws: ModelError.notFinite(path: path, tensor: "encoder.conv1.weight", index: 0)) {
                try WhisperModel(file, backend: backend, memory: memory)
            }
        }
    }

    /// Those of base.
    private static let baseDimensions = ModelDimensions(
        nMels: 80, nAudioCtx: 1500, nAudioState: 512, nAudioHead: 8, nAudioLayer: 6, nVocab: 51_865, nTextCtx: 448,
        nTextState: 512, nTextHead: 8, nTextLayer: 6)

    @Test("the estimate counts weights and cached windows in the number format of the products")
    func numberFormats() throws {
        let d = Self.baseDimensions
        func saved(_ type: ComputeType) -> Int {
            MemoryEstimate.bytes(for: d) - MemoryEstimate.bytes(for: d, computeType: type)
        }
        #expect(saved(.float32) == 0 && saved(.auto) == saved(ComputeType.auto.resolved))
        // Attention has 4 matrices of 512 × 512, and the two of an MLP have 4 times as many numbers.
        let square = 512 * 512, table = d.nVocab * 512, cache = 2 * 6 * 1500 * 512
        let convolutions = 3 * 80 * 512 + 3 * square
        if ComputeType.bfloat16.isAvailable {
            // The table is kept in float16, and in 8 bits for the approximate product.
            #expect(saved(.bfloat16) == 2 * (6 * (12 + 16) * square + convolutions + cache) + table)
        }
        if ComputeType.int8.isAvailable, ComputeType.bfloat16.isAvailable {
            #expect(saved(.int8) == 3 * (6 * (12 + 16) * square + convolutions) + 2 * cache + table)
        }
    }

    @Test("the estimate includes keys and values of all windows and beams decoded together")
    func batches() throws {
        let d = Self.baseDimensions
        func needs(_ windows: Int, _ rows: Int) -> Int {
            MemoryEstimate.bytes(for: d, decoding: DecodingCapacity(windows: windows, rowsPerWindow: rows))
        }
        #expect(needs(1, 5) == MemoryEstimate.bytes(for: d))
        let window = 2 * d.nTextLayer * d.nAudioCtx * d.nTextState
        let row = 2 * (d.nTextLayer * d.nTextCtx * d.nTextState + d.nVocab)
        #expect(needs(8, 1) - needs(2, 1) == 4 * 6 * (window + row))
        #expect(needs(8, 5) - needs(8, 1) == 4 * 32 * row)
        let path = FilePath(Fixtures.url("models/ggml-micro.en.bin").path(percentEncoded: false))
        let file = try GGMLFile(path), capacity = DecodingCapacity(windows: 8, rowsPerWindow: 5)
        let few = MemoryEstimate.bytes(for: file, decoding: capacity, keepsHalves: false) - 1
        #expect(few + 1 == MemoryEstimate.bytes(for: file.dimensions, decoding: capacity))
        #expect(throws: ModelError.notEnoughMemory(path: path, needs: few + 1, available: few)) {
            try file.checkMemory(needs: few + 1, threads: 1, memory: few)
        }
        try file.checkMemory(needs: few + 1, threads: 1, memory: few + 1)
        var options = TranscriptionOptions.reference
        options.batchSize = 8
        options.beamSize = 3
        options.whisper.decoding.bestOf = 5
        #expect(options.decodingCapacity == capacity)
    }

    @Test("while loading, the largest weight counts instead of activations and caches if it is larger")
    func loading() {
        // With one narrow layer, the token embedding is most of the network.
        let d = ModelDimensions(
            nMels: 80, nAudioCtx: 1500, nAudioState: 64, nAudioHead: 1, nAudioLayer: 1, nVocab: 51_865, nTextCtx: 448,
            nTextState: 64, nTextHead: 1, nTextLayer: 1)
        let weights = 4 * TensorShapes.all(d).reduce(0) { $0 + $1.shape.reduce(1, *) }
        #expect(
            MemoryEstimate.bytes(for: d, decoding: DecodingCapacity(windows: 1, rowsPerWindow: 1))
                == MemoryEstimate.base + weights + 4 * 64 * d.nVocab)
    }

    @Test("the estimate for loading a strided tensor includes all bytes that it is spread over")
    func strided() throws {
        let folder = try TemporaryFolder(), name = "decoder.token_embedding.weight", count = 51_864 * 2
        var contents = PyTorchContents(GGMLContents(width: 2))
        contents.storages.append([UInt8](repeating: 0, count: 4 * 8 * count))
        func path(_ strides: [Int], to file: String) throws -> FilePath {
            let key = "\(contents.storages.count - 1)"
            contents[name] = .tensor(
                storage: .storage("FloatStorage", key, 8 * count), offset: 0, sizes: [51_864, 2], strides: strides)
            return try folder.write(contents.bytes, to: file)
        }
        let plain = try PyTorchFile(path([2, 1], to: "plain.pt")),
            spread = try PyTorchFile(path([16, 1], to: "spread.pt"))
        let transposed = try PyTorchFile(path([1, 51_864], to: "transposed.pt"))
        let capacity = DecodingCapacity(windows: 1, rowsPerWindow: 1)
        func needs(_ file: any WhisperFile) -> Int { MemoryEstimate.bytes(for: file, decoding: capacity) }
        let weights = 4 * TensorShapes.all(plain.dimensions).reduce(0) { $0 + $1.shape.reduce(1, *) }
        let running = MemoryEstimate.bytes(for: plain.dimensions, decoding: capacity) - MemoryEstimate.base - weights
        // Whether its numbers are float16 is not checked, because the first row of a transposed matrix is spread over
        // nearly all of it.
        #expect(needs(transposed) == needs(plain) + 2 * count)
        #expect(needs(spread) == needs(transposed) - running + 4 * count + 4 * (51_863 * 16 + 2))
        let few = needs(spread) - 1
        #expect(throws: ModelError.notEnoughMemory(path: spread.path, needs: few + 1, available: few)) {
            try spread.checkMemory(needs: few + 1, threads: 1, memory: few)
        }
    }

    @Test("weights count with the width of the format that they are kept in")
    func formats() throws {
        let path = FilePath(Fixtures.url("models/ggml-micro.en.bin").path(percentEncoded: false))
        let file = try GGMLFile(path), folder = try TemporaryFolder()
        let d = file.dimensions, table = d.nVocab * d.nTextState
        var contents = GGMLContents([UInt8](try Data(contentsOf: Fixtures.url("models/ggml-micro.en.bin"))))
            .converted(to: .f32)
        let same = try GGMLFile(folder.write(contents.bytes, to: "same.bin"))
        // Not a float16 number.
        let third = Quantizer.bytes([Float(1) / 3], as: .f32)
        contents["decoder.blocks.1.mlp.2.weight"].data.replaceSubrange(0..<4, with: third)
        let single = try GGMLFile(folder.write(contents.bytes))
        func needs(_ type: ComputeType, _ file: any WhisperFile) -> Int {
            MemoryEstimate.bytes(for: file, computeType: type)
        }
        #expect(needs(.float32, single) == MemoryEstimate.bytes(for: d))
        // Decoding reads its weights as float16 if that is how they are stored: the table, and per layer six attention
        // matrices and the feed-forward ones.
        let decoding = table + d.nTextLayer * (4 + 2 + 8) * d.nTextState * d.nTextState
        #expect(needs(.float32, single) - needs(.float32, file) == 2 * decoding)
        #expect(needs(.float32, same) == needs(.float32, file))
        // For the other types the table is float16 with an 8-bit copy.
        #expect(needs(.bfloat16, single) == needs(.bfloat16, file))
        if ComputeType.bfloat16.isAvailable, ComputeType.int8.isAvailable {
            #expect(needs(.int8, file) < needs(.bfloat16, file) && needs(.bfloat16, file) < needs(.float32, single))
        }
    }
}
