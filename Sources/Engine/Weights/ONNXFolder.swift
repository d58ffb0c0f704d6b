package import EngineBasics

/// A folder with a model for ONNX, which this program does not read.
package enum ONNXFolder {
    package static let looksLike = "a folder with an ONNX model"
    /// Where transformers' exporters put the files.
    private static let subfolder = "onnx"
    /// The endings of files with weights that this program reads.
    private static let others: Set<String> = ["bin", "gguf", "nemo", "pt", "safetensors"]

    /// Whether a folder has ONNX files but no weights in a format that this program reads.
    package static func recognizes(_ folder: FilePath) -> Bool {
        let endings = endings(in: folder)
        return endings.isDisjoint(with: others)
            && (endings.contains("onnx") || self.endings(in: folder.appending(subfolder)).contains("onnx"))
    }

    private static func endings(in folder: FilePath) -> Set<String> {
        guard case .success(let names) = FileSystem.names(in: folder) else { return [] }
        return Set(names.map(\.lowercasedExtension))
    }
}
