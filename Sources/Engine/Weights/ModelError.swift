/// What is wrong with a model's file.
public enum ModelError: Error, Equatable, Sendable {
    case noFile(path: FilePath)
    case notPermitted(path: FilePath)
    case isFolder(path: FilePath)
    case notReadable(path: FilePath, errno: Int32)
    case empty(path: FilePath)
    case tooShort(path: FilePath, bytes: Int)
    /// The first bytes belong to something else: what, and what to take instead.
    case anotherFormat(path: FilePath, looksLike: String, instead: String)
    case unknownFormat(path: FilePath, firstBytes: [UInt8])
    case badField(path: FilePath, field: String, found: Int, expected: String)
    case badVocabulary(path: FilePath, entry: Int, offset: Int, problem: String)
    case badRecord(path: FilePath, offset: Int, problem: String)
    case unsupportedType(path: FilePath, tensor: String, type: String)
    case unknownTensor(path: FilePath, name: String, offset: Int)
    case duplicateTensor(path: FilePath, name: String)
    case missingTensors(path: FilePath, names: [String])
    case wrongShape(path: FilePath, tensor: String, expected: [Int], found: [Int])
    case oddRow(path: FilePath, tensor: String, row: Int, block: Int)
    case truncated(path: FilePath, bytes: Int, promised: Int?)
    case trailingBytes(path: FilePath, count: Int, offset: Int)
    case notFinite(path: FilePath, tensor: String, index: Int)
    case vocabularyOnly(path: FilePath)
}

extension ModelError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noFile(let path): "no model at \(path)"
        case .notPermitted(let path): "not permitted to read the model \(path)"
        case .isFolder(let path): "\(path) is a folder, not a model file"
        case .notReadable(let path, _): "the model \(path) cannot be read"
        case .empty(let path): "\(path) is an empty file, not a model"
        case .tooShort(let path, let bytes): "\(path) is too short to be a model (\(bytes) bytes)"
        case .anotherFormat(let path, let looksLike, _): "\(path) is \(looksLike), not a model that can be used here"
        case .unknownFormat(let path, let first):
            "\(path) is not a model this program knows (first bytes \(Self.hexadecimal(first)))"
        case .badField(let path, let field, let found, let expected):
            "\(path): \(field) is \(found), expected \(expected)"
        case .badVocabulary(let path, let entry, let offset, let problem):
            "\(path): vocabulary entry \(entry) at offset \(offset) \(problem)"
        case .badRecord(let path, let offset, let problem): "\(path): tensor record at offset \(offset) \(problem)"
        case .unsupportedType(let path, let tensor, let type):
            "\(path): tensor \(tensor) is stored as \(type), which is not supported"
        case .unknownTensor(let path, let name, let offset):
            "\(path): unknown tensor \(ShellQuoting.quoted(name)) at offset \(offset)"
        case .duplicateTensor(let path, let name): "\(path): tensor \(name) comes twice"
        case .missingTensors(let path, let names):
            "\(path): \(names.count) tensors are missing: \(names.prefix(3).joined(separator: ", "))"
        case .wrongShape(let path, let tensor, let expected, let found):
            "\(path): tensor \(tensor) has the shape \(found), its header asks for \(expected)"
        case .oddRow(let path, let tensor, let row, let block):
            "\(path): rows of tensor \(tensor) have \(row) elements, not a multiple of the block's \(block)"
        case .truncated(let path, let bytes, let promised?): "\(path) ends after \(bytes) of \(promised) bytes"
        case .truncated(let path, let bytes, nil): "\(path) ends after \(bytes) bytes, inside its header"
        case .trailingBytes(let path, let count, let offset):
            "\(path): \(count) unexpected bytes at offset \(offset), after the last tensor"
        case .notFinite(let path, let tensor, let index):
            "\(path): element \(index) of tensor \(tensor) is not a finite number"
        case .vocabularyOnly(let path): "\(path) holds a vocabulary and no weights; it is a test file"
        }
    }

    /// What the user can do about it.
    public var advice: String {
        switch self {
        case .noFile: "check the path, or `whisper-local doctor` for the models that are installed"
        case .notPermitted: "make it readable, or copy it to a place that is"
        case .isFolder: "name the ggml file inside it"
        case .anotherFormat(_, _, let instead): instead
        case .unsupportedType: "convert it to f16, q5_0 or q8_0"
        case .notFinite: "fetch it again; a model fine-tuned in 16 bits may have overflowed"
        default: "fetch it again, it is damaged or was not downloaded completely"
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(separator: " ")
    }
}
