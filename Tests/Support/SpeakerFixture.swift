import EngineAudio
package import EngineBasics
package import EngineCompute
package import EngineVoices
import EngineWeights
import Foundation
import Testing

/// Golden data of the speakers' networks and chain, and the weights that `scripts/setup.sh --tests` installs.
package enum SpeakerFixture {
    package static let weights = weights("speakers")
    private static let multilabel = weights("speakers-2022")
    package static let isInstalled = weights != nil && multilabel != nil && RealSpeech.recordings != nil

    private static func weights(_ name: String) -> FilePath? {
        ProcessInfo.processInfo.environment["WHISPER_LOCAL_TEST_MODELS"]
            .map { URL(filePath: $0).appending(path: "\(name).safetensors").path }
            .flatMap { FileManager.default.isReadableFile(atPath: $0) ? FilePath($0) : nil }
    }

    /// Loads the networks in float32, in which the golden data is computed.
    package static func networks(
        _ type: ComputeType = .float32, _ version: SegmentationNetwork.Version = .powerset
    ) throws -> SpeakerNetworks {
        try SpeakerNetworks(#require(version == .powerset ? weights : multilabel), computeType: type)
    }

    /// A file of golden tensors.
    package struct Golden {
        private let file: SafetensorsFile

        package init(_ name: String) throws {
            file = try SafetensorsFile(FilePath(Fixtures.url("speakers/\(name).safetensors").path))
        }

        package func shape(_ name: String) throws -> [Int] { try file.tensor(name).shape }

        package func numbers(_ name: String) throws -> [Float] {
            let tensor = try file.tensor(name).floats()
            return tensor.values(0..<tensor.count)
        }

        package func integers(_ name: String) throws -> [Int] { try numbers(name).map { Int($0) } }
    }

    package struct Conversation: Decodable {
        package struct Clip: Decodable {
            package let file: String
            package let start: Double
        }

        package let seconds: Int
        package let clips: [Clip]
    }

    /// The samples of recordings that begin at given seconds.
    package static func mix(_ clips: [(file: String, start: Double)], count: Int? = nil) async throws -> [Float] {
        var sums: [Int] = []
        for clip in clips {
            let samples = try await pcm(clip.file), first = Int(clip.start * 16_000)
            let end = min(first + samples.count, count ?? Int.max)
            if sums.count < end { sums += repeatElement(0, count: end - sums.count) }
            for index in first..<end { sums[index] += samples[index - first] }
        }
        if let count { sums += repeatElement(0, count: count - sums.count) }
        return sums.map { Float(max(-32768, min(32767, $0))) / 32768 }
    }

    package static func conversation() async throws -> [Float] {
        let recipe: Conversation = try Fixtures.json("speakers/conversation.json")
        return try await mix(recipe.clips.map { ($0.file, $0.start) }, count: recipe.seconds * 16_000)
    }

    private static func pcm(_ file: String) async throws -> [Int] {
        let path = try #require(RealSpeech.recordings).appending(path: file).path
        var samples: [Int] = []
        for try await chunk in try AudioFile.open(FilePath(path)).chunks() {
            samples += chunk.samples.map { Int(($0 * 32768).rounded()) }
        }
        return samples
    }
}
