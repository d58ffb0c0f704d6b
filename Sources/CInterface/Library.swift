import BuildRecord
import EngineAudio
import EngineBasics
import EngineCompute
import EngineInstalled
import EngineTranscripts

/// What the library knows of itself and of this machine.
enum Library {
    /// Searches for models and networks as the program does, then in the library's own folder.
    ///
    /// - Parameter first: a folder to search before all others.
    static func search(first: FilePath? = nil) -> ModelSearch {
        let path = LoadedLibrary.path
        return ModelSearch(
            first: first, environment: .process, executable: path ?? ProcessEnvironment.executable,
            beside: path?.folder)
    }

    /// What `wl_find_model` returns.
    ///
    /// - Throws: `InterfaceError`, `ModelSearchError`.
    static func find(_ name: [UInt8], options text: [UInt8]?) throws -> String {
        var reader = try OptionReader(text)
        let folder = try reader.value("model_dir", .text)
        try reader.finish()
        let match = try search(first: folder.map { FilePath($0) }).find(name)
        return JSONText.object([("name", JSONText.string(match.name)), ("path", EventText.path(match.path))])
    }

    /// What `wl_features` returns.
    static func features() -> String {
        let search = search()
        let libraries = [
            ("ffmpeg", hasFFmpeg), ("openblas", OpenBLASLibrary.shared.isInstalled),
        ]
        let models = search.installed().map { model in
            JSONText.object([("name", JSONText.string(model.name)), ("path", EventText.path(model.path))])
        }
        return JSONText.object([
            ("version", JSONText.string("\(BuildRecord.version)")),
            ("instruction_set", JSONText.string(Processor.instructionSet)),
            ("cores", "\(Processor.availableCores)"),
            ("libraries", JSONText.object(libraries.map { ($0.0, "\($0.1)") })),
            ("formats", JSONText.array(OutputFormat.allCases.map { JSONText.string($0.rawValue) })),
            (
                "compute_types",
                JSONText.array(ComputeType.allCases.filter(\.isAvailable).map { JSONText.string($0.rawValue) })
            ),
            ("speech_network", search.path(of: .silero).map(EventText.path) ?? "null"),
            ("speaker_network", search.path(of: .speakers).map(EventText.path) ?? "null"),
            ("models", JSONText.array(models)),
        ])
    }

    private static var hasFFmpeg: Bool {
        #if HAS_FFMPEG
            FFmpegSource.libraryVersion != nil
        #else
            false
        #endif
    }
}
