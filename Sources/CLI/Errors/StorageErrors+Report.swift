import WhisperEngine

extension OutputError: ReportedError {
    package var report: ErrorReport { ErrorReport(status, description, advice: advice) }

    private var status: ExitStatus {
        switch self {
        case .unknownFormat, .emptyFormat: .usage
        case .noSpace, .writeFailed: .inputOutput
        case .busy, .outOfResources: .tryAgain
        default: .cannotCreate
        }
    }

    private var advice: String {
        switch self {
        case .unknownFormat, .emptyFormat:
            "use one or more of \(OutputFormat.allCases.map(\.rawValue).joined(separator: ",")), or all"
        case .sameOutput: "use a different output folder for each input, or rename one of them"
        case .overwritesInput: "choose another output folder or format"
        case .folderIsFile, .folderNotWritable, .readOnlyFileSystem: "choose another folder with --output-dir"
        case .folderMissing(let folder): "mkdir -p \(folder)"
        case .currentFolderDeleted: "change to another folder (cd)"
        case .nameTooLong: "use a shorter file name"
        case .outputIsFolder, .outputIsSpecial: "move it away, or choose another folder with --output-dir"
        case .danglingLink(let path): "rm \(path)"
        case .untrustedLink, .notALock: "move it away, or choose another folder with --output-dir"
        case .cannotLock: "check the disk, or choose another folder with --output-dir"
        case .ownerWouldChange: "remove the file, or choose another folder with --output-dir"
        case .noSpace: "free some space and run again; the text so far is on standard output"
        case .writeFailed: "choose another folder with --output-dir; the text so far is on standard output"
        case .busy: "wait for that run to finish, or choose another folder with --output-dir"
        case .outOfResources: "close other programs and run again"
        }
    }
}

extension OutputError {
    /// The report for a command whose only output is a file named on the command line.
    var conversionReport: ErrorReport {
        let advice =
            switch self {
            case .overwritesInput: "choose another name for the output"
            case .outputIsFolder(let path): "add a file name: \(path.appending("ggml-model.bin"))"
            case .folderIsFile, .folderNotWritable, .readOnlyFileSystem, .outputIsSpecial, .ownerWouldChange:
                "choose another output"
            case .noSpace: "free some space and run again, or choose another disk"
            case .writeFailed: "check the disk, or choose another output"
            case .busy: "wait for that run to finish"
            default: self.advice
            }
        return ErrorReport(status, description, advice: advice)
    }
}

extension JournalError: ReportedError {
    package var report: ErrorReport { ErrorReport(status, description, advice: advice) }

    private var status: ExitStatus {
        switch self {
        case .badName: .usage
        case .corrupt, .notAFile, .newer: .badData
        case .noSavedAudio: .noInput
        case .notOpen, .outOfOrder, .changed, .badTime: .internalError
        case .cannotCreate, .readOnly: .cannotCreate
        case .noSpace, .failed, .gone: .inputOutput
        case .storeBusy, .sessionBusy, .outOfMemory: .tryAgain
        case .notPermitted: .notPermitted
        }
    }

    private var advice: String {
        switch self {
        case .notPermitted: "ask its owner for access, or set XDG_DATA_HOME to a folder of your own"
        case .readOnly, .cannotCreate: "set XDG_DATA_HOME to a writable folder"
        case .corrupt(let path):
            "mv \(path) \(path.adding(".damaged")) to start a new store; sqlite3 FILE .recover extracts readable data"
        case .notAFile(let path): "move \(path) away"
        case .newer: "update whisper-local"
        case .storeBusy: "run again when the other program has finished"
        case .sessionBusy: "use another session name, or stop that recording first"
        case .noSpace: "free some space; final text is kept in memory and stored as soon as there is room"
        case .outOfMemory: "close other programs and run again"
        case .failed, .gone: "check that the disk is still available"
        case .badName: "use a name of 1 to \(SessionStore.maxNameBytes) bytes"
        case .notOpen, .outOfOrder, .changed, .badTime: "report this line and the command as a bug"
        case .noSavedAudio: "only sessions recorded with --keep-audio can be recovered"
        }
    }
}

extension StreamingError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .outOfRange(_, let allowed): ErrorReport(.usage, description, advice: "use \(allowed)")
        case .decodingFailed:
            ErrorReport(.internalError, description, advice: "start again; the text recognized so far has been saved")
        case .journalFailed:
            ErrorReport(
                .inputOutput, description, advice: "free some space, and copy the missing text from this terminal")
        case .spoolFailed: ErrorReport(.inputOutput, description, advice: "use a smaller model")
        }
    }
}
