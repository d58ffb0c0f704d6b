package import EngineBasics

/// The float32 tensors in any PyTorch file. What weights do not consist of is skipped: compressed entries, and objects of
/// classes, none of which is imported or called.
package struct PyTorchTensors: Sendable {
    package typealias Tensor = (name: String, shape: [Int], bytes: [UInt8])

    private let archive: PyTorchArchive

    package init(_ path: FilePath) throws(ModelError) { archive = try PyTorchArchive(path, skipsOthers: true) }

    /// The tensors of the outermost dictionary, or of the one under `key`, in their order.
    ///
    /// - Throws: `ModelError` if there is no such dictionary, or if a tensor does not fit in its storage.
    package func dictionary(_ key: String?) throws(ModelError) -> [Tensor] {
        let pickle = archive.pickle
        var members = pickle.members(pickle.root)
        if let key { members = members?.first { $0.key.text == key }.flatMap { pickle.members($0.value) } }
        guard let members else { throw .badCheckpoint(path: archive.path, problem: "has no dictionary of tensors") }
        var tensors: [Tensor] = []
        for member in members {
            guard let name = member.key.text, case .tensor(let index) = member.value,
                case .float32 = pickle.storages[pickle.tensors[index].storage].element
            else { continue }
            let tensor = try archive.tensor(pickle.tensors[index], name: name)
            guard tensor.strides == nil else {
                throw .badTensor(path: archive.path, tensor: ShellQuoting.shown(name), problem: "is not contiguous")
            }
            tensors.append((name, tensor.shape, try archive.file.checked(tensor.bytes)))
        }
        return tensors
    }

    /// The bytes of a storage.
    ///
    /// - Throws: `ModelError` if it is missing.
    package func storage(_ number: Int) throws(ModelError) -> [UInt8] {
        guard let bytes = try archive.storage("\(number)") else {
            throw .badCheckpoint(path: archive.path, problem: "has no storage \(number)")
        }
        return bytes
    }
}
