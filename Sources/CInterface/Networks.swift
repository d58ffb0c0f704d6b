import EngineBasics
import EngineCompute
import EngineInstalled
import EngineVoices
import Synchronization

/// The networks for speech and speakers, each loaded once.
enum Networks {
    private static let sileros = Mutex<[FilePath: SileroNetwork]>([:])
    private static let speakers = Mutex<[FilePath: SpeakerNetworks]>([:])

    static func silero(_ path: FilePath?) throws -> SileroNetwork? {
        guard let path else { return nil }
        return try sileros.withLock { loaded in
            if let network = loaded[path] { return network }
            let network = try SileroNetwork(path)
            loaded[path] = network
            return network
        }
    }

    static func speakers(_ type: ComputeType) throws -> SpeakerNetworks {
        guard let path = Library.search().path(of: .speakers) else {
            throw InterfaceError(
                .notFound, "speakers.safetensors is not installed: whisper-local models pull speakers")
        }
        return try speakers.withLock { loaded in
            if let networks = loaded[path] { return networks }
            let networks = try SpeakerNetworks(path, computeType: type)
            loaded[path] = networks
            return networks
        }
    }
}
