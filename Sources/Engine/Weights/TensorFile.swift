package import EngineBasics

/// Named tensors in a file, or in a folder of files, whatever network they belong to.
package protocol TensorFile: Sendable {
    /// The file or folder.
    var path: FilePath { get }
    /// By name.
    var tensors: [String: WeightTensor] { get }
    /// Checks the tensors against the checksums stored with them, if any, which reads all of them. Loading does not.
    ///
    /// - Throws: `ModelError.badArchive` for the first part that has changed.
    func verify() throws(ModelError)
}

extension TensorFile {
    package func verify() throws(ModelError) {}

    /// - Throws: `ModelError.missingTensors`.
    package func tensor(_ name: String) throws(ModelError) -> WeightTensor {
        guard let tensor = tensors[name] else { throw .missingTensors(path: path, names: [name]) }
        return tensor
    }

    /// The format that most of the elements are stored in; `nil` if there are none.
    package var mainType: ElementType? {
        var counts: [ElementType: Int] = [:]
        for tensor in tensors.values { counts[tensor.type, default: 0] += tensor.count }
        return counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
    }

    /// Throws if a file has changed since it was opened, because the weights read may then be a mixture of two files.
    package func checkUnchanged() throws(ModelError) {
        if let changed = tensors.values.first(where: { !$0.file.isUnchanged }) {
            throw .changedWhileRead(path: changed.file.path)
        }
    }
}

extension [String: WeightTensor] {
    /// Adds a tensor under its name. Files distinguish names that Swift regards as equal because they differ only in
    /// their Unicode form.
    ///
    /// - Throws: `ModelError.duplicateTensor`.
    mutating func add(_ tensor: WeightTensor) throws(ModelError) {
        if updateValue(tensor, forKey: tensor.name) != nil {
            throw .duplicateTensor(path: tensor.file.path, name: ShellQuoting.shown(tensor.name))
        }
    }
}

extension WeightTensor {
    /// Whether a tensor with this name counts the batches that a batch normalization was trained with: an integer that
    /// nothing needs, which `TensorFile.tensors` leaves out.
    static func isCounter(_ name: String) -> Bool { name.hasSuffix(".num_batches_tracked") }
}
