import Testing
import WhisperEngine

@Suite("Memory for a model")
struct MemoryNeedsTests {
    @Test("is compared with what can be had before any weight is read")
    func tooLittle() throws {
        let folder = try TemporaryFolder()
        var contents = GGMLContents(width: 2)
        // Would be refused, were it read.
        contents["encoder.conv1.weight"].data = [UInt8](repeating: 0xff, count: 2 * 2 * 80 * 3)
        let path = try folder.write(contents.bytes)
        let file = try GGMLFile(path)
        let backend = try ComputeOptions(backend: .reference).makeBackend()
        let needs = MemoryNeeds.bytes(for: file.dimensions)
        #expect(throws: ModelError.notEnoughMemory(path: path, needs: needs, available: needs - 1)) {
            try WhisperModel(file, backend: backend, memory: needs - 1)
        }
        for memory in [needs, nil] {
            #expect(throws: ModelError.notFinite(path: path, tensor: "encoder.conv1.weight", index: 0)) {
                try WhisperModel(file, backend: backend, memory: memory)
            }
        }
    }
}
