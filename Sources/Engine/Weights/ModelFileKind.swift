package import EngineBasics

/// The kind of a file, detected from its first bytes; file name extensions are ignored.
package enum ModelFileKind: Equatable {
    case ggml
    /// A ZIP archive, possibly a PyTorch file.
    case zip
    /// A CTranslate2 model of any version and architecture.
    case ctranslate2
    /// A safetensors file, which may contain anything.
    case safetensors
    /// Another format: what it looks like and what to use instead.
    case other(looksLike: String, instead: String)
    case unknown

    /// The number of bytes that `init(first:size:)` can make use of.
    package static let headBytes = 512
    package static let useAnother =
        "use the same model as a ggml file (ggml-NAME.bin), or its CTranslate2 or Hugging Face folder"

    /// - Throws: `FileError` if the first bytes cannot be read.
    package init(of file: ReadOnlyFile) throws(FileError) {
        self.init(first: try file.bytes(0..<min(file.count, Self.headBytes)), size: file.count)
    }

    /// Whether a file looks like a standalone model: a ggml file, or a ZIP archive that starts like PyTorch's. Other
    /// archives, such as those of whisper.cpp's Core ML encoders, are often left beside models.
    package static func isModel(_ file: ReadOnlyFile) throws(FileError) -> Bool {
        let first = try file.bytes(0..<min(file.count, headBytes))
        return switch ModelFileKind(first: first, size: file.count) {
        case .ggml: true
        case .zip: contains(first[...], "/data.pkl")
        case .ctranslate2, .safetensors, .other, .unknown: false
        }
    }

    /// - Parameters:
    ///   - first: the first bytes of the file, up to `headBytes`.
    ///   - size: the size of the whole file in bytes.
    package init(first: [UInt8], size: Int) {
        if first.starts(with: [0x6c, 0x6d, 0x67, 0x67]) {
            self = Self.contains(first.prefix(24), "silero") ? Self.voiceActivity : .ggml
        } else {
            self =
                Self.model(first) ?? Self.pointer(first) ?? Self.archive(first) ?? Self.recording(first)
                ?? Self.text(first, size: size) ?? .unknown
        }
    }

    /// Why a file cannot be used as a model by a reader that expects another kind: what it is instead.
    package static func refusal(of path: FilePath) -> ModelError {
        func another(_ looksLike: String, _ instead: String = useAnother) -> ModelError {
            .anotherFormat(path: path, looksLike: looksLike, instead: instead)
        }
        do throws(FileError) {
            let file = try ReadOnlyFile(path), first = try file.bytes(0..<min(file.count, headBytes))
            if file.count == 0 { return .empty(path: path) }
            if file.count < 4 { return .tooShort(path: path, bytes: file.count) }
            return switch ModelFileKind(first: first, size: file.count) {
            case .ggml: another("a ggml file")
            case .zip: another("a ZIP archive")
            case .ctranslate2: another("a CTranslate2 model")
            case .safetensors: another("a safetensors file")
            case .other(let looksLike, let instead): another(looksLike, instead)
            case .unknown: .unknownFormat(path: path, firstBytes: Array(first.prefix(8)))
            }
        } catch { return ModelError(error, path: path) }
    }

    private static let voiceActivity = ModelFileKind.other(
        looksLike: "a voice activity model", instead: "use a speech recognition model; this one only detects speech")
    package static let adapter = (looksLike: "a LoRA adapter", instead: "merge it into its base model first")

    private static func model(_ first: [UInt8]) -> ModelFileKind? {
        if starts(first, "GGUF") {
            return .other(looksLike: "a GGUF file", instead: "GGUF is not a whisper.cpp model; " + useAnother)
        }
        if starts(first, "fmgg") || starts(first, "tjgg") {
            return .other(looksLike: "an old llama.cpp file", instead: useAnother)
        }
        if isCTranslate2(first) { return .ctranslate2 }
        if isSafetensors(first) {
            if contains(first[...], ".lora_") {
                return .other(looksLike: adapter.looksLike, instead: adapter.instead)
            }
            // Silero's own file has no metadata, and begins with the first convolution.
            let marks = ["silero", "lstm_cell.", "\"stft_conv.", "\"conv1."]
            return marks.contains { contains(first[...], $0) } ? voiceActivity : .safetensors
        }
        if starts(first, "PK\u{3}\u{4}") {
            // Silero's TorchScript file is named after its class.
            return contains(first[...], "silero") || contains(first[...], "VADRNNJIT") ? voiceActivity : .zip
        }
        if first.count >= 2, first[0] == 0x80, (2...5).contains(first[1]) {
            return .other(
                looksLike: "a file in an old PyTorch format",
                instead: "save it with a current PyTorch and convert it, or " + useAnother)
        }
        if first.count >= 3, first[0] == 8, first[1] < 32, first[2] == 0x12 {
            return .other(looksLike: "an ONNX model", instead: useAnother)
        }
        if first.starts(with: [0x89, 0x48, 0x44, 0x46]) || starts(first.dropFirst(4), "TFL3") {
            return .other(looksLike: "a TensorFlow model", instead: useAnother)
        }
        return nil
    }

    /// Whether the file starts with a small version number and a specification's name, whose length includes a zero.
    private static func isCTranslate2(_ first: [UInt8]) -> Bool {
        guard first.count > 6, (1...99).contains(first[0]), first[1...3].allSatisfy({ $0 == 0 }) else { return false }
        let end = 6 + Int(first[4]) + Int(first[5]) << 8
        return end <= first.count && first[6..<end].elementsEqual(first[6..<end].dropLast(5) + Array("Spec\0".utf8))
    }

    /// Whether the file starts with a length and an opening brace.
    package static func isSafetensors(_ first: [UInt8]) -> Bool {
        guard first.count > 8, first[8] == UInt8(ascii: "{") else { return false }
        let length = first[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return length >= 2 && length <= SafetensorsFile.maxHeaderBytes
    }

    private static func pointer(_ first: [UInt8]) -> ModelFileKind? {
        guard starts(first, "version https://git-lfs.github.com/spec/") else { return nil }
        let lines = String(decoding: first, as: UTF8.self).split(separator: "\n")
        let size = lines.first { $0.hasPrefix("size ") }.flatMap { Int($0.dropFirst(5)) }
        return .other(
            looksLike: "a git-lfs pointer; the real file\(size.map { " (\($0) bytes)" } ?? "") was not fetched",
            instead: "git lfs pull")
    }

    private static func archive(_ first: [UInt8]) -> ModelFileKind? {
        let magics: [[UInt8]] = [
            [0x1f, 0x8b], [0x28, 0xb5, 0x2f, 0xfd], [0x37, 0x7a, 0xbc, 0xaf], [0xfd, 0x37, 0x7a, 0x58],
            [0x42, 0x5a, 0x68],
        ]
        guard magics.contains(where: { first.starts(with: $0) }) else { return nil }
        return .other(looksLike: "a compressed archive", instead: "unpack it first")
    }

    private static func recording(_ first: [UInt8]) -> ModelFileKind? {
        let isRecording =
            ["RIFF", "RF64", "fLaC", "OggS", "ID3", "FORM", "caff", ".snd"].contains { starts(first, $0) }
            || starts(first.dropFirst(4), "ftyp") || first.starts(with: [0x1a, 0x45, 0xdf, 0xa3])
            || first.count >= 2 && first[0] == 0xff && [0xfb, 0xf3, 0xf2, 0xf1, 0xf9].contains(first[1])
        guard isRecording else { return nil }
        return .other(looksLike: "a recording", instead: "check whether model and recording are swapped")
    }

    /// A web page or an error message saved in place of the model.
    private static func text(_ first: [UInt8], size: Int) -> ModelFileKind? {
        let isText = first.allSatisfy { $0 >= 32 || (9...13).contains($0) }
        guard isText, first.contains(where: { $0 > 32 }), String(validating: first.dropLast(3), as: UTF8.self) != nil
        else { return nil }
        let words = String(decoding: first.prefix(40).map { $0 < 32 ? 32 : $0 }, as: UTF8.self)
        return .other(
            looksLike: "a web page or an error message (\(size) bytes, \(ShellQuoting.quoted(words)))",
            instead: "download the model again")
    }

    private static func starts(_ bytes: some Sequence<UInt8>, _ text: String) -> Bool { bytes.starts(with: text.utf8) }

    private static func contains(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: text.utf8) }
    }
}
