package import EngineBasics

/// An error while recording to a file.
package enum RecorderError: Error, Equatable, Sendable {
    /// The file already exists; it is not overwritten.
    case exists(FilePath)
    /// The file was not written by this recorder, so it cannot be continued.
    case notARecording(FilePath)
    /// Another process is recording to the file.
    case busy(FilePath)
    case folderMissing(FilePath)
    case notPermitted(FilePath)
    case cannotCreate(FilePath)
    case diskFull(FilePath)
    case writeFailed(FilePath)
}

extension RecorderError: CustomStringConvertible {
    /// What went wrong and where; one line.
    package var description: String {
        switch self {
        case .exists(let path): "file already exists: \(path)"
        case .notARecording(let path): "not a recording that can be continued: \(path)"
        case .busy(let path): "another process is recording to \(path)"
        case .folderMissing(let path): "no such folder: \(path.folder)"
        case .notPermitted(let path): "no permission to write \(path)"
        case .cannotCreate(let path): "cannot create the recording \(path)"
        case .diskFull(let path): "no space left for the recording in \(path.folder)"
        case .writeFailed(let path): "cannot write to the recording \(path)"
        }
    }
}
