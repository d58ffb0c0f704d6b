package import WhisperEngine

/// Something to recognize.
package enum Input: Hashable, Sendable {
    case standardInput
    case file(FilePath)

    /// `-` for standard input.
    package var path: FilePath {
        switch self {
        case .standardInput: FilePath("-")
        case .file(let path): path
        }
    }

    /// As messages call it.
    package var name: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let path): path.description
        }
    }
}
