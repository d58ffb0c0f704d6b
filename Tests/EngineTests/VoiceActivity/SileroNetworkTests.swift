import Foundation
import Testing
import WhisperEngine

@Suite("Silero's network")
struct SileroNetworkTests {
    @Test("with planted weights it computes what its description says")
    func planted() throws {
        let planted = try PlantedSilero.load()
        let found = planted.sound.probabilities(by: try planted.network()).map(Double.init)
        #expect(found.count == planted.probabilities.count && found.count == 63)
        for (value, expected) in zip(found, planted.probabilities) { #expect(abs(value - expected) < 1e-4) }
    }

    @Test(
        "with the published weights it gives the probabilities of silero-vad",
        .enabled(if: VoiceActivityFixture.weights != nil, VoiceActivityFixture.byHand))
    func published() async throws {
        let path = try #require(VoiceActivityFixture.weights)
        let fixture = try VoiceActivityFixture.load()
        let network = try SileroNetwork(path)
        let samples = try await VoiceActivityFixture.clip()
        #expect(samples.count == fixture.samples)
        let found = samples.probabilities(by: network)
        #expect(found.count == 668 && fixture.probabilities.count == 668)
        for (index, (value, expected)) in zip(found, fixture.probabilities).enumerated() {
            #expect(abs(Double(value - expected)) < fixture.tolerance, "window \(index)")
        }
        for expected in fixture.states {
            var state = SileroState()
            for window in 0...expected.window {
                _ = network.probability(of: Array(samples[(window * 512)..<((window + 1) * 512)]), state: &state)
            }
            for i in 0..<128 {
                #expect(abs(Double(state.hidden[i]) - expected.h_128[i]) < fixture.tolerance)
                #expect(abs(Double(state.memory[i]) - expected.c_128[i]) < fixture.tolerance)
            }
        }
    }

    @Test("a file without one of its tensors, or with another shape, is refused")
    func wrongFiles() throws {
        let folder = try TemporaryFolder()
        var contents = try PlantedSilero.load().contents
        contents.entries.removeLast()
        contents.data.removeLast(4)
        let path = try contents.write(to: folder.url.appending(path: "short.safetensors"))
        #expect(throws: ModelError.missingTensors(path: path, names: ["final_conv.bias"])) { try SileroNetwork(path) }
        contents.add("final_conv.bias", [2], [0, 0])
        let other = try contents.write(to: folder.url.appending(path: "wrong.safetensors"))
        #expect(
            throws: ModelError.badHeader(
                path: other, problem: "gives tensor final_conv.bias the shape [2], expected [1]")
        ) { try SileroNetwork(other) }
    }

    @Test("weights that are no numbers are refused")
    func noNumbers() throws {
        let folder = try TemporaryFolder()
        var contents = try PlantedSilero.load().contents
        contents.data.replaceSubrange((contents.data.count - 4)..., with: [0, 0, 0xc0, 0x7f])
        let path = try contents.write(to: folder.url.appending(path: "nan.safetensors"))
        #expect(throws: ModelError.notFinite(path: path, tensor: "final_conv.bias", index: 0)) {
            try SileroNetwork(path)
        }
    }
}

extension [Float] {
    /// Of windows of 512 samples, the last filled up with zeros.
    func probabilities(by network: SileroNetwork) -> [Float] {
        var state = SileroState()
        return stride(from: 0, to: count, by: 512).map { start in
            var window = Array(self[start..<Swift.min(start + 512, count)])
            window += [Float](repeating: 0, count: 512 - window.count)
            return network.probability(of: window, state: &state)
        }
    }
}
