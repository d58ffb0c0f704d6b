/// Why sound cannot be written down as it is heard.
public enum RecorderError: Error, Equatable, Sendable {
    /// A file that is there is not written over.
    case exists(FilePath)
    /// It is there, and nothing that was recorded here.
    case notARecording(FilePath)
    /// Another run records into it.
    case busy(FilePath)
    case folderMissing(FilePath)
    case notPermitted(FilePath)
    case cannotCreate(FilePath)
    case diskFull(FilePath)
    case writeFailed(FilePath)

    public enum Category: Sendable { case cannotCreate, ioError, busy }

    public var category: Category {
        switch self {
        case .exists, .notARecording, .folderMissing, .notPermitted, .cannotCreate: .cannotCreate
        case .busy: .busy
        case .diskFull, .writeFailed: .ioError
        }
    }

    /// What to do about it, one line.
    public var advice: String {
        switch self {
        case .exists, .notARecording: "give another name"
        case .busy: "end the other run, or give another name"
        case .folderMissing: "make the folder first"
        case .notPermitted, .cannotCreate: "choose a folder that can be written in"
        case .diskFull: "make room there; the text goes on without the sound"
        case .writeFailed: "look after the disk; the text goes on without the sound"
        }
    }
}

extension RecorderError: CustomStringConvertible {
    /// What is wrong and where, one line.
    public var description: String {
        switch self {
        case .exists(let path): "a file is there already, the sound is not written over it: \(path)"
        case .notARecording(let path): "no recording that could be gone on with: \(path)"
        case .busy(let path): "another run records into \(path)"
        case .folderMissing(let path): "no such folder: \(path.folder)"
        case .notPermitted(let path): "not permitted to write \(path)"
        case .cannotCreate(let path): "cannot write the sound to \(path)"
        case .diskFull(let path): "no space left for the sound in \(path.folder)"
        case .writeFailed(let path): "writing the sound failed: \(path)"
        }
    }
}
