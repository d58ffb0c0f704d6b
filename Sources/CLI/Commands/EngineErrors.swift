import WhisperEngine

/// The engine's errors as the user sees them.
enum EngineErrors {
    /// - Returns: `nil` for errors that the engine does not know, which are bugs.
    static func report(_ error: any Error) -> ErrorReport? {
        switch error {
        case let error as any ReportedError: error.report
        case let error as AudioFormatError:
            ErrorReport(status(error.category), error.description, cure: error.advice)
        case let error as CaptureError:
            ErrorReport(
                status(error.category), error.description + meant(error), cure: error.advice + instead(of: error))
        case let error as RecorderError:
            ErrorReport(status(error.category), error.description, cure: error.advice)
        case let error as ModelError: ErrorReport(status(error.category), error.description, cure: error.advice)
        case let error as OutputError:
            ErrorReport(status(error.category), error.description, cure: error.advice)
        case let error as JournalError: ErrorReport(status(error.category), error.description, cure: error.advice)
        case let error as StreamingError: parted(error.description, status(error))
        case .libraryFailed(_, _, _) as ComputeError: ErrorReport.internalError("\(error)")
        case let error as ComputeError: parted(error.description, status(error))
        case let error as DecodingError: parted(error.description, .usage)
        case let error as LanguageError: parted(error.description, .usage)
        default: nil
        }
    }

    /// The microphone whose name is near to an unknown one.
    private static func meant(_ error: CaptureError) -> String {
        guard case .unknownDevice(let name, let known) = error,
            let nearest = Suggestion.nearest(to: name, among: known)
        else { return "" }
        return "; did you mean \(ShellQuoting.quoted(nearest))?"
    }

    private static func instead(of error: CaptureError) -> String {
        if case .noMicrophone = error { return "; --file FILE hears a recording" }
        return ""
    }

    private static func status(_ category: AudioErrorCategory) -> ExitStatus {
        switch category {
        case .usage: .usage
        case .data: .badData
        case .noInput: .noInput
        case .unavailable: .unavailable
        case .ioError: .inputOutput
        case .temporaryFailure: .tryAgain
        case .noPermission: .notPermitted
        }
    }

    private static func status(_ category: JournalError.Category) -> ExitStatus {
        switch category {
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

    private static func status(_ error: StreamingError) -> ExitStatus {
        switch error {
        case .outOfRange: .usage
        case .decodingFailed: .internalError
        case .journalFailed, .spoolFailed: .inputOutput
        }
    }

    private static func status(_ category: OutputError.Category) -> ExitStatus {
        switch category {
        case .usage: .usage
        case .cannotCreate: .cannotCreate
        case .ioError: .inputOutput
        case .busy: .tryAgain
        }
    }

    private static func status(_ category: RecorderError.Category) -> ExitStatus {
        switch category {
        case .cannotCreate: .cannotCreate
        case .ioError: .inputOutput
        case .busy: .tryAgain
        }
    }

    private static func status(_ category: ModelError.Category) -> ExitStatus {
        switch category {
        case .data: .badData
        case .unavailable: .unavailable
        case .ioError: .inputOutput
        case .outOfResources: .tryAgain
        case .noPermission: .notPermitted
        }
    }

    private static func status(_ error: ComputeError) -> ExitStatus {
        switch error {
        case .outOfMemory: .tryAgain
        case .libraryMissing, .backendNotBuilt, .backendIsFloat32: .unavailable
        case .libraryFailed: .internalError
        }
    }

    /// `what where; what to do` in its two lines.
    private static func parted(_ text: String, _ status: ExitStatus) -> ErrorReport {
        guard let semicolon = text.firstIndex(of: ";") else { return ErrorReport(status, text) }
        let cure = text[text.index(after: semicolon)...].drop { $0 == " " }
        return ErrorReport(status, String(text[..<semicolon]), cure: String(cure))
    }
}
