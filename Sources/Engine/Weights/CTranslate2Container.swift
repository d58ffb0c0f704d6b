package import EngineBasics

/// A CTranslate2 `model.bin` of any architecture.
package struct CTranslate2Container: TensorFile {
    /// Advice for files of other versions.
    package static let convertAgain = "convert the model again with a current ct2-transformers-converter"

    package var path: FilePath { file.path }
    /// All variables, by CTranslate2's names.
    package let variables: [String: CTranslate2Variable]
    /// The variables that are numbers of a type that weights have, and not a single one. Integers may lack scales: an alias
    /// of a tensor has none.
    package let tensors: [String: WeightTensor]
    private let file: ReadOnlyFile

    private typealias StoredType = CTranslate2Reader.StoredType

    /// Reads the list of variables.
    ///
    /// - Parameter check: called with the specification and its revision before anything else is read.
    package init(
        _ file: ReadOnlyFile, check: (_ specification: String, _ revision: Int) throws(ModelError) -> Void
    ) throws(ModelError) {
        var reader = CTranslate2Reader(file: file)
        let variables = try reader.variables(check)
        self.file = file
        self.variables = variables
        var tensors: [String: WeightTensor] = [:]
        for (name, variable) in variables.sorted(by: { $0.value.offset < $1.value.offset }) {
            tensors[name] = try Self.tensor(name, variable, among: variables, of: file)
        }
        self.tensors = tensors
    }

    /// - Returns: `nil` for a single number and for types that weights do not have.
    private static func tensor(
        _ name: String, _ variable: CTranslate2Variable, among variables: [String: CTranslate2Variable],
        of file: ReadOnlyFile
    ) throws(ModelError) -> WeightTensor? {
        guard let rows = variable.shape.first else { return nil }
        let type: ElementType
        switch variable.type {
        case StoredType.float32: type = .f32
        case StoredType.float16: type = .f16
        case StoredType.bfloat16: type = .bf16
        case StoredType.int8: type = .int8
        case StoredType.int16: type = .int16
        default: return nil
        }
        var scales: TensorScales?
        let scale = name + "_scale", count = variable.shape.reduce(1, *)
        if type == .int8 || type == .int16, let stored = variables[scale] {
            guard stored.type == StoredType.float32 else {
                throw .unsupportedType(path: file.path, tensor: scale, type: "type \(stored.type)")
            }
            let isShared = WeightTensor.isSame(stored.shape, [])
            guard isShared || WeightTensor.isSame(stored.shape, [rows]) else {
                throw .wrongShape(path: file.path, tensor: scale, expected: [rows], found: stored.shape)
            }
            scales = TensorScales(bytes: stored.bytes, length: isShared ? count : count / max(1, rows))
        }
        return WeightTensor(
            name: name, shape: variable.shape, type: type, file: file, bytes: variable.bytes, scales: scales)
    }

    /// The value of an integer setting; `nil` if there is none of that name.
    ///
    /// - Throws: `ModelError.badRecord` if it is something else.
    package func integer(_ name: String) throws(ModelError) -> Int? {
        guard let variable = variables[name] else { return nil }
        guard variable.bytes.count <= 4, [StoredType.int8, StoredType.int16, StoredType.int32].contains(variable.type)
        else { throw .badRecord(path: path, offset: variable.offset, problem: "is not an integer") }
        do throws(FileError) {
            let bytes = try file.bytes(variable.bytes)
            let isNegative = bytes.last.map { $0 >= 0x80 } ?? false
            return bytes.reversed().reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
        } catch { throw ModelError(error, path: path) }
    }

    /// Whether two variables have the same type, shape and content.
    package func areEqual(_ one: CTranslate2Variable, _ other: CTranslate2Variable) throws(ModelError) -> Bool {
        guard one.type == other.type, one.shape == other.shape else { return false }
        do throws(FileError) {
            return try file.hasEqualBytes(one.bytes, other.bytes)
        } catch { throw ModelError(error, path: path) }
    }
}

/// A variable of a CTranslate2 file, not yet read.
package struct CTranslate2Variable: Sendable {
    package let shape: [Int]
    /// One of `CTranslate2Reader.StoredType`.
    let type: Int
    let bytes: Range<Int>
    /// Where its record starts.
    package let offset: Int
}
