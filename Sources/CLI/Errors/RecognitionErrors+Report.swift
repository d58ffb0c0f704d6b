import WhisperEngine

extension ModelError: ReportedError {
    package var report: ErrorReport { ErrorReport(category.status, description, advice: advice) }

    private var advice: String {
        switch self {
        case .noFile: "check the path, or run `whisper-local models list`"
        case .notPermitted: "make the file readable"
        case .isFolder: "specify a file"
        case .notRegularFile: "specify a regular file"
        case .notReadable where category == .outOfResources: "close other programs and try again"
        case .notReadable: "check the disk or network drive"
        case .changedWhileRead: "wait until the program that writes it has finished"
        case .anotherFormat(_, _, let instead): instead
        case .unsupportedType: "convert the model to f16, q5_0 or q8_0"
        case .damagedVocabulary:
            "download the current ggml file; this one would lose most accented and non-Latin letters"
        case .notFinite: "download it again; a model fine-tuned in 16 bits may have overflowed"
        case .foreignName: "use a model from a source that you trust, and do not load this one anywhere"
        case .otherCheckpoint:
            "use OpenAI's .pt file; Hugging Face's pytorch_model.bin needs the folder with its config.json"
        case .untiedOutput: "use a model with tied embeddings"
        case .missingFiles: "download the whole folder again"
        case .noModelInFolder: "specify a ggml file, or a CTranslate2 or Hugging Face folder with its config.json"
        case .severalModels: "specify one of the files"
        case .vocabularyOnly: "use the ggml file of the whole model"
        case .notEnoughMemory:
            "use a smaller model, close other programs, or raise the limit if there is one (ulimit -v)"
        default: "download it again; it is damaged or incomplete"
        }
    }
}

extension ConversionError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .exists:
            ErrorReport(.cannotCreate, description, advice: "choose another output, or replace it with --force")
        case .noRoom: ErrorReport(.badData, description, advice: "use it as it is")
        case .oddRow: ErrorReport(.badData, description, advice: "use --type f16")
        case .outOfRange: ErrorReport(.badData, description, advice: "use --type f32")
        }
    }
}

extension ComputeError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .outOfMemory: ErrorReport(.tryAgain, description)
        case .libraryMissing(_, let package):
            ErrorReport(.unavailable, description, advice: "install it with `apt install \(package)`")
        case .backendIsFloat32:
            ErrorReport(.unavailable, description, advice: "use `--compute-type float32` or `--backend auto`")
        }
    }
}

extension DecodingError: ReportedError {
    package var report: ErrorReport { ErrorReport(self == .notFinite ? .badData : .usage, splitting: description) }
}

extension VocabularyError: ReportedError {
    package var report: ErrorReport {
        let status: ExitStatus =
            switch self {
            case .missing, .unreadable: .noInput
            case .notPermitted: .notPermitted
            case .tooLarge, .invalid: .badData
            }
        return ErrorReport(status, splitting: description)
    }
}

extension UnusedOptionsError: ReportedError {
    package var report: ErrorReport { ErrorReport(.usage, splitting: description) }
}

extension Language.LookupError: ReportedError {
    package var report: ErrorReport { ErrorReport(.usage, splitting: description) }
}

extension ModelError.Category {
    fileprivate var status: ExitStatus {
        switch self {
        case .data: .badData
        case .unavailable: .unavailable
        case .ioError: .inputOutput
        case .outOfResources: .tryAgain
        case .noPermission: .notPermitted
        }
    }
}
