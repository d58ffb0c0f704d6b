import EngineAudio
import EngineBasics
import EngineCompute
import EngineInstalled
import EngineModels
import EngineVocabulary
import EngineWeights
import EngineWhisper

/// A failure: a code for programs and a sentence for people.
struct InterfaceError: Error, Equatable {
    /// The codes that `whisper_local.h` lists.
    enum Code: String {
        case notFound = "not_found"
        case model, option, audio, memory, cancelled, handle, `internal`
    }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static let cancelled = InterfaceError(.cancelled, "the job was cancelled")
    static let badHandle = InterfaceError(.handle, "the handle is NULL, or was closed or freed")

    /// `{"code": …, "message": …}`
    var text: String { JSONText.object(members) }

    private var members: [(key: String, value: String)] {
        [("code", JSONText.string(code.rawValue)), ("message", JSONText.string(message))]
    }

    /// The same as an event.
    var event: String { JSONText.object([("type", JSONText.string("error"))] + members) }
}

// MARK: - Errors of the engine

extension InterfaceError {
    init(_ error: any Error) {
        switch error {
        case let error as InterfaceError: self = error
        case is CancellationError: self = .cancelled
        case let error as UnusedOptionsError:
            let names = error.names.map(OptionNames.inJSON)
            self.init(.option, UnusedOptionsError(names: names, family: error.family).description)
        default: self.init(Self.code(of: error), "\(error)")
        }
    }

    private static func code(of error: any Error) -> Code {
        switch error {
        case let error as ModelSearchError:
            if case .notPermitted = error { .model } else { .notFound }
        case let error as ModelError: code(of: error)
        case ComputeError.outOfMemory: .memory
        case is ComputeError: .model
        case let error as AudioFormatError: code(of: error)
        case DecodingError.notFinite, DecodingError.vocabularyTooSmall, DecodingError.wrongVocabulary: .model
        case StreamingError.outOfRange: .option
        case is DecodingError, is Language.LookupError, is VocabularyError: .option
        default: .internal
        }
    }

    private static func code(of error: ModelError) -> Code {
        switch error {
        case .noFile: .notFound
        case .notEnoughMemory: .memory
        default: .model
        }
    }

    private static func code(of error: AudioFormatError) -> Code {
        switch error {
        case .noSuchFile, .danglingLink, .linkLoop, .nameTooLong: .notFound
        case .badRawFormat, .noSuchTrack: .option
        case .outOfMemory, .tooManyOpenFiles: .memory
        case .cancelled: .cancelled
        default: .audio
        }
    }
}
