import Glibc

extension ModelError: CustomStringConvertible {
    /// What is wrong, and where.
    public var description: String {
        switch self {
        case .noFile(let path): "no model at \(path)"
        case .notPermitted(let path): "not permitted to read the model \(path)"
        case .isFolder(let path): "\(path) is a folder, not a model file"
        case .notRegularFile(let path): "\(path) is a device or a pipe, not a model file"
        case .notReadable(let path, let errno) where Self.isLackOfResources(errno):
            "too many open files or no memory while opening the model \(path)"
        case .notReadable(let path, _): "the model \(path) cannot be read"
        case .changedWhileRead(let path): "the model \(path) was changed while it was being loaded"
        case .empty(let path): "\(path) is an empty file, not a model"
        case .tooShort(let path, let bytes): "\(path) is too short to be a model (\(Self.counted(bytes, "byte")))"
        case .anotherFormat(let path, let looksLike, _): "\(path) is \(looksLike), not a model that can be used here"
        case .unknownFormat(let path, let first):
            "\(path) is not a model this program knows (first bytes \(Self.hexadecimal(first)))"
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
            "\(path): unknown tensor \(ShellQuoting.quoted(name)) at offset \(offset)"
        case .duplicateTensor(let path, let name): "\(path): tensor \(name) comes twice"
        case .missingTensors(let path, let names):
            "\(path): \(Self.counted(names.count, "tensor")) missing: \(names.prefix(3).joined(separator: ", "))"
                + (names.count > 3 ? ", …" : "")
        case .wrongShape(let path, let tensor, let expected, let found):
            "\(path): tensor \(tensor) has the shape \(found), its header asks for \(expected)"
        case .oddRow(let path, let tensor, let row, let block):
            "\(path): rows of tensor \(tensor) have \(Self.counted(row, "element")), not a multiple of the block's \(block)"
        case .headerCut(let path, let bytes, let part):
            "\(path) ends after \(Self.counted(bytes, "byte")), inside its \(part)"
        case .truncated(let path, let bytes, let promised): "\(path) ends after \(bytes) of \(promised) bytes"
        case .trailingBytes(let path, let count, let offset):
            "\(path): \(Self.counted(count, "unexpected byte")) at offset \(offset), after the last tensor"
        case .notFinite(let path, let tensor, let index):
            "\(path): element \(index) of tensor \(tensor) is not a finite number"
        case .vocabularyOnly(let path): "\(path) holds a vocabulary and no weights; it is a test file"
        case .notEnoughMemory(let path, let needs, let available):
            "\(path) needs about \(Self.size(needs)) of memory, \(Self.size(available)) can be had"
        }
    }

    /// What the user can do about it.
    public var advice: String {
        switch self {
        case .noFile: "check the path, or `whisper-local doctor` for the models that are installed"
        case .notPermitted: "make it readable, or copy it to a place that is"
        case .isFolder: "name the ggml file inside it"
        case .notRegularFile: "name a regular file"
        case .notReadable(_, let errno) where Self.isLackOfResources(errno): "again when other programs have ended"
        case .notReadable: "check the disk or the network it lies on"
        case .changedWhileRead: "again when the program that writes it is done"
        case .anotherFormat(_, _, let instead): instead
        case .unsupportedType: "convert it to f16, q5_0 or q8_0"
        case .damagedVocabulary:
            "fetch the model's current ggml file; its text would lack most accented and non-Latin letters"
        case .notFinite: "fetch it again; a model fine-tuned in 16 bits may have overflowed"
        case .vocabularyOnly: "take the ggml file of the whole model"
        case .notEnoughMemory: "a smaller model, end other programs, or raise the limit where there is one (ulimit -v)"
        default: "fetch it again, it is damaged or was not downloaded completely"
        }
    }

    /// Whether a system call failed for want of descriptors or memory.
    static func isLackOfResources(_ errno: Int32) -> Bool {
        errno == EMFILE || errno == ENFILE || errno == ENOMEM
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// Two digits behind the point, so that 1.9 GB against 1.9 GB cannot happen often.
    private static func size(_ bytes: Int) -> String {
        let hundredths = max(0, bytes) / 10_000_000
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) GB"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(separator: " ")
    }
}

extension ModelError {
    /// What went wrong with the file as a file.
    init(_ error: FileError, path: FilePath) {
        self =
            switch error {
            case .noSuchFile: .noFile(path: path)
            case .notPermitted: .notPermitted(path: path)
            case .isFolder: .isFolder(path: path)
            case .notRegular: .notRegularFile(path: path)
            case .failed(let errno): .notReadable(path: path, errno: errno)
            case .cutShort: .changedWhileRead(path: path)
            }
    }
}
