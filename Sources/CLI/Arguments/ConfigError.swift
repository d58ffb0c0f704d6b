import WhisperEngine

/// What is wrong with the config file.
enum ConfigError: Error, Equatable, Sendable {
    case badLine(file: FilePath, line: Int, UsageError)
    case notText(file: FilePath, line: Int)
    case tooLarge(file: FilePath)
    case unreadable(file: FilePath)
    case notPermitted(file: FilePath)
}

extension ConfigError: ReportedError {
    var report: ErrorReport {
        switch self {
        case .badLine(let file, let line, let error):
            ErrorReport(.usage, "\(file), line \(line): \(error.what)", cure: error.cure ?? Self.leaveOut)
        case .notText(let file, let line):
            ErrorReport(.badData, "\(file), line \(line): not UTF-8 text", cure: Self.leaveOut)
        case .tooLarge(let file):
            ErrorReport(
                .badData, "\(file): more than \(ConfigFile.largestSize / 1024) KiB, too large for a config file",
                cure: Self.leaveOut)
        case .unreadable(let file):
            ErrorReport(.noInput, "\(file): not a file that can be read", cure: Self.leaveOut)
        case .notPermitted(let file):
            ErrorReport(.notPermitted, "\(file): not permitted to read the config file", cure: Self.leaveOut)
        }
    }

    private static let leaveOut = "mend the file, or leave it unread with --no-config"
}
