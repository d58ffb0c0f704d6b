/// Why samples could not be put aside or read again.
public enum SampleStoreError: Error, Equatable, Sendable {
    case diskFull(FilePath)
    case writeFailed(FilePath)
    case readFailed(FilePath)
}

extension SampleStoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .diskFull(let folder): "no space left in \(folder) for the samples of a long recording"
        case .writeFailed(let folder): "writing failed in \(folder), where the samples of a long recording are kept"
        case .readFailed(let folder): "reading failed in \(folder), where the samples of a long recording are kept"
        }
    }

    public var advice: String { "make room there, or set TMPDIR to another folder" }
    public var category: AudioErrorCategory { .ioError }
}
