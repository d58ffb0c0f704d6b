import Foundation
import Testing

@Suite("Safetensors files")
struct SafetensorsFileTests {
    private static let small: SafetensorsContents = {
        var contents = SafetensorsContents()
        contents.add("a", [2, 3], [1, 2, 3, 4, 5, 6])
        contents.add("b", [], [-0.5])
        return contents
    }()

    private func file(_ bytes: Data) throws -> (TemporaryFolder, FilePath) {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "x.safetensors")
        try bytes.write(to: url)
        return (folder, FilePath(url.path))
    }

    private func failure(_ bytes: Data) throws -> ModelError? {
        let (folder, path) = try file(bytes)
        defer { withExtendedLifetime(folder) {} }
        do {
            _ = try SafetensorsFile(path)
            return nil
        } catch { return error }
    }

    @Test("tensors are read as written")
    func reading() throws {
        let (folder, path) = try file(Self.small.bytes())
        defer { withExtendedLifetime(folder) {} }
        let file = try SafetensorsFile(path)
        #expect(file.tensors.keys.sorted() == ["a", "b"])
        #expect(try file.tensor("a", shape: [2, 3]).floats().values(0..<6) == [1, 2, 3, 4, 5, 6])
        #expect(try file.tensor("b", shape: []).floats().values(0..<1) == [-0.5])
        #expect(throws: ModelError.missingTensors(path: path, names: ["c"])) { try file.tensor("c", shape: []) }
        #expect(
            throws: ModelError.badHeader(path: path, problem: "gives tensor a the shape [2, 3], expected [3, 2]")
        ) { try file.tensor("a", shape: [3, 2]) }
    }

    @Test("16-bit numbers, metadata, unknown keys, whitespace and escapes are accepted")
    func variants() throws {
        let header = #"""
            {"__metadata__":{"format":"pt"}, "\u0061\ud83d\ude00\n" :
            {"data_offsets":[0,4],"shape":[2],"dtype":"F16","more":[{"x":-1.5e+3},null,true,false]},
            "bf":{"dtype":"BF16","shape":[1,1],"data_offsets":[4,6]},"none":{"dtype":"F32","shape":[0],"data_offsets":[4,4]}}   
            """#
        var contents = SafetensorsContents()
        contents.data = Data([0x00, 0x3c, 0x00, 0xc0, 0x80, 0x3f])
        let (folder, path) = try file(contents.bytes(header: header))
        defer { withExtendedLifetime(folder) {} }
        let file = try SafetensorsFile(path)
        #expect(try file.tensor("a\u{1f600}\n", shape: [2]).floats().values(0..<2) == [1, -2])
        #expect(try file.tensor("bf", shape: [1, 1]).floats().values(0..<1) == [1])
    }

    @Test(
        "an invalid header is rejected with the problem",
        arguments: [
            (#"{"a" {}}"#, "is missing a colon at offset 13"),
            (#"{"a":1"#, "is missing a closing brace at offset 14"),
            (#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}} x"#, "continues after its end at offset 63"),
            (#"{"a":[[[[[[[[1]]]]]]]]}"#, "is nested too deeply at offset 20"),
            (#"{"a":{},"a":{}}"#, "has a twice at offset 19"),
            (#"{a:1}"#, "has a member without a name at offset 9"),
            ("{\"a\n\":1}", "has a control character in a string at offset 12"),
            (#"{"\ud800":1}"#, "has an unpaired surrogate at offset 16"),
            (#"{"a":01}"#, "has an invalid number at offset 15"),
            (#"{"a":nul}"#, "has an unknown literal at offset 13"),
            (#"{"a":1}"#, "has no type for tensor a"),
            (#"{"__metadata__":{"a":1}}"#, "has metadata that is not a string"),
            (#"{"a":{"dtype":"F32","data_offsets":[0,4]}}"#, "has no valid shape for tensor a"),
            (#"{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}"#, "has no valid shape for tensor a"),
            (#"{"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}}"#, "has no valid shape for tensor a"),
            (#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#, "has no valid data offsets for tensor a"),
            (
                #"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,99999999999999999999]}}"#,
                "has no valid data offsets for tensor a"
            ),
            (
                #"{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}"#,
                "gives tensor a the impossible shape [4294967296, 4294967296]"
            ),
            (
                #"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}"#,
                "gives tensor a 4 bytes, its shape [2] needs 8"
            ),
            (#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#, "puts tensor a at 4, expected 0"),
            (
                #"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#,
                "puts tensor b at 0, expected 4"
            ),
        ])
    func badHeader(header: String, problem: String) throws {
        let error = try failure(Self.small.bytes(header: header))
        guard case .badHeader(_, let reported) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reported == problem)
    }

    @Test("a header that is not UTF-8 or not an object is rejected, and so are types that models do not have")
    func notAnObject() throws {
        var bytes = Self.small.bytes(header: #"{"abc":1}"#)
        bytes[10] = 0xff
        guard case .badHeader(_, "is not valid UTF-8 at offset 14")? = try failure(bytes) else {
            Issue.record("\(String(describing: try failure(bytes)))")
            return
        }
        guard
            case .badHeader(_, "begins with the byte 0x5b at offset 8, expected 0x7b")? =
                try failure(Self.small.bytes(header: "[1,2,3]"))
        else {
            Issue.record("an array")
            return
        }
        for type in ["I8", "F8_E4M3", "F8_E5M2", "BOOL", "f32", ""] {
            let header = #"{"a":{"dtype":"\#(type)","shape":[4],"data_offsets":[0,4]}}"#
            guard case .unsupportedType(_, "a", _)? = try failure(Self.small.bytes(header: header)) else {
                Issue.record("\(type)")
                continue
            }
        }
    }

    @Test(
        "an impossible length of the header is reported with its limit",
        arguments: [16 << 20 + 1, 99_999_999, Int.max, Int.min])
    func length(count: Int) throws {
        var bytes = Self.small.bytes()
        bytes.replaceSubrange(0..<8, with: GGMLContents.bytes(count) + GGMLContents.bytes(count >> 32))
        guard case .badHeader(_, let problem)? = try failure(bytes) else {
            Issue.record("\(String(describing: try failure(bytes)))")
            return
        }
        #expect(problem == "has a length of \(UInt(bitPattern: count)) bytes at offset 0, expected 2 to 16777216")
    }

    @Test("a file truncated at any byte or with extra bytes is rejected")
    func cut() throws {
        let whole = Self.small.bytes()
        for count in 0..<whole.count { #expect(try failure(whole.prefix(count)) != nil, "\(count) bytes") }
        #expect(try failure(whole) == nil)
        guard case .trailingBytes(_, 1, whole.count) = try failure(whole + [0]) else {
            Issue.record("an extra byte")
            return
        }
        guard case .truncated(_, whole.count - 1, whole.count) = try failure(whole.dropLast()) else {
            Issue.record("a missing byte")
            return
        }
    }

    @Test("other kinds of files are recognized")
    func others() throws {
        let header = #"{"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}"#
        let descriptions = [
            try failure(Data()), try failure(Data("hello".utf8)),
            try failure(Data([0x6c, 0x6d, 0x67, 0x67] + [UInt8](repeating: 0, count: 60))),
            try failure(Data([UInt8](repeating: 0xff, count: 64))),
            try failure(Self.small.bytes(header: header)),
        ].map { $0.map { "\($0)" } ?? "" }
        let expected = [
            "is an empty file", "is too short", "is a ggml model", "is not in a known model format",
            "tensor a is stored as I64",
        ]
        for (description, part) in zip(descriptions, expected) { #expect(description.contains(part)) }
    }

    @Test("random damage is rejected or read without crashing")
    func random() throws {
        let whole = Self.small.bytes()
        var generator = SplitMix64(seed: 5)
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let (folder, path) = try file(bytes)
            defer { withExtendedLifetime(folder) {} }
            do {
                for tensor in try SafetensorsFile(path).tensors.values {
                    #expect(try tensor.floats().count == tensor.count)
                }
            } catch let error as ModelError {
                #expect(error.description.contains(path.description) && error.category == .data, "\(error)")
            }
        }
    }
}
