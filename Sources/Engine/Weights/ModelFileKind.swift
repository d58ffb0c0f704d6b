/// What a file is, told by its first bytes; the name's ending is never believed.
enum ModelFileKind {
    case ggml
    /// Something else: what it is and what to take instead.
    case other(looksLike: String, instead: String)
    case unknown

    init(of file: MappedFile) {
        let first = file.bytes(0..<min(file.count, 512)) ?? []
        func starts(_ prefix: [UInt8]) -> Bool { first.starts(with: prefix) }
        func starts(_ text: String) -> Bool { starts(Array(text.utf8)) }
        let ggml = "take the ggml file of the same model (ggml-NAME.bin)"
        let again = "download the model again; what arrived is not the model"

        if starts([0x6c, 0x6d, 0x67, 0x67]) {
            if file.bytes(4..<min(file.count, 24)).map({ Self.contains($0, "silero") }) == true {
                self = .other(
                    looksLike: "a voice activity model", instead: "give a recognizer; this file finds speech only")
            } else {
                self = .ggml
            }
        } else if starts([0x50, 0x4b, 0x03, 0x04]) {
            self = .other(looksLike: "a ZIP archive or a PyTorch file", instead: ggml)
        } else if starts([0x80, 0x02]) || starts([0x80, 0x03]) || starts([0x80, 0x04]) || starts([0x80, 0x05]) {
            self = .other(
                looksLike: "a file in an old PyTorch format",
                instead: "save it again with a current PyTorch and convert it, or " + ggml)
        } else if starts("GGUF") {
            self = .other(looksLike: "a GGUF file", instead: "GGUF is not a whisper.cpp model; " + ggml)
        } else if starts([0x66, 0x6d, 0x67, 0x67]) || starts([0x74, 0x6a, 0x67, 0x67]) {
            self = .other(looksLike: "an old llama.cpp file", instead: ggml)
        } else if starts([6, 0, 0, 0]) && Self.contains(first, "WhisperSpec") {
            self = .other(looksLike: "a CTranslate2 model", instead: ggml)
        } else if starts("version https://git-lfs.github.com/spec/") {
            self = .other(
                looksLike: "a git-lfs pointer; the real file\(Self.pointedSize(first)) was not fetched",
                instead: "git lfs pull")
        } else if starts("<!DO") || starts("<!do") || starts("<htm") || starts("<HTM") || starts("<?xml")
            || starts("{\"error") || starts("Invalid username")
        {
            let words = String(decoding: first.prefix(40).filter { $0 >= 32 && $0 < 127 }, as: UTF8.self)
            self = .other(
                looksLike: "a web page or an error text (\(file.count) bytes, “\(words)”)", instead: again)
        } else if starts([0x1f, 0x8b]) || starts([0x28, 0xb5, 0x2f, 0xfd]) || starts([0x37, 0x7a, 0xbc, 0xaf])
            || starts([0xfd, 0x37, 0x7a, 0x58])
        {
            self = .other(looksLike: "a compressed archive", instead: "unpack it first")
        } else if starts("RIFF") || starts("fLaC") || starts("OggS") || starts("ID3") || starts("FORM") {
            self = .other(looksLike: "a recording", instead: "the model and the recording may be swapped")
        } else if let length = file.integer(at: 0, as: UInt64.self), length > 1, length <= 100_000_000,
            first.count > 8, first[8] == UInt8(ascii: "{")
        {
            self = .other(looksLike: "a safetensors file", instead: ggml)
        } else {
            self = .unknown
        }
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let text = Array(text.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: text) }
    }

    private static func pointedSize(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("size ") }),
            let size = Int(line.dropFirst(5))
        else { return "" }
        return " (\(size) bytes)"
    }
}
