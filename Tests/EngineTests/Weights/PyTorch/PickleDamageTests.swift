import Testing

/// Pickles that are damaged, malicious or hold something other than a Whisper checkpoint.
@Suite("Damaged and foreign pickles")
struct PickleDamageTests {
    static let good = PyTorchContents(GGMLContents(width: 2))

    /// The error for a pickle in an otherwise intact file.
    private static func error(pickle: [UInt8]) throws -> (ModelError?, FilePath) {
        var contents = good
        contents.pickle = pickle
        return try ZIPDamageTests.error(contents.bytes)
    }

    private static func error(_ contents: PyTorchContents) throws -> (ModelError?, FilePath) {
        try ZIPDamageTests.error(contents.bytes)
    }

    private static func text(_ text: String) -> [UInt8] { PickleItem.text(text).bytes }

    /// Opcodes after PROTO, the offset of the error, and its text.
    static let damaged: [([UInt8], Int, String)] = [
        ([], 2, "STOP is missing"), ([0x7d], 3, "STOP is missing"),
        ([0x2e], 2, "STOP leaves 0 values"), ([0x7d, 0x7d, 0x2e], 4, "STOP leaves 2 values"),
        ([0x7d, 0x28, 0x2e], 4, "STOP leaves"), ([0x7d, 0x2e, 0], 3, "STOP is followed by 1 bytes"),
        ([0x30], 2, "POP is not an opcode"), ([0x81], 2, "NEWOBJ is not an opcode"), ([0xff], 2, "0xff is not"),
        ([0x69] + text("os"), 2, "INST is not"), ([0x93], 2, "STACK_GLOBAL is not"), ([0x82, 1], 2, "EXT1 is not"),
        ([0x95, 0, 0, 0, 0, 0, 0, 0, 0], 2, "FRAME is not"), ([0x42, 0xff, 0xff, 0xff, 0xff], 2, "BINBYTES is not"),
        ([0x80, 2], 2, "PROTO is repeated"),
        ([0x73], 2, "SETITEM finds too few"), ([0x7d, 0x4e, 0x73], 4, "SETITEM finds no dictionary"),
        ([0x4e, 0x4e, 0x4e, 0x73], 5, "SETITEM finds no dictionary"), ([0x75], 2, "SETITEMS finds no mark"),
        ([0x7d, 0x28, 0x4e, 0x75], 5, "SETITEMS finds a key without"), ([0x28, 0x75], 3, "SETITEMS finds no dict"),
        ([0x7d, 0x28, 0x4e, 0x4e, 0x73], 6, "SETITEM finds no dictionary"),
        ([0x61], 2, "APPEND finds too few"), ([0x7d, 0x4e, 0x61], 4, "APPEND finds no list"),
        ([0x7d, 0x28, 0x65], 4, "APPENDS finds no list"), ([0x74], 2, "TUPLE finds no mark"),
        ([0x85], 2, "TUPLE1 finds too few"), ([0x4e, 0x86], 3, "TUPLE2 finds too few"),
        ([0x4e, 0x28, 0x4e, 0x87], 5, "TUPLE3 finds too few"),
        ([0x71, 0], 2, "BINPUT finds too few"), ([0x68, 0], 2, "BINGET fetches value 0"),
        ([0x4e, 0x71, 3, 0x68, 2], 5, "BINGET fetches value 2"),
        ([0x6a, 0xff, 0xff, 0xff, 0xff], 2, "LONG_BINGET fetches value 4294967295"),
        ([0x4e, 0x72, 0x40, 0x42, 0x0f, 0], 3, "LONG_BINPUT stores value 1000000"),
        ([0x4e, 0x72, 0xff, 0xff, 0xff, 0xff], 3, "LONG_BINPUT stores value 4294967295"),
        ([0x58, 0xff, 0xff, 0xff, 0x7f], 2, "BINUNICODE needs 2147483647 bytes, but only 0 follow"),
        ([0x58, 2, 0, 0], 2, "BINUNICODE needs 4 bytes"), ([0x58, 1, 0, 0, 0, 0xff], 2, "BINUNICODE is not UTF-8"),
        ([0x4a, 0, 0], 2, "BININT needs 4"), ([0x47, 0], 2, "BINFLOAT needs 8"), ([0x8a], 2, "LONG1 needs 1"),
        ([0x8a, 9] + [UInt8](repeating: 1, count: 9), 2, "LONG1 is an integer of 9 bytes"),
        ([0x63] + Array("os".utf8), 2, "GLOBAL has a name of more than"),
        ([0x63] + [UInt8](repeating: 0x61, count: 1000), 2, "GLOBAL has a name of more than"),
        ([0x4e, 0x51], 3, "BINPERSID is not a reference"), ([0x29, 0x51], 3, "BINPERSID is not a reference"),
        ([0x4e, 0x29, 0x52], 4, "REDUCE calls a value"), ([0x4e, 0x52], 3, "REDUCE finds too few"),
        (PickleItem.global("collections", "OrderedDict").bytes + [0x4e, 0x85, 0x52], 29, "REDUCE gives OrderedDict"),
        (PickleItem.global("torch", "HalfStorage").bytes + [0x29, 0x52], 22, "REDUCE calls a storage class"),
        ([0x4e, 0x4e, 0x62], 4, "BUILD sets the attributes"), ([0x4e, 0x62], 3, "BUILD sets the attributes"),
        ([UInt8](repeating: 0x4e, count: 10_001), 10_002, "NONE is the value number 10001 on the stack"),
        ([UInt8](repeating: 0x28, count: 10_001), 10_002, "MARK is nested too deeply"),
        ([0x4e] + [UInt8](repeating: 0x85, count: 65), 67, "TUPLE1 nests values deeper than 64"),
        ([0x7d] + [UInt8](repeating: 0x4e, count: 9999) + [0x2e], 10_002, "STOP leaves 10000 values"),
    ]

    @Test("a damaged pickle is rejected with the opcode and its offset", arguments: damaged.indices)
    func opcodes(index: Int) throws {
        let (opcodes, offset, problem) = Self.damaged[index]
        let (error, path) = try Self.error(pickle: [0x80, 2] + opcodes)
        guard case .badPickle(path, offset, let found)? = error else {
            Issue.record("\(problem) at \(offset): \(String(describing: error))")
            return
        }
        #expect(found.hasPrefix(problem), "\(found)")
    }

    @Test("other protocols are rejected", arguments: [0, 1, 3, 4, 5, 255])
    func protocols(version: UInt8) throws {
        let (error, path) = try Self.error(pickle: [0x80, version, 0x7d, 0x2e])
        #expect(
            error == .badPickle(path: path, offset: 0, problem: "PROTO names protocol \(version), expected 2"))
    }

    @Test("a pickle without a protocol is rejected", arguments: [[], [0x7d, 0x2e]])
    func noProtocol(bytes: [UInt8]) throws {
        let (error, path) = try Self.error(pickle: bytes)
        #expect(error == .badPickle(path: path, offset: 0, problem: "PROTO is missing"))
    }

    static let names = [
        ("os", "system"), ("posix", "system"), ("builtins", "eval"), ("builtins", "exec"), ("__builtin__", "getattr"),
        ("numpy.core.multiarray", "scalar"), ("numpy", "dtype"), ("__main__", "Model"), ("torch", "load"),
        ("torch", "device"), ("torch.storage", "UntypedStorage"), ("torch._utils", "_rebuild_tensor"),
        ("collections", "defaultdict"), ("argparse", "Namespace"), ("_codecs", "encode"), ("", ""),
    ]

    @Test("a pickle that refers to any other function or class is rejected by its name", arguments: names.indices)
    func foreignNames(index: Int) throws {
        let (module, name) = Self.names[index]
        var contents = Self.good
        contents.extras = [("x", .bytes(PickleItem.global(module, name).bytes + Self.text("true") + [0x85, 0x52]))]
        let (error, path) = try Self.error(contents)
        #expect(error == .foreignName(path: path, name: "\(module).\(name)"))
    }

    @Test("a pickle that stores the same values again and again is rejected before it takes much memory")
    func bombs() throws {
        // Each round stores a tuple of the last one a thousand times.
        var nested: [UInt8] = [0x29, 0x71, 0]
        for _ in 0..<120 {
            nested +=
                [0x28] + Array(repeatElement([0x68, 0], count: 9000).joined()) + [
                    0x74, 0x71, 0,
                ]
        }
        let empty = [UInt8](repeating: 0x7d, count: 9000)
        let lists: [UInt8] = [0x5d] + Array(repeatElement([0x28] + empty + [0x65], count: 200).joined())
        for pickle in [nested, lists] {
            let (error, path) = try Self.error(pickle: [0x80, 2] + pickle)
            guard case .badPickle(path, _, let problem)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(problem.contains("nests values deeper") || problem.contains("exceeds the limit of 500000 values"))
        }
        let (error, path) = try Self.error(pickle: [UInt8](repeating: 0x4e, count: 1 << 24 + 1))
        #expect(
            error
                == .badPickle(
                    path: path, offset: 0, problem: "has 16777217 bytes, at most 16777216 are supported"))
    }

    @Test("a dictionary that contains itself is harmless")
    func cycle() throws {
        var contents = Self.good
        // {…, "self": the same dictionary}
        contents.pickle =
            [0x80, 2, 0x7d, 0x71, 0, 0x28] + Self.text("self") + [0x68, 0] + Self.text("dims")
            + PickleItem.dictionary(contents.dims).bytes + Self.text("model_state_dict")
            + PickleItem.dictionary(contents.state).bytes + [0x75, 0x2e]
        #expect(try Self.error(contents).0 == nil)
    }

    @Test("values that fine-tuning tools add are ignored")
    func extras() throws {
        var contents = Self.good
        contents.storages.append([UInt8](repeating: 0, count: 24))
        let steps = PickleItem.tensor(
            storage: .storage("LongStorage", "\(contents.storages.count - 1)", 3), offset: 0, sizes: [3], strides: [1])
        let parameter = PickleItem.bytes(
            PickleItem.global("torch._utils", "_rebuild_parameter").bytes
                + PickleItem.tuple([steps, .bool(true), PickleItem.ordered]).bytes + [0x52])
        contents.extras = [
            ("losses", .list([.float(0.5), .none, .list([])])), ("steps", steps), ("parameter", parameter),
            ("big", .int(1 << 40)), ("negative", .int(-5)),
            (
                "ordered",
                .bytes(PickleItem.ordered.bytes + PickleItem.dictionary([("_metadata", .none)]).bytes + [0x62])
            ),
        ]
        #expect(try Self.error(contents).0 == nil)
    }

    @Test("other checkpoints are rejected with the keys in them")
    func otherCheckpoints() throws {
        let state = PickleItem.dictionary(Self.good.state)
        for (members, keys) in [
            (
                [("epoch", PickleItem.int(3)), ("state_dict", state), ("optimizer", .dictionary([]))],
                ["epoch", "state_dict", "optimizer"]
            ),
            ([("model_state_dict", state)], ["model_state_dict"]), ([], []),
        ] {
            let (error, path) = try Self.error(pickle: PickleItem.dictionary(members).pickled)
            #expect(error == .otherCheckpoint(path: path, keys: keys))
        }
        var (error, path) = try Self.error(pickle: PickleItem.list([]).pickled)
        #expect(error == .badCheckpoint(path: path, problem: "is not a dictionary"))
        (error, path) = try Self.error(
            pickle: PickleItem.dictionary([("dims", .none), ("model_state_dict", state)]).pickled)
        #expect(
            error == .badCheckpoint(path: path, problem: "has dims or model_state_dict that are not dictionaries"))
    }

    @Test("missing and impossible dimensions are rejected with their names")
    func dimensions() throws {
        for index in Self.good.dims.indices {
            let name = Self.good.dims[index].0
            var contents = Self.good
            contents.dims.remove(at: index)
            var (error, path) = try Self.error(contents)
            #expect(error == .badCheckpoint(path: path, problem: "has no number \(name) in dims"))
            for value in [-1, 0, Int.max, Int.min, 50_000] {
                contents = Self.good
                contents.dims[index].1 = .int(value)
                (error, path) = try Self.error(contents)
                guard case .badField(path, let field, let found, _)? = error else {
                    Issue.record("\(name) \(value): \(String(describing: error))")
                    continue
                }
                #expect(field == name && found == value)
            }
        }
    }

    @Test("missing, repeated, unknown and wrong tensors are rejected with their names")
    func tensors() throws {
        let name = "decoder.ln.weight", stored = Self.good[name]
        var contents = Self.good
        contents.state.removeAll { $0.0 == name }
        var (error, path) = try Self.error(contents)
        #expect(error == .missingTensors(path: path, names: [name]))
        contents = Self.good
        contents.state.append((name, stored))
        (error, path) = try Self.error(contents)
        #expect(error == .duplicateTensor(path: path, name: name))
        contents = Self.good
        contents.state += [("\u{1b}[2J", stored), ("\u{1b}[2J", stored)]
        (error, path) = try Self.error(contents)
        #expect(error == .duplicateTensor(path: path, name: "$'\\x1b[2J'"))
        contents = Self.good
        contents.state.append(("decoder.extra", stored))
        (error, path) = try Self.error(contents)
        guard case .unknownTensor(path, "decoder.extra", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        contents = Self.good
        contents[name] = .int(1)
        (error, path) = try Self.error(contents)
        #expect(error == .badTensor(path: path, tensor: name, problem: "is not a tensor"))
        contents = Self.good
        contents["decoder.blocks.0.mlp.0.weight"] = Self.good["decoder.blocks.0.mlp.2.weight"]
        (error, path) = try Self.error(contents)
        #expect(
            error
                == .wrongShape(path: path, tensor: "decoder.blocks.0.mlp.0.weight", expected: [8, 2], found: [2, 8]))
    }

    /// Storage type, key, its count, offset, sizes, strides, and the error's text. The storage has two float32.
    static let views: [(String, String, Int, Int, [Int], [Int], String)] = [
        ("FloatStorage", "KEY", 3, 0, [2], [1], "is in storage KEY of 3 elements, which has 8 bytes"),
        ("FloatStorage", "KEY", Int.max, 0, [2], [1], "which has 8 bytes"),
        ("HalfStorage", "KEY", 2, 0, [2], [1], "which has 8 bytes"),
        ("FloatStorage", "missing", 2, 0, [2], [1], "is in storage missing, which is missing"),
        ("FloatStorage", "../data.pkl", 2, 0, [2], [1], "which is missing"),
        ("FloatStorage", "KEY", 2, 1, [2], [1], "exceed its storage of 2 elements"),
        ("FloatStorage", "KEY", 2, Int.max, [2], [1], "exceed its storage"),
        ("FloatStorage", "KEY", 2, 0, [2], [-1], "exceed its storage"),
        ("FloatStorage", "KEY", 2, 0, [2], [2], "exceed its storage"),
        ("FloatStorage", "KEY", 2, 0, [2], [Int.max], "exceed its storage"),
        ("FloatStorage", "KEY", 2, 0, [Int.max, Int.max], [0, 0], "exceed its storage"),
        ("FloatStorage", "KEY", 2, 3, [0], [1], "exceed its storage"),
        ("LongStorage", "KEY", 1, 0, [1], [1], "LongStorage"),
    ]

    @Test("a tensor that does not fit in its storage is rejected with its name", arguments: views.indices)
    func view(index: Int) throws {
        let (type, key, count, offset, sizes, strides, problem) = Self.views[index]
        let name = "decoder.ln.weight"
        var contents = Self.good
        let at = try #require(contents.state.firstIndex { $0.0 == name })
        contents[name] = .tensor(
            storage: .storage(type, key.replacing("KEY", with: "\(at)"), count), offset: offset, sizes: sizes,
            strides: strides)
        let (error, path) = try Self.error(contents)
        switch error {
        case .badTensor(path, name, let found)?:
            #expect(found.contains(problem.replacing("KEY", with: "\(at)")), "\(found)")
        case .unsupportedType(path, name, let found)?: #expect(found == problem)
        default: Issue.record("\(problem): \(String(describing: error))")
        }
    }

    @Test("a tensor that is spread over much more of its storage than it has elements is rejected")
    func spread() throws {
        let name = "decoder.ln.weight"
        for (stride, isAccepted) in [(31, true), (32, false), (9_000_000, false)] {
            var contents = Self.good
            let size = min(stride + 1, 100)
            contents.storages.append([UInt8](repeating: 0, count: 4 * size))
            contents[name] = .tensor(
                storage: .storage("FloatStorage", "\(contents.storages.count - 1)", size), offset: 0, sizes: [2],
                strides: [stride])
            let (error, path) = try Self.error(contents)
            guard !isAccepted else {
                #expect(error == nil)
                continue
            }
            guard case .badTensor(path, name, let problem)? = error else {
                Issue.record("\(stride): \(String(describing: error))")
                continue
            }
            let expected = stride < size ? "spreads its 2 elements over 33 of its storage" : "exceed its storage"
            #expect(problem.contains(expected), "\(problem)")
        }
    }

    @Test("arguments of other types are rejected")
    func arguments() throws {
        let storage = PickleItem.storage("FloatStorage", "0", 2)
        func call(_ items: [PickleItem]) -> PickleItem {
            .bytes(
                PickleItem.global("torch._utils", "_rebuild_tensor_v2").bytes + PickleItem.tuple(items).bytes + [0x52])
        }
        let good: [PickleItem] = [storage, .int(0), .tuple([.int(2)]), .tuple([.int(1)]), .bool(false), .ordered]
        let wrong: [PickleItem] = [.none, .int(-1), .tuple([.int(-2)]), .tuple([.text("1")]), .none, .tuple([])]
        for index in good.indices {
            var items = good
            items[index] = wrong[index]
            var contents = Self.good
            contents["decoder.ln.weight"] = call(items)
            guard case .badPickle(_, _, let problem)? = try Self.error(contents).0 else {
                Issue.record("argument \(index)")
                continue
            }
            #expect(problem == "REDUCE gives _rebuild_tensor_v2 arguments of other types")
        }
        for items in [
            Array(good.dropLast()), good + [.none, .none],
            [storage] + [.int(0), .tuple([]), .tuple([.int(1)])] + good[4...],
        ] {
            var contents = Self.good
            contents["decoder.ln.weight"] = call(items)
            guard case .badPickle? = try Self.error(contents).0 else {
                Issue.record("accepted")
                continue
            }
        }
    }
}
