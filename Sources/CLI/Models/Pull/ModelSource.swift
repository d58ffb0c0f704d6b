import WhisperEngine

/// A server with models.
struct ModelSource {
    static let variable = "WHISPER_LOCAL_MODEL_URL"
    /// Where whisper.cpp's models are published.
    private static let publisher = "https://huggingface.co/ggerganov/whisper.cpp/resolve/main/"

    /// An address with `{name}`, or one to which the file name is appended.
    private let address: String
    /// Set by the user, so that it may have models that are not in the catalogue.
    let isMirror: Bool

    /// - Throws: `PullError.badMirror`.
    init(_ environment: ProcessEnvironment) throws(PullError) {
        guard let mirror = environment.text(Self.variable) else {
            (address, isMirror) = (Self.publisher, false)
            return
        }
        let scheme = mirror.lowercased()
        let isPlain = mirror.utf8.allSatisfy { $0 > 32 && $0 < 127 }
        guard scheme.hasPrefix("https://") || scheme.hasPrefix("http://"), isPlain else { throw .badMirror(mirror) }
        (address, isMirror) = (mirror, true)
    }

    /// A source of one model.
    enum Place: Equatable {
        case server(url: String)
        case packages
    }

    /// The sources of a model in the order in which they are tried. A server that the user has chosen is the only one.
    func sources(of model: WantedModel) -> [Place] {
        if isMirror { return [.server(url: url(of: model))] }
        let published: [Place] = model.format != .safetensors ? [.server(url: url(of: model))] : []
        return published + (model.packaged == nil ? [] : [.packages])
    }

    func url(of model: WantedModel) -> String {
        if !isMirror, let address = model.address { return address }
        let placeholder = "{name}"
        guard let start = address.firstRange(of: placeholder) else {
            return address + (address.hasSuffix("/") ? "" : "/") + model.fileName
        }
        return "\(address[..<start.lowerBound])\(model.name)\(address[start.upperBound...])"
    }

    /// Whether a name is safe in a file name and an address.
    static func isValid(name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }
        return isPlain && !name.isEmpty && !name.hasPrefix(".") && !name.hasPrefix("-") && name.utf8.count <= 200
    }

    /// An address for messages: without the secrets that it may contain, a password and anything after `?` or `#`.
    static func shown(_ url: String) -> String {
        var rest = url[...]
        var shown = ""
        if let scheme = url.firstRange(of: "://") {
            shown = String(url[..<scheme.upperBound])
            rest = url[scheme.upperBound...]
        }
        let host = rest.prefix { !"/?#\\".contains($0) }
        if let at = host.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        let plain = rest.prefix { $0 != "?" && $0 != "#" }
        return shown + plain + (plain.endIndex == rest.endIndex ? "" : "?…")
    }
}

/// The file that a name stands for: what is known about it before the download.
struct WantedModel: Equatable {
    enum Format: String, Equatable {
        case ggml, safetensors
        case gguf = "GGUF"
        case nemo = "NeMo"

        init?(of head: [UInt8], size: Int) {
            if ModelFileKind.isSafetensors(head) {
                self = .safetensors
            } else if head.starts(with: GGUFFile.magic) {
                self = .gguf
            } else if TarArchive.recognizes(head) {
                self = .nemo
            } else if ModelFileKind(first: head, size: size) == .ggml {
                self = .ggml
            } else {
                return nil
            }
        }
    }

    let name: String
    let fileName: String
    let format: Format
    let bytes: Int?
    let digest: PublishedDigest?
    /// Whether the user has given the digest.
    let hasOwnDigest: Bool
    /// Where the publisher has it, if not beside whisper.cpp's models.
    let address: String?
    /// Python packages that contain the same model.
    let packaged: PackagedModel?
    /// The most bytes that a file of another size can have; `nil` if that depends on its head.
    private let mostBytes: Int?

    /// A recognizer that only the user's server has, in whisper.cpp's format.
    init(name: String, digest: PublishedDigest?) {
        (self.name, fileName, format) = (name, "ggml-\(name).bin", .ggml)
        (bytes, self.digest, address, hasOwnDigest) = (nil, digest, nil, digest != nil)
        // A digest that the user gives is that of a certain file.
        packaged = digest == nil ? PackagedModel.all[name] : nil
        mostBytes = nil
    }

    /// - Parameter sha256: `nil` for the published digest.
    init(_ model: PublishedModel, sha256: String?) {
        (name, fileName, address) = (model.name, model.fileName, model.address)
        format = fileName.hasSuffix(".gguf") ? .gguf : fileName.hasSuffix(".nemo") ? .nemo : .ggml
        (bytes, hasOwnDigest) = (sha256 == nil ? model.bytes : nil, sha256 != nil)
        digest = (sha256 ?? model.sha256).map { .sha256($0) } ?? model.sha1.map { .sha1($0) }
        packaged = sha256 == nil ? PackagedModel.all[name] : nil
        mostBytes = format == .ggml ? nil : Self.mostBytes
    }

    /// More than any published model in a format whose beginning says nothing about the size.
    private static let mostBytes = 8_000_000_000

    /// - Parameter sha256: `nil` for the digest of the file that is made of the packages.
    init(_ network: HelperNetwork, sha256: String?) {
        (name, fileName, format) = (network.name, network.fileName, .safetensors)
        (bytes, address, hasOwnDigest) = (sha256 == nil ? network.bytes : nil, nil, sha256 != nil)
        digest = .sha256(sha256 ?? network.sha256)
        packaged = PackagedModel.all[network.name]
        mostBytes = 4 * network.bytes
    }

    /// The most bytes that a file can have that begins like this. A server that announces no size could send for ever.
    func limit(head: [UInt8]) -> Int {
        if let limit = bytes ?? mostBytes { return limit }
        return ParakeetGGMLFile.recognizes(head) ? Self.mostBytes : GGMLSize.limit(first: head) ?? head.count
    }
}

/// A digest to compare a file with, in lower-case hexadecimal.
enum PublishedDigest: Equatable {
    case sha1(String)
    case sha256(String)
    /// The name that git gives to a file's content.
    case gitBlob(String)

    var kind: String {
        switch self {
        case .sha1: "SHA-1"
        case .sha256: "SHA-256"
        case .gitBlob: "git blob ID"
        }
    }

    var text: String {
        switch self {
        case .sha1(let text), .sha256(let text), .gitBlob(let text): text
        }
    }

    /// The digest of a file, of the same kind; `nil` if `progress` returned false.
    func computed(of file: ReadOnlyFile, progress: (Int) -> Bool = { _ in true }) throws(FileError) -> String? {
        switch self {
        case .sha1: try SHA1.hexadecimal(of: file, progress: progress)
        case .sha256: try SHA256.hexadecimal(of: file, progress: progress)
        case .gitBlob: try SHA1.hexadecimal(of: file, after: Array("blob \(file.count)\0".utf8), progress: progress)
        }
    }
}
