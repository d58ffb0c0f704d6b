package import EngineBasics

/// A safetensors file: the header's length in eight bytes, the header in JSON, then the tensors' bytes without gaps.
///
/// The whole header is validated against the file before any weight is read.
package struct SafetensorsFile: TensorFile {
    package let path: FilePath
    package let tensors: [String: WeightTensor]

    /// The headers of Whisper's largest models are smaller than 1 MiB; other programs accept up to 100 MB.
    static let maxHeaderBytes = 16 << 20
    /// The header's object, a tensor's object and its arrays need 3; the rest allows for extensions.
    private static let maxDepth = 8
    /// Whisper's largest models have about 20,000; each may need 250 bytes of memory.
    private static let maxEntries = 200_000
    /// Whisper's tensors have up to 3 dimensions.
    private static let maxRank = 8

    /// Opens the file and validates its header.
    package init(_ path: FilePath) throws(ModelError) {
        let file: ReadOnlyFile
        do throws(FileError) {
            file = try ReadOnlyFile(path)
        } catch { throw ModelError(error, path: path) }
        self.path = path
        let header = try Self.header(of: file)
        tensors = try Self.tensors(header.value, dataStart: header.end, in: file)
    }

    /// - Throws: `ModelError.missingTensors`; `ModelError.badHeader` if the tensor has another shape.
    package func tensor(_ name: String, shape: [Int]) throws(ModelError) -> WeightTensor {
        let tensor = try tensor(name)
        guard tensor.shape == shape else {
            throw .badHeader(
                path: path, problem: "gives tensor \(name) the shape \(tensor.shape), expected \(shape)")
        }
        return tensor
    }

    private static func header(of file: ReadOnlyFile) throws(ModelError) -> (value: JSONValue, end: Int) {
        let path = file.path
        if file.count == 0 { throw .empty(path: path) }
        if file.count < 9 { throw .tooShort(path: path, bytes: file.count) }
        let first = try bytes(0..<min(file.count, ModelFileKind.headBytes), of: file)
        let length = first[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let isObject = first[8] == UInt8(ascii: "{"), isPossible = (2...UInt64(maxHeaderBytes)).contains(length)
        guard isObject, isPossible else {
            // A file in which neither is right is something else.
            if let other = otherFormat(first, of: file, reportsUnknown: !isObject && !isPossible) { throw other }
            throw .badHeader(
                path: path,
                problem: isObject
                    ? "has a length of \(length) bytes at offset 0, expected 2 to \(maxHeaderBytes)"
                    : "begins with the byte 0x\(String(first[8], radix: 16)) at offset 8, expected 0x7b")
        }
        let end = 8 + Int(length)
        if end > file.count { throw .headerCut(path: path, bytes: file.count, part: "header") }
        let text = try bytes(8..<end, of: file)
        do throws(JSONValue.Problem) {
            let value = try JSONValue(text, depth: maxDepth, members: maxEntries)
            return (value, end)
        } catch {
            throw .badHeader(path: path, problem: "\(error.what) at offset \(8 + error.offset)")
        }
    }

    private static func bytes(_ range: Range<Int>, of file: ReadOnlyFile) throws(ModelError) -> [UInt8] {
        do throws(FileError) {
            return try file.bytes(range)
        } catch { throw ModelError(error, path: file.path) }
    }

    /// The error for a file that is something else; `nil` if its format is unknown and `reportsUnknown` is false.
    private static func otherFormat(_ first: [UInt8], of file: ReadOnlyFile, reportsUnknown: Bool) -> ModelError? {
        let instead = "name a safetensors file"
        return switch ModelFileKind(first: first, size: file.count) {
        case .ggml: .anotherFormat(path: file.path, looksLike: "a ggml model", instead: instead)
        case .zip: .anotherFormat(path: file.path, looksLike: "a ZIP archive", instead: instead)
        case .ctranslate2: .anotherFormat(path: file.path, looksLike: "a CTranslate2 model", instead: instead)
        case .other(let looksLike, _): .anotherFormat(path: file.path, looksLike: looksLike, instead: instead)
        case .safetensors, .unknown:
            reportsUnknown ? .unknownFormat(path: file.path, firstBytes: Array(first.prefix(8))) : nil
        }
    }

    private static func tensors(
        _ header: JSONValue, dataStart start: Int, in file: ReadOnlyFile
    ) throws(ModelError) -> [String: WeightTensor] {
        guard case .object(let members) = header else {
            throw .badHeader(path: file.path, problem: "is not an object")
        }
        var tensors: [WeightTensor] = []
        for member in members {
            if member.name == "__metadata__" {
                try checkMetadata(member.value, path: file.path)
            } else {
                tensors.append(try tensor(member, dataStart: start, in: file))
            }
        }
        tensors.sort { ($0.bytes.lowerBound, $0.bytes.upperBound) < ($1.bytes.lowerBound, $1.bytes.upperBound) }
        var end = start
        for tensor in tensors {
            if tensor.bytes.lowerBound != end {
                throw .badHeader(
                    path: file.path,
                    problem: "puts tensor \(ShellQuoting.shown(tensor.name)) at \(tensor.bytes.lowerBound - start), "
                        + "expected \(end - start)")
            }
            end = tensor.bytes.upperBound
        }
        if end > file.count { throw .truncated(path: file.path, bytes: file.count, promised: end) }
        if end < file.count { throw .trailingBytes(path: file.path, count: file.count - end, offset: end) }
        var named: [String: WeightTensor] = [:]
        for tensor in tensors where !WeightTensor.isCounter(tensor.name) { try named.add(tensor) }
        return named
    }

    private static func checkMetadata(_ value: JSONValue, path: FilePath) throws(ModelError) {
        guard case .object(let members) = value, members.allSatisfy({ $0.value.string != nil }) else {
            throw .badHeader(path: path, problem: "has metadata that is not a string")
        }
    }

    private static func tensor(
        _ member: JSONValue.Member, dataStart start: Int, in file: ReadOnlyFile
    ) throws(ModelError) -> WeightTensor {
        // Quoted only for messages: this takes longer than all the rest.
        var name: String { ShellQuoting.shown(member.name) }
        func bad(_ problem: String) -> ModelError { .badHeader(path: file.path, problem: problem) }
        guard let stored = member.value["dtype"]?.string else { throw bad("has no type for tensor \(name)") }
        let isCounter = stored == "I64" && WeightTensor.isCounter(member.name)
        guard let type = isCounter ? .f64 : types[stored] else {
            throw .unsupportedType(path: file.path, tensor: name, type: ShellQuoting.shown(stored))
        }
        guard let shape = member.value["shape"]?.counts, shape.count <= maxRank else {
            throw bad("has no valid shape for tensor \(name)")
        }
        guard let offsets = member.value["data_offsets"]?.counts, offsets.count == 2, offsets[0] <= offsets[1],
            offsets[1] <= Int.max - start
        else { throw bad("has no valid data offsets for tensor \(name)") }
        var size = type.blockBytes
        for dimension in shape {
            let (product, overflow) = size.multipliedReportingOverflow(by: dimension)
            if overflow { throw bad("gives tensor \(name) the impossible shape \(shape)") }
            size = product
        }
        guard size == offsets[1] - offsets[0] else {
            throw bad("gives tensor \(name) \(offsets[1] - offsets[0]) bytes, its shape \(shape) needs \(size)")
        }
        return WeightTensor(
            name: member.name, shape: shape, type: type, file: file,
            bytes: (start + offsets[0])..<(start + offsets[1]))
    }

    private static let types: [String: ElementType] = ["F32": .f32, "F16": .f16, "BF16": .bf16, "F64": .f64]
}
