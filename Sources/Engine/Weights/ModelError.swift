public import EngineBasics
import Glibc

/// Why a model cannot be loaded.
///
/// Every case names the file.
public enum ModelError: Error, Equatable, Sendable {
    case noFile(path: FilePath)
    case notPermitted(path: FilePath)
    case isFolder(path: FilePath)
    /// A device, pipe or socket.
    case notRegularFile(path: FilePath)
    case notReadable(path: FilePath, errno: Int32)
    /// Another program wrote to the file while it was being loaded.
    case changedWhileRead(path: FilePath)
    case empty(path: FilePath)
    case tooShort(path: FilePath, bytes: Int)
    /// Another kind of file, detected from its first bytes, and what to use instead.
    case anotherFormat(path: FilePath, looksLike: String, instead: String)
    case unknownFormat(path: FilePath, firstBytes: [UInt8])
    case badField(path: FilePath, field: String, found: Int, expected: String)
    case badVocabulary(path: FilePath, entry: Int, offset: Int, problem: String)
    /// Partial characters were replaced by U+FFFD when the file was converted.
    case damagedVocabulary(path: FilePath)
    /// A JSON header is invalid; `problem` is a predicate such as "is not an object".
    case badHeader(path: FilePath, problem: String)
    case badRecord(path: FilePath, offset: Int, problem: String)
    case unsupportedType(path: FilePath, tensor: String, type: String)
    case unknownTensor(path: FilePath, name: String, offset: Int)
    case duplicateTensor(path: FilePath, name: String)
    case missingTensors(path: FilePath, names: [String])
    case wrongShape(path: FilePath, tensor: String, expected: [Int], found: [Int])
    /// The rows of a quantized tensor are not a multiple of the block length.
    case oddRow(path: FilePath, tensor: String, row: Int, block: Int)
    /// The file ends before its tensors, inside the header, the mel filters or the vocabulary.
    case headerCut(path: FilePath, bytes: Int, part: String)
    /// The file ends inside its tensors.
    case truncated(path: FilePath, bytes: Int, promised: Int)
    case trailingBytes(path: FilePath, count: Int, offset: Int)
    /// An element is NaN or infinite.
    case notFinite(path: FilePath, tensor: String, index: Int)
    case vocabularyOnly(path: FilePath)
    /// A file of a model's folder, or the folder itself, cannot be used; `problem` is a predicate such as "is not an
    /// object".
    case badContents(path: FilePath, problem: String)
    /// A setting in a model's JSON file has a value that no Whisper model has.
    case badSetting(path: FilePath, key: String, found: String, expected: String)
    /// The output projection is not the token embedding, as it is in every Whisper model.
    case untiedOutput(path: FilePath, tensor: String)
    /// Files of a model's folder that do not exist.
    case missingFiles(path: FilePath, names: [String], purpose: String)
    /// A folder without any model file.
    case noModelInFolder(path: FilePath, names: [FilePath])
    /// A folder with more than one model file.
    case severalModels(path: FilePath, names: [FilePath])
    /// A ZIP archive ends before its directory.
    case noArchiveDirectory(path: FilePath, bytes: Int)
    /// A ZIP archive is damaged or of an unsupported kind; `problem` is a predicate such as "has a damaged end record".
    case badArchive(path: FilePath, problem: String)
    /// The pickle in a PyTorch file is damaged; `problem` begins with the name of the opcode at `offset`.
    case badPickle(path: FilePath, offset: Int, problem: String)
    /// The pickle in a PyTorch file names a function or class that weight files do not use.
    case foreignName(path: FilePath, name: String)
    /// A PyTorch file does not have the values of a Whisper checkpoint; `problem` is a predicate.
    case badCheckpoint(path: FilePath, problem: String)
    /// The dictionary in a PyTorch file has these keys instead of a Whisper checkpoint's.
    case otherCheckpoint(path: FilePath, keys: [String])
    /// A tensor does not fit in the file; `problem` is a predicate.
    case badTensor(path: FilePath, tensor: String, problem: String)
    /// In bytes; estimated from the header before any weight is read.
    case notEnoughMemory(path: FilePath, needs: Int, available: Int)

    /// The kinds of errors that callers handle differently.
    public enum Category: Hashable, Sendable {
        /// The file is not a model or is damaged.
        case data
        /// There is no such file.
        case unavailable
        /// Reading the file failed.
        case ioError
        /// Not enough memory or descriptors; worth retrying later or with a smaller model.
        case outOfResources
        /// The file may not be read.
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

extension ModelError: CustomStringConvertible {
    /// What is wrong and where.
    public var description: String {
        switch self {
        case .noFile(let path): "no model at \(path)"
        case .notPermitted(let path): "cannot read the model \(path): permission denied"
        case .isFolder(let path): "\(path) is a folder, not a model file"
        case .notRegularFile(let path): "\(path) is a device or a pipe, not a model file"
        case .notReadable(let path, let errno) where Self.isLackOfResources(errno):
            "too many open files or not enough memory to open the model \(path)"
        case .notReadable(let path, _): "cannot read the model \(path)"
        case .changedWhileRead(let path): "the model \(path) was changed while it was being loaded"
        case .empty(let path): "\(path) is an empty file, not a model"
        case .tooShort(let path, let bytes): "\(path) is too short to be a model (\(Counted.text(bytes, "byte")))"
        case .anotherFormat(let path, let looksLike, _): "cannot use \(path) as a model: it is \(looksLike)"
        case .unknownFormat(let path, let first):
            "\(path) is not in a known model format (first bytes \(first.map { Digits.hexadecimal($0) }.joined(separator: " ")))"
        case .badField(let path, let field, let found, let expected):
            "\(path): \(field) is \(found), expected \(expected)"
        case .badVocabulary(let path, let entry, let offset, let problem):
            "\(path): vocabulary entry \(entry) at offset \(offset) \(problem)"
        case .damagedVocabulary(let path): "\(path): the vocabulary was damaged by an old converter"
        case .badHeader(let path, let problem): "\(path): the header \(problem)"
        case .badRecord(let path, let offset, let problem): "\(path): tensor record at offset \(offset) \(problem)"
        case .unsupportedType(let path, let tensor, let type):
            "\(path): tensor \(tensor) is stored as \(type), which is not supported"
        case .unknownTensor(let path, let name, let offset):
            "\(path): unknown tensor \(ShellQuoting.shown(name)) at offset \(offset)"
        case .duplicateTensor(let path, let name): "\(path): duplicate tensor \(name)"
        case .missingTensors(let path, let names):
            "\(path): \(Counted.text(names.count, "tensor")) missing: \(names.prefix(3).joined(separator: ", "))"
                + (names.count > 3 ? ", …" : "")
        case .wrongShape(let path, let tensor, let expected, let found):
            "\(path): tensor \(tensor) has the shape \(found), expected \(expected)"
        case .oddRow(let path, let tensor, let row, let block):
            "\(path): rows of tensor \(tensor) have \(Counted.text(row, "element")), not a multiple of \(block)"
        case .headerCut(let path, let bytes, let part):
            "\(path) is truncated: it ends after \(Counted.text(bytes, "byte")), inside its \(part)"
        case .truncated(let path, let bytes, let promised):
            "\(path) is truncated: it ends after \(bytes) of \(promised) bytes"
        case .trailingBytes(let path, let count, let offset):
            "\(path): \(Counted.text(count, "unexpected byte")) at offset \(offset), after the last tensor"
        case .notFinite(let path, let tensor, let index):
            "\(path): element \(index) of tensor \(tensor) is not a finite number"
        case .badContents(let path, let problem): "\(path) \(problem)"
        case .badSetting(let path, let key, let found, let expected):
            "\(path): \(key) is \(found), expected \(expected)"
        case .untiedOutput(let path, let tensor):
            "\(path): tensor \(tensor) differs from the token embedding; an untied output layer is not supported"
        case .missingFiles(let path, let names, let purpose):
            "\(path): \(Self.listed(names)) missing (\(purpose))"
        case .noModelInFolder(let path, let names):
            names.isEmpty
                ? "\(path) is an empty folder, not a model"
                : "\(path) is a folder without a model; it contains \(Self.listed(names.map(\.description)))"
        case .severalModels(let path, let names):
            "\(path) is a folder with several models: \(Self.listed(names.map(\.description)))"
        case .vocabularyOnly(let path): "\(path) contains a vocabulary but no weights; it is a test file"
        case .noArchiveDirectory(let path, let bytes):
            "\(path) is truncated: it ends after \(Counted.text(bytes, "byte")), before its ZIP directory"
        case .badArchive(let path, let problem): "\(path): the ZIP archive \(problem)"
        case .badPickle(let path, let offset, let problem): "\(path): data.pkl, offset \(offset): \(problem)"
        case .foreignName(let path, let name):
            "\(path) refers to \(ShellQuoting.shown(name)), which no weight file needs; nothing was executed"
        case .badCheckpoint(let path, let problem): "\(path): the checkpoint \(problem)"
        case .otherCheckpoint(let path, let keys):
            "\(path) is not a Whisper checkpoint: expected the keys dims and model_state_dict, found "
                + (keys.isEmpty ? "none" : keys.prefix(6).map { ShellQuoting.shown($0) }.joined(separator: ", "))
                + (keys.count > 6 ? ", …" : "")
        case .badTensor(let path, let tensor, let problem): "\(path): tensor \(tensor) \(problem)"
        case .notEnoughMemory(let path, let needs, let available):
            "\(path) needs about \(Self.size(needs)) of memory, but only \(Self.size(available)) is available"
        }
    }

    /// Whether a system call failed for lack of descriptors or memory.
    private static func isLackOfResources(_ errno: Int32) -> Bool {
        errno == EMFILE || errno == ENFILE || errno == ENOMEM
    }

    /// The first names of a list.
    private static func listed(_ names: [String]) -> String {
        names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", … (\(names.count) in all)" : "")
    }

    /// With two decimals, so that two different sizes rarely look the same.
    private static func size(_ bytes: Int) -> String {
        let hundredths = max(0, bytes) / 10_000_000
        return "\(hundredths / 100).\(Digits.decimal(hundredths % 100)) GB"
    }
}

extension ModelError {
    /// The error of opening or reading the model's file.
    package init(_ error: FileError, path: FilePath) {
        self =
            switch error {
            case .noSuchFile: .noFile(path: path)
            case .notPermitted: .notPermitted(path: path)
            case .isFolder: .isFolder(path: path)
            case .notRegular: .notRegularFile(path: path)
            case .failed(let errno): .notReadable(path: path, errno: errno)
            case .truncated: .changedWhileRead(path: path)
            }
    }
}

/// A problem with a model that can be loaded nevertheless.
package enum ModelWarning: Equatable, Sendable {
    /// All matrices of the encoder are zero, so its output does not depend on the audio.
    case zeroEncoder(path: FilePath)
    /// A file of settings cannot be read; the defaults are used.
    case settingsIgnored(ModelError)
    /// Alignment heads of layers or heads that the decoder does not have.
    case alignmentHeadsDropped(path: FilePath, count: Int)
    /// The vocabulary was damaged by an old converter and has been replaced by the built-in one.
    case replacedVocabulary(path: FilePath)
    /// The folder has no tokenizer; the vocabulary that all models of its size share is used.
    case noVocabulary(path: FilePath)

    /// Whether to show it only in verbose output.
    package var isDetail: Bool {
        switch self {
        case .alignmentHeadsDropped, .noVocabulary: true
        case .zeroEncoder, .settingsIgnored, .replacedVocabulary: false
        }
    }
}

extension ModelWarning: CustomStringConvertible {
    package var description: String {
        switch self {
        case .zeroEncoder(let path): "\(path): all encoder weights are zero, so this model cannot work"
        case .settingsIgnored(let error): "\(error); its settings are ignored"
        case .alignmentHeadsDropped(let path, let count):
            "\(path): \(count) of the alignment heads \(count == 1 ? "is" : "are") not in the decoder and ignored"
        case .replacedVocabulary(let path):
            "\(path): the vocabulary was damaged by an old converter; using the built-in one"
        case .noVocabulary(let path): "\(path): no tokenizer.json or vocab.json; using the built-in vocabulary"
        }
    }
}
