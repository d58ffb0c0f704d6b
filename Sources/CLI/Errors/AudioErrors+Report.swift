import WhisperEngine

extension AudioFormatError: ReportedError {
    package var report: ErrorReport { ErrorReport(category.status, description, cure: advice) }
}

extension CaptureError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .unknownDevice(let name, let known):
            let nearest = Suggestion.nearest(to: name, among: known)
            let question = nearest.map { "; did you mean \(ShellQuoting.quoted($0))?" } ?? ""
            return ErrorReport(category.status, description + question, cure: advice)
        case .noMicrophone:
            return ErrorReport(category.status, description, cure: advice + "; --file FILE hears a recording")
        default:
            return ErrorReport(category.status, description, cure: advice)
        }
    }
}

extension RecorderError: ReportedError {
    package var report: ErrorReport { ErrorReport(category.status, description, cure: advice) }
}

extension AudioErrorCategory {
    fileprivate var status: ExitStatus {
        switch self {
        case .usage: .usage
        case .data: .badData
        case .noInput: .noInput
        case .unavailable: .unavailable
        case .ioError: .inputOutput
        case .temporaryFailure: .tryAgain
        case .noPermission: .notPermitted
        }
    }
}

extension RecorderError.Category {
    fileprivate var status: ExitStatus {
        switch self {
        case .cannotCreate: .cannotCreate
        case .ioError: .inputOutput
        case .busy: .tryAgain
        }
    }
}
