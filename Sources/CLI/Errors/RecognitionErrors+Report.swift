import WhisperEngine

extension ModelError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .noFile:
            ErrorReport(
                category.status, description,
                advice: advice + ", or run `whisper-local models list` to list the installed models")
        default: ErrorReport(category.status, description, advice: advice)
        }
    }
}

extension ConversionError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .exists:
            ErrorReport(.cannotCreate, description, advice: "choose another output, or replace it with --force")
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
        case .backendNotBuilt(_, let package):
            ErrorReport(
                .unavailable, description, advice: "install \(package) and build again, or use `--backend openblas`")
        case .backendIsFloat32:
            ErrorReport(.unavailable, description, advice: "use `--compute-type float32` or `--backend auto`")
        }
    }
}

extension DecodingError: ReportedError {
    package var report: ErrorReport { ErrorReport(.usage, splitting: description) }
}

extension LanguageError: ReportedError {
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
