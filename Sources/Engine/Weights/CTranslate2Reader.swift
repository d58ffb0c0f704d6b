import EngineBasics

/// Reads the list of variables of a CTranslate2 `model.bin`, checking each length before using it.
///
/// Layout, little-endian: version, name and revision of the specification, then variables and aliases. A variable has a
/// name, dimensions, a type, a length in bytes, and data. Strings have a 16-bit length that includes a zero at their end.
struct CTranslate2Reader {
    /// The type numbers.
    enum StoredType {
        static let float32 = 0, int8 = 1, int16 = 2, int32 = 3, float16 = 4, bfloat16 = 5

        /// The bytes of an element; `nil` for unknown types.
        static func size(_ type: Int) -> Int? {
            [float32: 4, int8: 1, int16: 2, int32: 4, float16: 2, bfloat16: 2][type]
        }
    }

    private static let version = 6
    private static let maxRank = 8
    private static let maxNameBytes = 512
    /// The largest Whisper model has about 2000.
    private static let maxEntries = 100_000

    private var reader: FileReader
    private var path: FilePath { reader.file.path }

    init(file: ReadOnlyFile) { reader = FileReader(file: file) }

    /// Reads the whole list. Aliases appear as separate variables.
    ///
    /// - Parameter check: called with the specification and its revision before anything else is read.
    mutating func variables(
        _ check: (_ specification: String, _ revision: Int) throws(ModelError) -> Void
    ) throws(ModelError) -> [String: CTranslate2Variable] {
        let header = try header()
        try check(header.specification, header.revision)
        var variables: [String: CTranslate2Variable] = [:]
        for _ in 0..<(try count("variables")) {
            let offset = reader.offset
            let name = try text("name of a variable")
            let variable = try variable(name, at: offset)
            if variables.updateValue(variable, forKey: name) != nil {
                throw .duplicateTensor(path: path, name: ShellQuoting.shown(name))
            }
        }
        for _ in 0..<(try count("aliases")) {
            let alias = try text("name of an alias"), target = try text("name of an alias")
            guard let variable = variables[target] else {
                throw .missingTensors(path: path, names: [ShellQuoting.shown(target)])
            }
            if variables.updateValue(variable, forKey: alias) != nil {
                throw .duplicateTensor(path: path, name: ShellQuoting.shown(alias))
            }
        }
        if reader.offset < reader.file.count {
            throw .trailingBytes(path: path, count: reader.file.count - reader.offset, offset: reader.offset)
        }
        return variables
    }

    private mutating func count(_ entries: String) throws(ModelError) -> Int {
        let count = try number(UInt32.self, "list of \(entries)")
        guard count <= Self.maxEntries else {
            throw .badField(
                path: path, field: "the number of \(entries)", found: count, expected: "at most \(Self.maxEntries)")
        }
        return count
    }

    private mutating func header() throws(ModelError) -> (specification: String, revision: Int) {
        let version = try number(UInt32.self, "header")
        let specification = try text("header")
        let revision = try number(UInt32.self, "header")
        guard version == Self.version else {
            throw .anotherFormat(
                path: path, looksLike: "a CTranslate2 model of format version \(version), expected \(Self.version)",
                instead: CTranslate2Container.convertAgain)
        }
        return (specification, revision)
    }

    private mutating func variable(_ name: String, at offset: Int) throws(ModelError) -> CTranslate2Variable {
        // Quoted only for messages: this takes longer than reading the variable.
        var part: String { "tensor \(ShellQuoting.shown(name))" }
        func bad(_ problem: String) -> ModelError { .badRecord(path: path, offset: offset, problem: problem) }
        let rank = try number(UInt8.self, part)
        guard rank <= Self.maxRank else { throw bad("has \(rank) dimensions") }
        var shape: [Int] = []
        for _ in 0..<rank { shape.append(try number(UInt32.self, part)) }
        let type = try number(UInt8.self, part)
        let length = try number(UInt32.self, part)
        guard var size = StoredType.size(type) else {
            throw .unsupportedType(path: path, tensor: ShellQuoting.shown(name), type: "type \(type)")
        }
        for dimension in shape {
            let (product, overflow) = size.multipliedReportingOverflow(by: dimension)
            if overflow { throw bad("has the impossible shape \(shape)") }
            size = product
        }
        guard size == length else { throw bad("has \(length) bytes, its shape \(shape) needs \(size)") }
        let start = reader.offset
        guard length <= reader.file.count - start else { throw cut(part) }
        reader.offset = start + length
        return CTranslate2Variable(shape: shape, type: type, bytes: start..<(start + length), offset: offset)
    }

    private func cut(_ part: String) -> ModelError { .headerCut(path: path, bytes: reader.file.count, part: part) }

    private mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type, _ part: @autoclosure () -> String
    ) throws(ModelError) -> Int {
        guard let number = try reader.number(type) else { throw cut(part()) }
        return Int(number)
    }

    private mutating func text(_ part: String) throws(ModelError) -> String {
        let offset = reader.offset
        let length = try number(UInt16.self, part)
        guard (2...Self.maxNameBytes).contains(length) else {
            throw .badRecord(path: path, offset: offset, problem: "has a name of \(length) bytes")
        }
        guard let bytes = try reader.read(length) else { throw cut(part) }
        guard bytes.last == 0, !bytes.dropLast().contains(0),
            let text = String(validating: bytes.dropLast(), as: UTF8.self)
        else { throw .badRecord(path: path, offset: offset, problem: "has a name that is not text") }
        return text
    }
}
