/// What is wrong with a model's file.
public enum ModelError: Error, Equatable, Sendable {
    case noFile(path: FilePath)
    case notPermitted(path: FilePath)
    case isFolder(path: FilePath)
    /// A device, a pipe, a socket.
    case notRegularFile(path: FilePath)
    case notReadable(path: FilePath, errno: Int32)
    /// Another program wrote to the file while it was being loaded.
    case changedWhileRead(path: FilePath)
    case empty(path: FilePath)
    case tooShort(path: FilePath, bytes: Int)
    /// The first bytes belong to something else: what, and what to take instead.
    case anotherFormat(path: FilePath, looksLike: String, instead: String)
    case unknownFormat(path: FilePath, firstBytes: [UInt8])
    case badField(path: FilePath, field: String, found: Int, expected: String)
    case badVocabulary(path: FilePath, entry: Int, offset: Int, problem: String)
    /// Pieces of characters were replaced by U+FFFD when the file was made.
    case damagedVocabulary(path: FilePath)
    /// A header in JSON: what it does.
    case badHeader(path: FilePath, problem: String)
    case badRecord(path: FilePath, offset: Int, problem: String)
    case unsupportedType(path: FilePath, tensor: String, type: String)
    case unknownTensor(path: FilePath, name: String, offset: Int)
    case duplicateTensor(path: FilePath, name: String)
    case missingTensors(path: FilePath, names: [String])
    case wrongShape(path: FilePath, tensor: String, expected: [Int], found: [Int])
    case oddRow(path: FilePath, tensor: String, row: Int, block: Int)
    /// The file ends before its tensors begin: inside its header, mel filters or vocabulary.
    case headerCut(path: FilePath, bytes: Int, part: String)
    case truncated(path: FilePath, bytes: Int, promised: Int)
    case trailingBytes(path: FilePath, count: Int, offset: Int)
    case notFinite(path: FilePath, tensor: String, index: Int)
    case vocabularyOnly(path: FilePath)
    /// Known from the header, before any weight is read; bytes.
    case notEnoughMemory(path: FilePath, needs: Int, available: Int)

    /// Kinds of errors by what a caller does about them.
    public enum Category: Hashable, Sendable {
        /// The file is no model, or a damaged one (exit status 65).
        case data
        /// There is no such file (69: what was asked for is not installed).
        case unavailable
        /// Reading failed midway (74).
        case ioError
        /// Worth trying again later, or with a smaller model (75).
        case outOfResources
        /// (77)
        case noPermission
    }

    public var category: Category {
        switch self {
        case .noFile: .unavailable
        case .notPermitted: .noPermission
        case .notReadable(_, let errno) where Self.isLackOfResources(errno): .outOfResources
        case .notReadable, .changedWhileRead: .ioError
        case .notEnoughMemory: .outOfResources
        default: .data
        }
    }
}
