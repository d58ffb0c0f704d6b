import WhisperEngine

/// A network that helps a recognizer and is not one itself. It comes out of a Python package.
struct HelperNetwork {
    /// The name that `scripts/install-models.sh` knows.
    let name: String
    let fileName: String
    /// The size of the published file.
    let bytes: Int

    static let all = [
        HelperNetwork(name: "silero-vad", fileName: DetectorChoice.weightsName, bytes: 1_239_860),
        HelperNetwork(name: "speakers", fileName: SpeakerChoice.weightsName, bytes: 33_724_804),
    ]

    /// The first place that has the file, and its path.
    func installed(in search: ModelSearch) -> (place: ModelPlace, path: FilePath)? {
        for place in search.places {
            let path = place.folder.appending(FilePath(fileName))
            if case .success(let status) = FileSystem.status(path), status.kind == .file { return (place, path) }
        }
        return nil
    }
}
