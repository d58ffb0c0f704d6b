/// The files of one model, as one of the readers opens them.
package struct ModelFiles: Equatable, Sendable {
    /// A format with a reader of its own.
    package enum Format: String, CaseIterable, Sendable {
        case ggml
        case ctranslate2
        case huggingFace = "hugging-face"
        case pyTorch = "pytorch"
        /// NVIDIA's models in all formats.
        case parakeet
    }

    package struct File: Equatable, Sendable {
        package var name: String
        package var bytes: [UInt8]

        package init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
    }

    package let format: Format
    /// A single file is opened by its path, several by their folder.
    package var files: [File]

    package init(_ format: Format, _ files: [File]) { (self.format, self.files) = (format, files) }

    /// The total size in bytes.
    package var size: Int { files.reduce(0) { $0 + $1.bytes.count } }

    subscript(name: String) -> [UInt8]? { files.first { $0.name == name }?.bytes }
}

extension ModelFiles {
    /// Every name that a reader looks for.
    package static let names = [
        "model.bin", "model.pt", "config.json", "vocabulary.txt", "vocabulary.json", "tokenizer.json", "vocab.json",
        "added_tokens.json", "preprocessor_config.json", "generation_config.json", "model.safetensors",
        "model.safetensors.index.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
        "pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-00001-of-00002.bin",
        "pytorch_model-00002-of-00002.bin", "model.gguf", "model.nemo",
    ]

    /// All files in one array, for fuzzers that mutate a single input: the format, then for each file the index of its
    /// name, its length in four bytes, and its content.
    package var packed: [UInt8] {
        var packed = [UInt8(Format.allCases.firstIndex(of: format) ?? 0)]
        for file in files {
            guard let index = Self.names.firstIndex(of: file.name) else { continue }
            packed += [UInt8(index)] + GGMLContents.bytes(file.bytes.count) + file.bytes
        }
        return packed
    }

    /// Unpacks any bytes: names are taken modulo their number, and the last file ends with the input.
    package init(packed: [UInt8]) {
        format = Format.allCases[Int(packed.first ?? 0) % Format.allCases.count]
        files = []
        var rest = packed.dropFirst()
        while rest.count > 5, files.count < Self.names.count {
            let name = Self.names[Int(rest.removeFirst()) % Self.names.count]
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            if self[name] == nil { files.append(File(name, Array(rest.prefix(length)))) }
            rest = rest.dropFirst(length)
        }
    }
}
