import Foundation
import Testing

@Suite("Silero's network")
struct SileroNetworkTests {
    @Test("generated weights give the reference probabilities")
    func planted() throws {
        let planted = try PlantedSilero.load()
        let values = planted.samples.probabilities(by: try planted.network()).map(Double.init)
        #expect(values.count == planted.probabilities.count && values.count == 63)
        for (value, expected) in zip(values, planted.probabilities) { #expect(abs(value - expected) < 1e-4) }
    }

    @Test(
        "the published weights give the probabilities of silero-vad",
        .enabled(if: VoiceActivityFixture.weights != nil, RealSpeech.reason))
    func published() async throws {
        let path = try #require(VoiceActivityFixture.weights)
        let fixture = try VoiceActivityFixture.load()
        let network = try SileroNetwork(path)
        let samples = try await VoiceActivityFixture.clip()
        #expect(samples.count == fixture.samples)
        let values = samples.probabilities(by: network)
        #expect(values.count == 668 && fixture.probabilities.count == 668)
        for (index, (value, expected)) in zip(values, fixture.probabilities).enumerated() {
            #expect(abs(Double(value - expected)) < fixture.tolerance, "window \(index)")
        }
        for expected in fixture.states {
            var state = SileroState()
            for window in 0...expected.window {
                _ = network.probabilities(of: Array(samples[(window * 512)..<((window + 1) * 512)]), state: &state)[0]
            }
            for i in 0..<128 {
                #expect(abs(Double(state.hidden[i]) - expected.h_128[i]) < fixture.tolerance)
                #expect(abs(Double(state.cell[i]) - expected.c_128[i]) < fixture.tolerance)
            }
        }
    }

    @Test("probabilities do not depend on how many windows come at a time", arguments: [1, 2, 5, 16, 17, 63])
    func together(count: Int) throws {
        let planted = try PlantedSilero.load(), network = try planted.network()
        let expected = planted.samples.probabilities(by: network)
        let samples = planted.samples + [Float](repeating: 0, count: 512 * expected.count - planted.samples.count)
        var state = SileroState(), values: [Float] = []
        for start in stride(from: 0, to: samples.count, by: 512 * count) {
            let part = Array(samples[start..<min(samples.count, start + 512 * count)])
            values += network.probabilities(of: part, state: &state)
        }
        #expect(values == expected)
    }

    @Test("a window that is the same as the last one gives the same probability as one that is computed anew")
    func repeatedWindows() throws {
        let network = try PlantedSilero.load().network()
        let sound = PlantedNumbers.units(7, [], count: 512).map { Float($0 - 0.5) }
        let quiet = [Float](repeating: 0, count: 512)
        // A state that has seen other windows of the same network knows no outputs.
        func forgetful(_ state: SileroState) -> SileroState {
            var copy = SileroState()
            (copy.hidden, copy.cell, copy.context) = (state.hidden, state.cell, state.context)
            return copy
        }
        var state = SileroState()
        for window in [quiet, quiet, quiet, sound, sound, sound, quiet, quiet, sound] {
            var other = forgetful(state)
            let expected = network.probabilities(of: window, state: &other)[0]
            #expect(network.probabilities(of: window, state: &state)[0] == expected)
            #expect(state.hidden == other.hidden && state.cell == other.cell)
        }
    }

    @Test("a weights file with a missing or misshapen tensor is rejected")
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

    @Test("weights that are not finite are rejected")
    func notFinite() throws {
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
    /// Probabilities of windows of 512 samples, the last one padded with zeros.
    func probabilities(by network: SileroNetwork) -> [Float] {
        var state = SileroState()
        return stride(from: 0, to: count, by: 512).map { start in
            var window = Array(self[start..<Swift.min(start + 512, count)])
            window += [Float](repeating: 0, count: 512 - window.count)
            return network.probabilities(of: window, state: &state)[0]
        }
    }
}
