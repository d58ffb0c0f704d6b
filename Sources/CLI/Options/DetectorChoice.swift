import WhisperEngine

/// Which detector tells speech from silence.
enum DetectorChoice: String, CaseIterable, Sendable {
    /// Loudness above the noise.
    case energy
    /// Silero's network, whose weights are a file of their own.
    case silero

    private static let sileroFile = FilePath("silero_vad_16k.safetensors")

    /// - Throws: where the weights are missing or damaged.
    func detector(_ search: ModelSearch) throws -> any VoiceActivityDetector {
        switch self {
        case .energy: return EnergyDetector()
        case .silero:
            for folder in search.folders {
                let path = folder.appending(Self.sileroFile)
                guard case .success(let status) = FileSystem.status(path), status.kind == .file else { continue }
                do {
                    return SileroDetector(try SileroNetwork(path))
                } catch {
                    throw EngineErrors.report(error) ?? error
                }
            }
            let place = search.folders.first.map { "put it into \($0), or take " } ?? ""
            throw ErrorReport(
                .unavailable, "no weights of Silero's detector (\(Self.sileroFile)) are installed",
                cure: "\(place)--vad-model energy")
        }
    }
}

extension ListeningOptions {
    /// `nil` takes all sound for speech.
    func makeDetector(_ search: ModelSearch) throws -> (any VoiceActivityDetector)? {
        takesAllSound ? nil : try detector.detector(search)
    }
}
