import Foundation
import Testing
import WhisperEngine

@Suite("Memory for a model")
struct MemoryEstimateTests {
    @Test("is compared with what can be had before any weight is read")
    func tooLittle() throws {
        let folder = try TemporaryFolder()
        var contents = GGMLContents(width: 2)
        // Would be refused, were it read.
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

    @Test("counts keys and values of all windows and beams that are decoded at once")
    func batches() throws {
        let path = FilePath(Fixtures.url("models/ggml-micro.en.bin").path(percentEncoded: false))
        let file = try GGMLFile(path)
        let d = file.dimensions
        func needs(_ windows: Int, _ rows: Int) -> Int {
            MemoryEstimate.bytes(for: d, decoding: DecodingCapacity(windows: windows, rowsPerWindow: rows))
        }
        #expect(needs(1, 5) == MemoryEstimate.bytes(for: d))
        let window = 2 * d.nTextLayer * d.nAudioCtx * d.nTextState
        let row = 2 * (d.nTextLayer * d.nTextCtx * d.nTextState + d.nVocab)
        #expect(needs(8, 1) - needs(1, 1) == 4 * 7 * (window + row))
        #expect(needs(8, 5) - needs(8, 1) == 4 * 32 * row)
        let room = DecodingCapacity(windows: 8, rowsPerWindow: 5), few = needs(8, 5) - 1
        #expect(throws: ModelError.notEnoughMemory(path: path, needs: few + 1, available: few)) {
            try MemoryEstimate.check(file, decoding: room, threads: 1, memory: few)
        }
        try MemoryEstimate.check(file, decoding: room, threads: 1, memory: few + 1)
        var options = TranscriptionOptions()
        options.batchSize = 8
        options.decoding.beamSize = 3
        options.decoding.bestOf = 5
        #expect(options.decodingCapacity == room)
    }
}
