package import WhisperEngine

/// Why there is no model to load.
package enum ModelSearchError: Error, Equatable, Sendable {
    case notInstalled(name: [UInt8], installed: [String], nearest: String?)
    case noPath(FilePath)
    case folderWithoutModel(FilePath)
    case notPermitted(FilePath)
}

extension ModelSearchError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .notInstalled(let name, let installed, let nearest):
            ErrorReport(
                .unavailable,
                "no model \(ShellQuoting.quoted(name))" + (nearest.map { "; did you mean \($0)?" } ?? "")
                    + " (installed: \(installed.isEmpty ? "none" : installed.joined(separator: ", ")))",
                cure: "give the weights' path, or put them into a folder that `whisper-local doctor` names")
        case .noPath(let path):
            ErrorReport(
                .unavailable, "no model at \(path): there is no such file",
                cure: "whisper-local doctor lists the models found")
        case .folderWithoutModel(let path):
            ErrorReport(
                .badData, "no model in the folder \(path): it has no config.json",
                cure: "name the folder that holds config.json and model.safetensors, or the weight file itself")
        case .notPermitted(let path):
            ErrorReport(.notPermitted, "not permitted to read the model \(path)", cure: "ask its owner, or copy it")
        }
    }

    /// The same report, naming the environment variable that the name came from.
    package func report(from variable: String?) -> ErrorReport {
        guard let variable else { return report }
        return ErrorReport(report.status, "\(report.what) (from $\(variable))", cure: report.cure)
    }
}
