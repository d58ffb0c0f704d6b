package import EngineBasics

/// A GGUF file: settings, the list of tensors, then their data, aligned.
///
/// Everything is validated against the size of the file before any weight is read.
package struct GGUFFile: TensorFile {
    package var path: FilePath { file.path }
    package let tensors: [String: WeightTensor]
    /// By key.
    package let settings: [String: JSONValue]
    private let file: ReadOnlyFile

    package static let magic = Array("GGUF".utf8)
    /// The setting that names the network.
    package static let architecture = "general.architecture"
    private static let alignment = "general.alignment"
    private static let maxSettings = 10_000
    private static let maxTensors = 20_000

    /// Whether a file begins like one.
    package static func recognizes(_ path: FilePath) -> Bool {
        guard let file = try? ReadOnlyFile(path), file.count >= magic.count else { return false }
        return (try? file.bytes(0..<magic.count)) == magic
    }

    package init(_ path: FilePath) throws(ModelError) {
        do throws(FileError) {
            file = try ReadOnlyFile(path)
        } catch { throw ModelError(error, path: path) }
        var reader = GGUFReader(FileReader(file: file, offset: Self.magic.count))
        let version = try reader.number(UInt32.self)
        guard version == 2 || version == 3 else {
            throw .badField(path: path, field: "the version", found: version, expected: "2 or 3")
        }
        let tensorCount = try reader.count("tensors", atMost: Self.maxTensors)
        let settingCount = try reader.count("settings", atMost: Self.maxSettings)
        var settings: [String: JSONValue] = [:]
        for _ in 0..<settingCount {
            let key = try reader.text(atMost: GGUFReader.maxNameBytes)
            let value = try reader.value()
            guard settings.updateValue(value, forKey: key) == nil else {
                throw .badHeader(path: path, problem: "repeats the setting \(ShellQuoting.shown(key))")
            }
        }
        self.settings = settings
        let alignment = settings[Self.alignment]?.count ?? 32
        guard (1...4096).contains(alignment), alignment & (alignment - 1) == 0 else {
            throw .badField(path: path, field: Self.alignment, found: alignment, expected: "a power of two up to 4096")
        }
        var records: [GGUFRecord] = []
        for _ in 0..<tensorCount { records.append(try reader.record()) }
        let start = (reader.offset + alignment - 1) / alignment * alignment
        tensors = try Self.tensors(records, from: start, alignment: alignment, in: file)
    }

    private static func tensors(
        _ records: [GGUFRecord], from start: Int, alignment: Int, in file: ReadOnlyFile
    ) throws(ModelError) -> [String: WeightTensor] {
        var tensors: [String: WeightTensor] = [:], end = start
        for record in records.sorted(by: { $0.offset < $1.offset }) where !WeightTensor.isCounter(record.name) {
            let name = ShellQuoting.shown(record.name)
            let type = try ElementType(ggmlTensor: record.type, of: name, path: file.path)
            func bad(_ problem: String) -> ModelError {
                .badTensor(path: file.path, tensor: name, problem: problem)
            }
            let row = record.shape[record.shape.count - 1]
            guard row % type.blockLength == 0 else {
                throw .oddRow(path: file.path, tensor: name, row: row, block: type.blockLength)
            }
            var size = type.blockBytes
            for dimension in [row / type.blockLength] + record.shape.dropLast() {
                let (product, overflow) = size.multipliedReportingOverflow(by: dimension)
                if overflow { throw bad("has the impossible shape \(record.shape)") }
                size = product
            }
            guard record.offset % alignment == 0 else {
                throw bad("begins at \(record.offset), which is not a multiple of \(alignment)")
            }
            let (first, overflow) = start.addingReportingOverflow(record.offset)
            guard !overflow, first <= file.count, size <= file.count - first else {
                throw .truncated(path: file.path, bytes: file.count, promised: first &+ size)
            }
            guard first >= end else { throw bad("overlaps another one") }
            end = first + size
            try tensors.add(
                WeightTensor(name: record.name, shape: record.shape, type: type, file: file, bytes: first..<end))
        }
        return tensors
    }
}

/// The entry of a tensor in the list.
private struct GGUFRecord {
    let name: String
    /// In PyTorch's order.
    let shape: [Int]
    /// As numbered in ggml files.
    let type: Int
    /// From the beginning of the data.
    let offset: Int
}

/// Reads what precedes the data in order, checking each length before using it.
private struct GGUFReader {
    private var reader: FileReader
    /// Several times the pieces of the largest vocabulary.
    private var elementsLeft = 100_000
    private var path: FilePath { reader.file.path }
    var offset: Int { reader.offset }

    static let maxNameBytes = 256
    /// The longest text is a tokenizer of a megabyte.
    private static let maxTextBytes = 16 << 20

    init(_ reader: FileReader) { self.reader = reader }

    private var cut: ModelError { .headerCut(path: path, bytes: reader.file.count, part: "header") }

    /// An unsigned number that fits in an `Int`.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) throws(ModelError) -> Int {
        let start = offset
        guard let number = try reader.number(Number.self) else { throw cut }
        guard let value = Int(exactly: number) else {
            throw .badRecord(path: path, offset: start, problem: "has the number \(number)")
        }
        return value
    }

    mutating func count(_ what: String, atMost limit: Int) throws(ModelError) -> Int {
        let count = try number(UInt64.self)
        guard count <= limit else {
            throw .badField(path: path, field: "the number of \(what)", found: count, expected: "at most \(limit)")
        }
        return count
    }

    mutating func text(atMost limit: Int) throws(ModelError) -> String {
        let start = offset, length = try number(UInt64.self)
        guard length <= limit else {
            throw .badHeader(path: path, problem: "has a text of \(length) bytes at offset \(start)")
        }
        guard let bytes = try reader.read(length) else { throw cut }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .badHeader(path: path, problem: "has a text at offset \(start) that is not UTF-8")
        }
        return text
    }

    mutating func value() throws(ModelError) -> JSONValue {
        let start = offset, type = try number(UInt32.self)
        guard type == 9 else { return try value(of: type, at: start) }
        let element = try number(UInt32.self), count = try number(UInt64.self)
        guard count <= elementsLeft else {
            throw .badHeader(path: path, problem: "has a list of \(count) values at offset \(start)")
        }
        elementsLeft -= count
        var values: [JSONValue] = []
        for _ in 0..<count { values.append(try value(of: element, at: start)) }
        return .array(values)
    }

    /// - Parameter start: where the type is.
    private mutating func value(of type: Int, at start: Int) throws(ModelError) -> JSONValue {
        switch type {
        case 0: .number("\(try number(UInt8.self))")
        case 1: .number("\(Int8(truncatingIfNeeded: try number(UInt8.self)))")
        case 2: .number("\(try number(UInt16.self))")
        case 3: .number("\(Int16(truncatingIfNeeded: try number(UInt16.self)))")
        case 4: .number("\(try number(UInt32.self))")
        case 5: .number("\(Int32(truncatingIfNeeded: try number(UInt32.self)))")
        case 6: .number("\(Float(bitPattern: UInt32(try number(UInt32.self))))")
        case 7: .bool(try number(UInt8.self) != 0)
        case 8: .string(try text(atMost: Self.maxTextBytes))
        case 10: .number("\(try bits())")
        case 11: .number("\(Int64(bitPattern: try bits()))")
        case 12: .number("\(Double(bitPattern: try bits()))")
        default: throw .badHeader(path: path, problem: "has a value of type \(type) at offset \(start)")
        }
    }

    private mutating func bits() throws(ModelError) -> UInt64 {
        guard let bits = try reader.number(UInt64.self) else { throw cut }
        return bits
    }

    mutating func record() throws(ModelError) -> GGUFRecord {
        let start = offset, name = try text(atMost: Self.maxNameBytes), rank = try number(UInt32.self)
        guard (1...4).contains(rank) else {
            throw .badRecord(path: path, offset: start, problem: "has \(rank) dimensions")
        }
        var sizes: [Int] = []
        for _ in 0..<rank {
            let size = try number(UInt64.self)
            guard size > 0 else { throw .badRecord(path: path, offset: start, problem: "has a dimension of 0") }
            sizes.append(size)
        }
        let type = try number(UInt32.self), offset = try number(UInt64.self)
        return GGUFRecord(name: name, shape: sizes.reversed(), type: type, offset: offset)
    }
}
