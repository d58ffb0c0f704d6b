import WhisperEngine

extension ModelError: ReportedError {
    package var report: ErrorReport { ErrorReport(category.status, description, cure: advice) }
}

extension ComputeError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .outOfMemory: ErrorReport(.tryAgain, splitting: description)
        case .libraryMissing, .backendNotBuilt, .backendIsFloat32: ErrorReport(.unavailable, splitting: description)
        case .libraryFailed: .internalError(description)
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
