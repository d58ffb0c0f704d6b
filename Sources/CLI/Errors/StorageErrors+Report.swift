import WhisperEngine

extension OutputError: ReportedError {
    package var report: ErrorReport { ErrorReport(category.status, description, cure: advice) }
}

extension JournalError: ReportedError {
    package var report: ErrorReport { ErrorReport(category.status, description, cure: advice) }
}

extension StreamingError: ReportedError {
    package var report: ErrorReport {
        let status: ExitStatus =
            switch self {
            case .outOfRange: .usage
            case .decodingFailed: .internalError
            case .journalFailed, .spoolFailed: .inputOutput
            }
        return ErrorReport(status, splitting: description)
    }
}

extension OutputError.Category {
    fileprivate var status: ExitStatus {
        switch self {
        case .usage: .usage
        case .cannotCreate: .cannotCreate
        case .ioError: .inputOutput
        case .busy: .tryAgain
        }
    }
}

extension JournalError.Category {
    fileprivate var status: ExitStatus {
        switch self {
        case .usage: .usage
        case .data: .badData
        case .noInput: .noInput
        case .misuse: .internalError
        case .cannotCreate: .cannotCreate
        case .ioError: .inputOutput
        case .busy: .tryAgain
        case .noPermission: .notPermitted
        }
    }
}
