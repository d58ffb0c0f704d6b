import Foundation
import Testing

@Suite("Damaged tensors in ggml files")
struct DamagedRecordTests {
    static let query = "encoder.blocks.0.attn.query.weight"

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let width: Int
        let damage: @Sendable (inout GGMLContents) -> Void
        let expected: @Sendable (GGMLContents, FilePath) -> ModelError
        var testDescription: String { name }

        init(
            _ name: String, width: Int = 2, _ damage: @escaping @Sendable (inout GGMLContents) -> Void,
            _ expected: @escaping @Sendable (GGMLContents, FilePath) -> ModelError
        ) {
            self.name = name
            self.width = width
            self.damage = damage
            self.expected = expected
        }
    }

    private static func offset(_ contents: GGMLContents, _ name: String) -> Int {
        contents.recordOffsets[contents.index(name)]
    }

    /// A wrong type number, and its name in the error.
    private static func type(_ number: Int, _ name: String) -> Case {
        Case("type \(number)", { $0[query].type = number }) { _, path in
            .unsupportedType(path: path, tensor: query, type: name)
        }
    }

    /// A wrong tensor shape, which the error gives in PyTorch's order.
    private static func shape(_ tensor: String, _ sizes: [Int], width: Int = 2, expected: [Int]) -> Case {
        Case("\(tensor) as \(sizes)", width: width, { $0[tensor].sizes = sizes }) { _, path in
            .wrongShape(path: path, tensor: tensor, expected: expected, found: sizes.reversed())
        }
    }

    /// A quantized type for a tensor whose rows are not a multiple of the block length.
    private static func oddRow(_ number: Int) -> Case {
        Case("rows of 48 in blocks of type \(number)", width: 48, { $0[query].type = number }) { _, path in
            .oddRow(path: path, tensor: query, row: 48, block: 32)
        }
    }

    static let cases =
        [
            type(4, "type 4"), type(5, "type 5"), type(9, "Q8_1"), type(10, "Q2_K"), type(11, "Q3_K"),
            type(12, "Q4_K"), type(13, "Q5_K"), type(14, "Q6_K"), type(15, "Q8_K"), type(29, "type 29"),
            type(31, "type 31"), type(-1, "type -1"), type(Int(Int32.max), "type 2147483647"),
            oddRow(2), oddRow(3), oddRow(6), oddRow(7), oddRow(8),
            shape(query, [2, 3], expected: [2, 2]), shape(query, [4], expected: [2, 2]),
            shape(query, [2, 2, 2], expected: [2, 2]), shape(query, [1, 4], expected: [2, 2]),
            shape(query, [Int(Int32.max), Int(Int32.max)], expected: [2, 2]),
            shape(query, [Int(Int32.max), Int(Int32.max), Int(Int32.max), Int(Int32.max)], expected: [2, 2]),
            shape("decoder.token_embedding.weight", [51_864, 2], expected: [51_864, 2]),
            shape("decoder.token_embedding.weight", [2, 51_865], expected: [51_864, 2]),
            shape("encoder.blocks.0.mlp.0.weight", [8, 2], expected: [8, 2]),
            shape("encoder.conv1.weight", [2, 80, 3], expected: [2, 80, 3]),
            shape("encoder.conv1.weight", [80, 3, 2], expected: [2, 80, 3]),
            shape("encoder.positional_embedding", [1500, 2], expected: [1500, 2]),
            Case("a tensor twice", { $0.records.insert($0[query], at: 1) }) { _, path in
                .duplicateTensor(path: path, name: query)
            },
            Case("a tensor twice in place of another", { $0["decoder.ln.bias"].name = "decoder.ln.weight" }) {
                .duplicateTensor(path: $1, name: "decoder.ln.weight")
            },
            Case("one tensor missing", { $0.records.remove(at: $0.index(query)) }) { _, path in
                .missingTensors(path: path, names: [query])
            },
            Case("five tensors missing", { $0.records.removeLast(5) }) { _, path in
                .missingTensors(path: path, names: GGMLContents(width: 2).records.suffix(5).map(\.name))
            },
            Case("an unknown tensor", { $0[query].name = "encoder.blocks.1.attn.query.weight" }) { contents, path in
                .unknownTensor(
                    path: path, name: "encoder.blocks.1.attn.query.weight",
                    offset: offset(contents, "encoder.blocks.1.attn.query.weight"))
            },
            Case("a name with terminal escape sequences", { $0[query].name = "\u{1b}[2J" }) { contents, path in
                .unknownTensor(path: path, name: "\u{1b}[2J", offset: offset(contents, "\u{1b}[2J"))
            },
            Case(
                "a key bias, which no model has",
                {
                    var record = $0["encoder.blocks.0.attn.query.bias"]
                    record.name = "encoder.blocks.0.attn.key.bias"
                    $0.records.append(record)
                }
            ) { contents, path in
                let offsets = contents.recordOffsets
                let last = offsets[offsets.count - 2]
                return .trailingBytes(path: path, count: offsets[offsets.count - 1] - last, offset: last)
            },
        ]

    @Test("a damaged tensor is rejected with its name", arguments: cases)
    func rejected(one: Case) throws {
        var contents = GGMLContents(width: one.width)
        one.damage(&contents)
        let (error, path) = try DamagedFileTests.error(contents.bytes)
        #expect(error == one.expected(contents, path))
    }

    /// Index of a number in a record's header (0 is the rank, 1 the name length, 3 the first dimension), value,
    /// problem.
    static let numbers: [(Int, Int, String)] = [
        (0, -1, "has -1 dimensions"), (0, 5, "has 5 dimensions"), (0, 1_000_000_000, "has 1000000000 dimensions"),
        (0, Int(Int32.min), "has -2147483648 dimensions"), (1, -1, "has a name of -1 bytes"),
        (1, 0, "has a name of 0 bytes"), (1, 129, "has a name of 129 bytes"),
        (1, 1_000_000_000, "has a name of 1000000000 bytes"), (3, -1, "has a dimension of -1"),
        (3, 0, "has a dimension of 0"), (4, Int(Int32.min), "has a dimension of -2147483648"),
    ]

    @Test("impossible numbers in a record's header are reported with its offset", arguments: numbers)
    func impossible(field: Int, value: Int, problem: String) throws {
        let contents = GGMLContents(width: 2)
        var bytes = contents.bytes
        let start = contents.recordOffsets[contents.index(Self.query)], at = start + 4 * field
        bytes.replaceSubrange(at..<(at + 4), with: GGMLContents.bytes(value))
        let (error, path) = try DamagedFileTests.error(bytes)
        #expect(error == .badRecord(path: path, offset: start, problem: problem))
    }

    @Test("extra and missing dimensions of 1 and any order of tensors are accepted")
    func lenient() throws {
        var contents = GGMLContents(width: 2)
        contents["encoder.conv1.bias"].sizes = [2]
        contents["encoder.conv2.bias"].sizes = [1, 1, 2, 1]
        contents[Self.query].sizes = [2, 2, 1, 1]
        contents.records.reverse()
        let folder = try TemporaryFolder()
        let file = try GGMLFile(folder.write(contents.bytes))
        #expect(try file.tensor("encoder.conv2.bias").shape == [2])
        #expect(try file.tensor(Self.query).floats().count == 4)
    }

    @Test("NaN and infinite weights are rejected when the model is loaded", arguments: [Float.nan, .infinity])
    func notFinite(value: Float) throws {
        let elements: [(String, Int)] = [
            (Self.query, 3), ("encoder.conv1.weight", 0), ("encoder.conv2.bias", 1), ("decoder.ln.bias", 0),
            ("decoder.token_embedding.weight", 100_000), ("encoder.positional_embedding", 2999),
            ("decoder.blocks.0.cross_attn.key.weight", 2), ("decoder.blocks.0.mlp.2.bias", 1),
        ]
        let folder = try TemporaryFolder()
        let backend = try ComputeOptions(backend: .reference).makeBackend()
        for (name, index) in elements {
            var contents = GGMLContents(width: 2)
            let type: ElementType = contents[name].type == 0 ? .f32 : .f16
            let bytes = Quantizer.bytes([value], as: type)
            let at = index * type.blockBytes
            contents[name].data.replaceSubrange(at..<(at + bytes.count), with: bytes)
            let path = try folder.write(contents.bytes)
            #expect(throws: ModelError.notFinite(path: path, tensor: name, index: index)) {
                try WhisperModel(GGMLFile(path), backend: backend)
            }
        }
    }

    @Test("an encoder of zeros loads with a warning")
    func zeroEncoder() throws {
        var contents = GGMLContents(width: 2)
        for index in contents.records.indices where contents.records[index].name.hasPrefix("encoder.") {
            contents.records[index].data = contents.records[index].data.map { _ in 0 }
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(contents.bytes)
        let backend = try ComputeOptions(backend: .reference).makeBackend()
        let model = try WhisperModel(GGMLFile(path), backend: backend)
        #expect(model.warnings == [.zeroEncoder(path: path)])
        #expect(
            model.warnings.first?.description
                == "\(path): all encoder weights are zero, so this model cannot work")
        // Negative zeros count as zeros; a single other number is enough.
        contents["encoder.blocks.0.mlp.2.weight"].data[1] = 0x80
        _ = try folder.write(contents.bytes)
        #expect(try WhisperModel(GGMLFile(path), backend: backend).warnings.count == 1)
        contents["encoder.blocks.0.mlp.2.weight"].data[2] = 1
        _ = try folder.write(contents.bytes)
        #expect(try WhisperModel(GGMLFile(path), backend: backend).warnings == [])
    }
}
