import EngineBasics
import EngineCompute
import EngineInstalled
import EngineModels
import EngineTranscription
import EngineWeights
import Synchronization

/// A model and what its jobs share.
final class LoadedModel: Sendable {
    let speech: any SpeechModel
    /// What `wl_model_info` returns.
    let info: String
    /// A recognizer without a job, whose memory the next job can use.
    private let idle = Mutex<Recognizer?>(nil)

    /// - Throws: `InterfaceError`, `ModelSearchError`, `ModelError`, `ComputeError`.
    init(_ name: [UInt8], options text: [UInt8]?) throws {
        var reader = try OptionReader(text)
        var options = ComputeOptions()
        try reader.read("compute_type", .choice, into: &options.computeType)
        try reader.read("threads", .integer(1...1024), into: &options.threads)
        try reader.read("backend", .choice, into: &options.backend)
        let folder = try reader.value("model_dir", .text)
        options.packedWeights = try reader.value("packed_weights", .text).map { FilePath($0) }
        try reader.finish()
        let match = try Library.search(first: folder.map { FilePath($0) }).find(name)
        let stored = try ModelFamilies.open(match.path)
        speech = try stored.load(options)
        info = Self.info(match, stored, speech, options)
    }

    private static func info(
        _ match: ModelMatch, _ stored: any StoredModel, _ model: any SpeechModel, _ options: ComputeOptions
    ) -> String {
        let traits = model.traits
        return JSONText.object([
            ("name", JSONText.string(match.name)), ("path", EventText.path(match.path)),
            ("family", JSONText.string(traits.family)), ("multilingual", "\(traits.isMultilingual)"),
            ("languages", JSONText.array(traits.languages.map { JSONText.string($0.code) })),
            ("compute_type", JSONText.string(model.backend.computeType.rawValue)),
            ("kernels", JSONText.string(model.backend.kernels)), ("threads", "\(model.backend.threads)"),
            ("vocabulary_size", "\(traits.vocabularySize)"), ("format", JSONText.string(stored.format)),
            ("parameters", "\(stored.parameters)"), ("bytes", "\(ModelState.bytes(of: match.path))"),
            ("memory", "\(stored.memory(options))"), ("demonstration", "\(traits.isDemonstration)"),
            ("warnings", JSONText.array(model.warnings.map { JSONText.string("\($0)") })),
            ("details", JSONText.object(stored.details.members)),
        ])
    }

    /// A recognizer for one job; its memory is that of an earlier one if possible.
    func takeRecognizer() -> Recognizer {
        let last = idle.withLock { idle in
            defer { idle = nil }
            return idle
        }
        return last ?? Recognizer(speech)
    }

    /// Takes back the recognizer of a job that has ended.
    func putBack(_ recognizer: Recognizer) { idle.withLock { $0 = recognizer } }
}
