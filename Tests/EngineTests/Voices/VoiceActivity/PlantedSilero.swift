import Foundation

/// Silero's network with generated weights, a generated signal, and the probabilities expected for it.
struct PlantedSilero: Decodable {
    struct Entry: Decodable {
        let name: String
        let shape: [Int]
        let scale: Double
    }

    let seconds: Int
    let tensors: [Entry]
    let probabilities: [Double]

    static func load() throws -> PlantedSilero { try Fixtures.json("vad/random.json") }

    private static func planted(_ seed: Int, _ count: Int, _ scale: Double) -> [Float] {
        PlantedNumbers.units(seed, [], count: count).map { Float(($0 - 0.5) * scale) }
    }

    var samples: [Float] {
        let gain = Self.planted(2001, 125 * seconds, 2)
        return Self.planted(2000, 16_000 * seconds, 0.5).enumerated().map { index, value in
            Float(Double(value) * Double(gain[index / 128]))
        }
    }

    /// The weights file.
    var contents: SafetensorsContents {
        var contents = SafetensorsContents()
        for (index, tensor) in tensors.enumerated() {
            contents.add(
                tensor.name, tensor.shape,
                Self.planted(1000 + index, tensor.shape.reduce(1, *), tensor.scale))
        }
        return contents
    }

    func network() throws -> SileroNetwork {
        let folder = try TemporaryFolder()
        return try SileroNetwork(contents.write(to: folder.url.appending(path: "planted.safetensors")))
    }
}
