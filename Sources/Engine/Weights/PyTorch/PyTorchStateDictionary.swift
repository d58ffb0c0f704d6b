package import EngineBasics

/// The tensors of a PyTorch file that is a flat dictionary, such as Hugging Face's `pytorch_model.bin`, by name.
package struct PyTorchStateDictionary: TensorFile {
    package let tensors: [String: WeightTensor]
    package var path: FilePath { archive.path }
    private let archive: PyTorchArchive

    /// Opens the file and validates everything except the values of the weights.
    package init(_ path: FilePath) throws(ModelError) { try self.init(PyTorchArchive(path)) }

    /// The same in a part of another file.
    package init(_ file: ReadOnlyFile) throws(ModelError) { try self.init(PyTorchArchive(file)) }

    private init(_ archive: PyTorchArchive) throws(ModelError) {
        self.archive = archive
        tensors = try archive.root.tensors()
    }

    package func verify() throws(ModelError) { try archive.verify() }
}
