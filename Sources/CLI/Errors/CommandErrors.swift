package import WhisperEngine

/// A config file that cannot be read, or a line in it that is wrong.
package enum ConfigError: Error, Equatable, Sendable {
    /// - Parameter instead: how the line should probably be written.
    case badLine(file: FilePath, line: Int, UsageError, instead: String? = nil)
    case notText(file: FilePath, line: Int)
    case tooLarge(file: FilePath)
    case unreadable(file: FilePath)
    case notPermitted(file: FilePath)
}

extension ConfigError: ReportedError {
    package var report: ErrorReport {
        let advice = "fix the file, or ignore it with --no-config"
        return switch self {
        case .badLine(let file, let line, let error, let instead):
            ErrorReport(
                .usage, "\(file), line \(line): \(error.what)",
                advice: instead ?? error.advice
                    ?? "write one option per line, such as --language=de, or ignore the file with --no-config")
        case .notText(let file, let line):
            ErrorReport(.badData, "\(file), line \(line): not UTF-8 text", advice: advice)
        case .tooLarge(let file):
            ErrorReport(
                .badData, "config file larger than \(ConfigFile.maxSize / 1024) KiB: \(file)", advice: advice)
        case .unreadable(let file):
            ErrorReport(.noInput, "cannot read the config file \(file)", advice: advice)
        case .notPermitted(let file):
            ErrorReport(.notPermitted, "cannot read the config file \(file): permission denied", advice: advice)
        }
    }
}

/// An argument that yields no input. Problems with single files are reported by the engine when it opens them.
package enum InputError: Error, Equatable, Sendable {
    case emptyFolder(FilePath)
    case unreadableFolder(FilePath)
    case tooManyFiles(FilePath)
    case standardInputClosed
    case standardInputTerminal
}

extension InputError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .emptyFolder(let path):
            ErrorReport(
                .noInput, "no media files in folder \(ShellQuoting.inQuotes(path.bytes))",
                advice: "pass the recordings by name")
        case .unreadableFolder(let path):
            ErrorReport(
                .notPermitted, "cannot read folder \(ShellQuoting.inQuotes(path.bytes)): permission denied",
                advice: "change its permissions, or run as a user who may read it")
        case .tooManyFiles(let path):
            ErrorReport(
                .noInput, "more than \(InputList.maxFiles) files in folder \(ShellQuoting.inQuotes(path.bytes))",
                advice: "pass its subfolders one by one")
        case .standardInputClosed:
            ErrorReport(.noInput, "standard input is closed", advice: "pipe a recording in, or name a file")
        case .standardInputTerminal:
            ErrorReport(
                .usage, "standard input is a terminal, not a recording", advice: "pipe a recording in, or name a file")
        }
    }
}

/// A list of recordings that cannot be used.
package enum FileListError: Error, Equatable, Sendable {
    case unreadable(Input, FileSystem.Problem?)
    case empty(Input)
}

extension FileListError: ReportedError {
    package var report: ErrorReport {
        let advice = "name a file with one path on each line, or - for standard input"
        return switch self {
        case .empty(let list): ErrorReport(.noInput, "\(Self.name(of: list)) names no recordings", advice: advice)
        case .unreadable(let list, .missing): ErrorReport(.noInput, "no such list: \(list.name)", advice: advice)
        case .unreadable(let list, .notPermitted):
            ErrorReport(
                .notPermitted, "cannot read \(Self.name(of: list)): permission denied",
                advice: "change its permissions, or run as a user who may read it")
        case .unreadable(let list, .tooLarge):
            ErrorReport(
                .badData, "\(Self.name(of: list)) is larger than \(FileList.maxBytes >> 20) MiB",
                advice: "split it into several lists")
        case .unreadable(let list, _):
            ErrorReport(.noInput, "cannot read \(Self.name(of: list))", advice: advice)
        }
    }

    private static func name(of list: Input) -> String {
        list == .standardInput ? "the list read from standard input" : "the list \(list.name)"
    }
}

extension ModelSearchError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .notInstalled(let absence):
            ErrorReport(
                .unavailable, description,
                advice: absence.download.map { "whisper-local models pull \($0.name)" }
                    ?? "whisper-local models list, or pass the path of the weights")
        case .incomplete(let model):
            ErrorReport(
                .unavailable, description,
                advice: "let the program that downloads it finish, or "
                    + (ModelCatalogue.model(named: model.name).map {
                        "download it here: whisper-local models pull \($0.name)"
                    } ?? "use another model"))
        case .noPath: ErrorReport(.unavailable, description, advice: "whisper-local models list")
        case .notPermitted:
            ErrorReport(
                .notPermitted, description, advice: "change its permissions, or run as a user who may read it")
        }
    }

    /// The same report, with the environment variable that the name came from.
    package func report(from variable: String?) -> ErrorReport {
        guard let variable else { return report }
        return ErrorReport(report.status, "\(report.what) (from $\(variable))", advice: report.advice)
    }
}

/// Standard output that cannot be written.
package enum StreamError: Error, Equatable, Sendable {
    case closed
    case full
    case failed
}

extension StreamError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .closed:
            ErrorReport(
                .inputOutput, "cannot write to standard output: it is closed",
                advice: "redirect it to a file, a pipe or /dev/null")
        case .full:
            ErrorReport(
                .inputOutput, "cannot write to standard output: no space left",
                advice: "free some space, or write elsewhere")
        case .failed:
            ErrorReport(
                .inputOutput, "cannot write to standard output", advice: "redirect it to a file or a pipe")
        }
    }
}
