import Foundation
import TestModels
import Testing

/// Small files that claim to be huge, opened in a process that may not allocate more than 64 MiB.
@Suite("Models that claim more than they have")
struct HostileModelTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Part of the error.
        let problem: String
        let files: @Sendable () throws -> [String: [UInt8]]

        init(_ name: String, _ problem: String, _ files: @escaping @Sendable () throws -> [String: [UInt8]]) {
            (testDescription, self.problem, self.files) = (name, problem, files)
        }
    }

    /// The peak may grow by this much, whatever the file says. The names and shapes of the largest permitted network alone
    /// take 2 MiB, a file of the largest size here another 3.
    private static let maxKilobytes = 8 << 10

    @Test(
        "a hostile model is rejected without taking the memory that it claims",
        arguments: ggml + ctranslate2 + safetensors + settings + archives + pickles + gguf + nemo)
    func rejected(hostile: Case) throws {
        let scratch = try Program.Scratch(), folder = scratch.url.appending(path: "model")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, bytes) in try hostile.files() { try Data(bytes).write(to: folder.appending(path: name)) }
        let outcome = try Program.shell("model-fuzzer open model", in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output.hasPrefix("rejected: ") && outcome.output.contains(hostile.problem), "\(outcome.output)")
        let line = outcome.output.split(separator: "\n").last ?? ""
        let kilobytes = try #require(Int(line.prefix { $0.isNumber }), "\(outcome.output)")
        #expect(kilobytes <= Self.maxKilobytes, "\(line)")
    }

    // MARK: ggml

    private static func ggml(_ change: @escaping @Sendable (inout GGMLContents) -> Void)
        -> @Sendable () -> [String: [UInt8]]
    {
        {
            var contents = GGMLContents(width: 1)
            change(&contents)
            return ["model.bin": contents.bytes]
        }
    }

    /// A file that ends after these numbers.
    private static func header(_ numbers: [Int]) -> @Sendable () -> [String: [UInt8]] {
        { ["model.bin": [0x6c, 0x6d, 0x67, 0x67] + numbers.flatMap(GGMLContents.bytes)] }
    }

    private static let large = [51_864, 1500, 8192, 1, 256, 8192, 8192, 1, 256, 80, 1, 80, 201]

    static let ggml = [
        Case("ggml: the largest network in a header", "inside its mel filters", header(large)),
        Case("ggml: all header numbers", "n_vocab is 2147483647", header([Int](repeating: Int(Int32.max), count: 13))),
        Case("ggml: number of pieces", "inside its vocabulary") {
            ["model.bin": [UInt8](GGMLContents(width: 1).bytes.prefix(64_376)) + GGMLContents.bytes(51_864)]
        },
        Case("ggml: length of a piece", "vocabulary entry 0 at offset 64380 has 4294967295 bytes") {
            let start = [UInt8](GGMLContents(width: 1).bytes.prefix(64_376))
            return ["model.bin": start + GGMLContents.bytes(51_864) + GGMLContents.bytes(-1)]
        },
        Case(
            "ggml: the largest network with one tensor", "9994 tensors missing",
            ggml {
                $0.header = Array(large.prefix(11))
                $0.records = [$0["decoder.ln.bias"]]
                $0.records[0].sizes = [8192]
                $0.records[0].data = [UInt8](repeating: 0, count: 4 * 8192)
            }),
        Case("ggml: number of dimensions", "has 1000000000 dimensions") {
            let bytes = GGMLContents(width: 1).bytes
            let start = GGMLContents(width: 1).recordsOffset
            return ["model.bin": bytes[..<start] + GGMLContents.bytes(1_000_000_000) + bytes[(start + 4)...]]
        },
        Case("ggml: length of a name", "has a name of 2147483647 bytes") {
            let bytes = GGMLContents(width: 1).bytes
            let start = GGMLContents(width: 1).recordsOffset + 4
            return ["model.bin": bytes[..<start] + GGMLContents.bytes(Int(Int32.max)) + bytes[(start + 4)...]]
        },
        Case(
            "ggml: dimensions of a tensor", "has the shape [2147483647, 2147483647]",
            ggml {
                $0["decoder.token_embedding.weight"].sizes = [Int(Int32.max), Int(Int32.max)]
            }),
    ]

    // MARK: CTranslate2

    private static func ctranslate2(
        _ change: @escaping @Sendable (inout CTranslate2Contents) -> Void
    ) -> @Sendable () -> [String: [UInt8]] {
        {
            var contents = CTranslate2Contents(.tiny(width: 1))
            change(&contents)
            return ["model.bin": contents.bytes, "config.json": Array("{}".utf8)]
        }
    }

    private static let matrix = "encoder/layer_0/ffn/linear_0/weight"

    static let ctranslate2 = [
        Case(
            "CTranslate2: number of variables", "the number of variables is 4294967295", ctranslate2 { $0.count = -1 }),
        Case(
            "CTranslate2: as many variables as permitted", "has a name of 0 bytes",
            ctranslate2 {
                $0.count = 100_000
                $0.variables.removeLast($0.variables.count - 1)
                $0.aliases = []
            }),
        Case(
            "CTranslate2: length of a tensor", "its shape [4294967295, 1] needs",
            ctranslate2 {
                $0[matrix].shape = [0xffff_ffff, 1]
                $0[matrix].length = -1
            }),
        Case(
            "CTranslate2: a tensor of 4 GB that is not there", "inside its tensor",
            ctranslate2 {
                $0[matrix].shape = [0x7fff_fffe, 1]
                $0[matrix].length = 0xffff_fffc
            }),
        Case(
            "CTranslate2: a shape whose product overflows", "has the impossible shape",
            ctranslate2 {
                $0[matrix].shape = [Int](repeating: 0xffff_ffff, count: 8)
            }),
        Case(
            "CTranslate2: number of layers", "missing",
            ctranslate2 { contents in
                contents.variables += (1..<256).map {
                    .init(name: "encoder/layer_\($0)/ffn/layer_norm/gamma", shape: [1], type: 0, data: [0, 0, 0, 0])
                }
            }),
        Case("CTranslate2: a vocabulary of empty lines", "has 3000001 tokens, expected the model's 51864") {
            [
                "model.bin": CTranslate2Contents(.tiny(width: 1)).bytes,
                "vocabulary.txt": [UInt8](repeating: 10, count: 3_000_000) + [0x61],
            ]
        },
    ]

    // MARK: Hugging Face

    private static func folder(_ changes: [String: String?]) -> @Sendable () throws -> [String: [UInt8]] {
        {
            var files = try HuggingFaceContents(.tiny(width: 1)).files(tokenizer: false).mapValues { [UInt8]($0) }
            for (name, text) in changes { files[name] = text.map { Array($0.utf8) } }
            return files
        }
    }

    private static func folder(shards: Int) -> @Sendable () throws -> [String: [UInt8]] {
        folder([
            "model.safetensors": nil,
            "model.safetensors.index.json": #"{"weight_map":{"#
                + (0..<shards).map { #""t\#($0)":"s\#($0)""# }.joined(separator: ",") + "}}",
        ])
    }

    private static func safetensors(_ header: String, length: Int? = nil) -> @Sendable () throws -> [String: [UInt8]] {
        {
            var files = try folder([:])()
            let length = length ?? header.utf8.count
            files["model.safetensors"] =
                GGMLContents.bytes(length) + GGMLContents.bytes(length >> 32) + Array(header.utf8) + [0, 0, 0, 0]
            return files
        }
    }

    static let safetensors = [
        Case("safetensors: length of the header", "inside its header", safetensors("{}", length: 16 << 20)),
        Case(
            "safetensors: length beyond the limit", "has a length of 9223372036854775808 bytes at offset 0",
            safetensors("{}", length: .min)),
        Case(
            "safetensors: a shape of 2^62 elements", "needs 9223372036854775804",
            safetensors(
                #"{"a":{"dtype":"F32","shape":[2305843009213693951],"data_offsets":[0,4]}}"#)),
        Case(
            "safetensors: a shape whose product overflows", "the impossible shape",
            safetensors(
                #"{"a":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,4]}}"#)),
        Case(
            "safetensors: offsets beyond the file", "is truncated",
            safetensors(
                #"{"a":{"dtype":"F32","shape":[1073741824],"data_offsets":[0,4294967296]}}"#)),
        Case(
            "safetensors: offsets near the largest integer", "no valid data offsets",
            safetensors(
                #"{"a":{"dtype":"F32","shape":[1],"data_offsets":[9223372036854775803,9223372036854775807]}}"#)),
        Case(
            "safetensors: thousands of dimensions", "has no valid shape",
            safetensors(
                #"{"a":{"dtype":"F32","shape":["# + String(repeating: "1,", count: 100_000)
                    + #"1],"data_offsets":[0,4]}}"#)),
        Case(
            "safetensors: nested 100,000 deep", "is nested too deeply",
            safetensors(
                #"{"a":"# + String(repeating: "[", count: 100_000))),
        Case(
            "safetensors: a name of a megabyte", "aaa…",
            safetensors(
                #"{""# + String(repeating: "a", count: 1 << 20) + #"":1}"#)),
    ]

    static let settings = [
        Case(
            "config.json: impossible dimensions", "d_model is 99999999999999999999",
            folder([
                "config.json": #"{"model_type":"whisper","d_model":99999999999999999999,"num_mel_bins":80}"#
            ])),
        Case(
            "config.json: a billion layers", "encoder_layers is 1000000000, expected 1 to 256",
            folder([
                "config.json": """
                {"model_type":"whisper","d_model":8192,"num_mel_bins":80,"max_source_positions":1500,
                "encoder_attention_heads":64,"encoder_layers":1000000000,"vocab_size":51864,
                "max_target_positions":448,"decoder_attention_heads":64,"decoder_layers":1000000000}
                """
            ])),
        Case(
            "config.json: nested 100,000 deep", "is nested too deeply",
            folder([
                "config.json": String(repeating: #"{"a":"#, count: 100_000)
            ])),
        Case(
            "config.json: a string without end", "ends inside a string",
            folder([
                "config.json": "\"" + String(repeating: "a", count: 1 << 19)
            ])),
        Case(
            "index: as many missing shards as permitted", "(256 in all) missing", folder(shards: 256)),
        Case(
            "index: a thousand shards", "names 1000 files, at most 256 are supported", folder(shards: 1000)),
        Case(
            "index: more values than tensors", "has too many entries",
            folder([
                "model.safetensors": nil,
                "model.safetensors.index.json": "[0" + String(repeating: ",0", count: 60_000) + "]",
            ])),
        Case(
            "tokenizer.json: an ID beyond all", "with the ID 4611686018427387904, expected less than 51864",
            folder([
                "tokenizer.json": #"{"model":{"vocab":{"a":4611686018427387904}}}"#
            ])),
    ]

    // MARK: PyTorch

    private static func archive(_ change: @escaping @Sendable (inout ZIPContents) -> Void)
        -> @Sendable () -> [String: [UInt8]]
    {
        {
            var zip = ZIPContents(entries: [
                .init("m/data.pkl", [0x80, 2, 0x7d, 0x2e]), .init("m/data/0", [0, 0, 0, 0]),
            ])
            change(&zip)
            return ["model.pt": zip.bytes]
        }
    }

    static let archives = [
        Case(
            "ZIP: number of entries", "has more than 100000 entries",
            archive {
                ($0.end, $0.end64) = ([2: 0xffff, 3: 0xffff], [2: 1 << 40, 3: 1 << 40])
            }),
        Case(
            "ZIP: as many entries as permitted", "has a damaged directory (entry 2)",
            archive {
                ($0.end, $0.end64) = ([2: 0xffff, 3: 0xffff], [2: 100_000, 3: 100_000])
            }),
        Case(
            "ZIP: size of the directory", "has a directory of",
            archive {
                ($0.end, $0.end64) = ([4: 0xffff_ffff], [4: 1 << 62])
            }),
        Case(
            "ZIP: size of an entry", "more than the archive",
            archive {
                ($0.entries[1].size, $0.entries[1].packedSize, $0.entries[1].isZIP64) = (1 << 62, 1 << 62, true)
            }),
        Case(
            "ZIP: a DEFLATE bomb", "is compressed; only stored entries are supported",
            archive {
                $0.entries[0].method = 8
                ($0.entries[0].size, $0.entries[0].isZIP64) = (10_000_000_000, true)
            }),
        Case(
            "ZIP: thousands of entries with the same bytes", "is listed twice",
            archive {
                $0.entries += Array(repeating: $0.entries[1], count: 5000)
            }),
    ]

    private static func pickle(_ opcodes: [UInt8]) -> @Sendable () -> [String: [UInt8]] {
        archive { $0.entries[0].data = [0x80, 2] + opcodes }
    }

    /// A list of tensors without elements, all with the same arguments.
    private static func tensors(rank: Int) -> @Sendable () -> [String: [UInt8]] {
        let zeros = PickleItem.tuple([PickleItem](repeating: .int(0), count: rank))
        let arguments = PickleItem.tuple([
            .storage("FloatStorage", "0", 1), .int(0), zeros, zeros, .bool(false), PickleItem.ordered,
        ])
        let call: [UInt8] = [0x68, 0, 0x68, 1, 0x52]
        let calls = [0x28] + Array(repeatElement(call, count: 9000).joined()) + [0x65]
        return pickle(
            PickleItem.global("torch._utils", "_rebuild_tensor_v2").bytes + [0x71, 0] + arguments.bytes + [0x71, 1]
                + [0x5d] + Array(repeatElement(calls, count: 12).joined()))
    }

    static let pickles = [
        Case("pickle: a string of 2 GiB", "BINUNICODE needs 2147483647 bytes", pickle([0x58, 0xff, 0xff, 0xff, 0x7f])),
        Case(
            "pickle: value 999,999 of the memo", "LONG_BINPUT stores value 999999",
            pickle([
                0x4e, 0x72, 0x3f, 0x42, 0x0f, 0, 0x2e,
            ])),
        Case("pickle: marks", "MARK is nested too deeply", pickle([UInt8](repeating: 0x28, count: 100_000))),
        Case("pickle: values", "on the stack", pickle([UInt8](repeating: 0x4e, count: 100_000))),
        Case(
            "pickle: nested tuples", "nests values deeper than 64",
            pickle(
                [0x29] + [UInt8](repeating: 0x85, count: 100_000))),
        Case(
            "pickle: a tuple of the same tuple, nested", "nests values deeper than 64",
            pickle(
                [0x29, 0x71, 0] + Array(repeatElement([0x68, 0, 0x68, 0, 0x86, 0x71, 0], count: 1000).joined()))),
        Case("pickle: a hundred thousand tensors of 64 dimensions", "has 64 dimensions", tensors(rank: 64)),
        Case("pickle: a hundred thousand tensors of 8 dimensions", "exceeds the limit of", tensors(rank: 8)),
        Case("pickle: a tensor under 60,000 names", "has 60000 tensors, at most 20000 are supported") {
            var contents = PyTorchContents(GGMLContents(width: 1))
            let tensor = contents.state[0].1.bytes + [0x71, 0]
            var state: [UInt8] = [0x7d, 0x28] + PickleItem.text("0").bytes + tensor + [0x75]
            for start in stride(from: 1, to: 60_000, by: 4000) {
                let names = start..<min(60_000, start + 4000)
                state += [0x28] + names.flatMap { PickleItem.text("\($0)").bytes + [0x68, 0] } + [0x75]
            }
            contents.pickle =
                [0x80, 2, 0x7d, 0x28] + PickleItem.text("dims").bytes + PickleItem.dictionary(contents.dims).bytes
                + PickleItem.text("model_state_dict").bytes + state + [0x75, 0x2e]
            return ["model.pt": contents.bytes]
        },
        Case("pickle: a storage of 2^62 elements", "in storage 0 of 4611686018427387904 elements") {
            var contents = PyTorchContents(GGMLContents(width: 1))
            contents[contents.state[0].0] = .tensor(
                storage: .storage("FloatStorage", "0", 1 << 62), offset: 0, sizes: [1500, 1], strides: [1, 1])
            return ["model.pt": contents.bytes]
        },
        Case("pickle: one element as a tensor of 400 million", "repeats its elements") {
            var contents = PyTorchContents(GGMLContents(width: 1))
            contents["decoder.token_embedding.weight"] = .tensor(
                storage: .storage("HalfStorage", "1", 240), offset: 0, sizes: [51_864, 8192], strides: [0, 0])
            return ["model.pt": contents.bytes]
        },
    ]

    // MARK: Parakeet

    private static func gguf(_ change: @escaping @Sendable (inout GGUFContents) -> Void)
        -> @Sendable () -> [String: [UInt8]]
    {
        {
            var contents = GGUFContents()
            change(&contents)
            return ["model.gguf": contents.bytes]
        }
    }

    private static func list(_ count: Int, _ elements: [UInt8] = []) -> [UInt8] {
        [9, 0, 0, 0, 0, 0, 0, 0] + GGUFContents.long(count) + elements
    }

    static let gguf = [
        Case("GGUF: number of tensors", "the number of tensors is 1099511627776", gguf { $0.tensorCount = 1 << 40 }),
        Case("GGUF: number of settings", "the number of settings is 1099511627776", gguf { $0.settingCount = 1 << 40 }),
        Case(
            "GGUF: length of a text", "has a text of 1125899906842624 bytes",
            gguf { $0.settings = [("a", [8, 0, 0, 0] + GGUFContents.long(1 << 50))] }),
        Case(
            "GGUF: length of a list", "has a list of 1099511627776 values",
            gguf { $0.settings = [("a", list(1 << 40))] }),
        Case(
            "GGUF: as many values as permitted", "of the architecture unknown",
            gguf { $0.settings = [("a", list(100_000, [UInt8](repeating: 7, count: 100_000)))] }),
        Case(
            "GGUF: as many tensors as permitted, all at the same place", "overlaps another one",
            gguf { contents in
                contents.tensors = (0..<20_000).map { .init("t\($0)", [1], data: []) }
                for index in contents.tensors.indices { contents.tensors[index].offset = 0 }
                contents.tensors[0].data = [0, 0, 0, 0]
            }),
        Case("ggml of Parakeet: all header numbers", "n_tdt_durations is 2147483647") {
            let numbers =
                [Int](repeating: Int(Int32.max), count: 7) + [512, 8] + [Int](repeating: Int(Int32.max), count: 6)
            return ["model.bin": [0x6c, 0x6d, 0x67, 0x67] + numbers.flatMap(GGMLContents.bytes)]
        },
        Case("ggml of Parakeet: number of pieces", "inside its vocabulary") {
            var bytes = try parakeet("tdt/ggml-f16.bin")
            let start = 4 * 18 + 4 * 128 * 257 + 4 * 401 + 4 * 5
            bytes.replaceSubrange(4..<8, with: GGMLContents.bytes(200_000))
            bytes.replaceSubrange(start..., with: GGMLContents.bytes(200_000) + GGMLContents.bytes(1) + [0x61])
            return ["model.bin": bytes]
        },
    ]

    private static func parakeet(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: Fixtures.folder.appending(path: "../parakeet/\(name)")))
    }

    private static func nemo(_ change: @escaping @Sendable (inout TarContents) -> Void)
        -> @Sendable () throws -> [String: [UInt8]]
    {
        {
            var tar = TarContents(parsing: try parakeet("tdt/f16.nemo"))
            change(&tar)
            return ["model.nemo": tar.bytes]
        }
    }

    private static func settings(_ text: String) -> @Sendable () throws -> [String: [UInt8]] {
        nemo { $0["model_config.yaml"] = Array(text.utf8) }
    }

    static let nemo = [
        Case("NeMo: size of a member", "is truncated", nemo { $0.members[1].size = .max }),
        Case("NeMo: a member twice", "repeats the member ./model_config.yaml", nemo { $0.members += $0.members }),
        Case(
            "NeMo: thousands of members", "is one of more than 10000",
            nemo { $0.members = (0..<10_001).map { .init("\($0)", []) } }),
        Case("NeMo: a gzip bomb", "is a compressed NeMo model") {
            ["model.nemo": [0x1f, 0x8b, 8, 0] + [UInt8](repeating: 0, count: 1000)]
        },
        Case("NeMo: settings that contain themselves", "begins a value with '&'", settings("a: &a\n  b: *a\n")),
        Case(
            "NeMo: settings nested 100,000 deep", "is nested too deeply",
            settings("a: " + String(repeating: "[", count: 100_000))),
        Case(
            "NeMo: settings nested 1000 deep by indentation", "is nested too deeply",
            settings((0..<1000).map { String(repeating: " ", count: $0) + "a:\n" }.joined())),
        Case(
            "NeMo: more settings than permitted", "has too many entries",
            settings("a:\n" + String(repeating: "- b\n", count: 100_001))),
        Case(
            "NeMo: a piece that is not UTF-8", "vocabulary entry 0 at offset 0 is not valid UTF-8",
            nemo { $0["tokenizer.model"] = [0x0a, 0x03, 0x0a, 0x01, 0xff] }),
        Case(
            "NeMo: length of a piece", "vocabulary entry 0 at offset 0 is damaged",
            nemo { $0["tokenizer.model"] = [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f] }),
        Case(
            "NeMo: more pieces than permitted", "vocabulary entry 200000 at offset 1000000 is one too many",
            nemo {
                $0["tokenizer.model"] = Array(repeatElement([0x0a, 0x03, 0x0a, 0x01, 0x61], count: 200_001).joined())
            }),
        Case(
            "NeMo: a DEFLATE bomb as weights", "is compressed; only stored entries are supported",
            nemo {
                var zip = ZIPContents(entries: [.init("m/data.pkl", [0x80, 2, 0x7d, 0x2e])])
                zip.entries[0].method = 8
                (zip.entries[0].size, zip.entries[0].isZIP64) = (10_000_000_000, true)
                $0["model_weights.ckpt"] = zip.bytes
            }),
    ]
}
