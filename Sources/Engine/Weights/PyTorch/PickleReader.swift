/// Reads pickles of tensors, protocol 2, as `torch.save` writes them.
///
/// A pickle is a program for a stack machine which in Python can call any function. This reader knows only the opcodes and
/// names in PyTorch's weight files and computes values; there is nothing that it could call.
struct PickleReader {
    /// What is wrong with a pickle.
    enum Problem: Error, Equatable {
        /// `what` begins with the name of the opcode.
        case damaged(offset: Int, what: String)
        /// The pickle names something that no weight file needs.
        case foreignName(String)
    }

    static let maxBytes = 1 << 24
    private static let maxStack = 10_000
    private static let maxMemo = 1_000_000
    private static let maxDepth = 64
    /// Bounds the memory for pickles that store the same values again and again. Whisper's largest models have about
    /// 70,000.
    private static let maxItems = 500_000
    private static let maxNameBytes = 256
    /// Whisper's tensors have up to 3 dimensions.
    private static let maxRank = 8

    private let bytes: [UInt8]
    private let skipsOthers: Bool
    private var offset = 0
    /// The offset and name of the current opcode.
    private var start = 0
    private var opcode = "PROTO"
    private var stack: [PickleValue] = []
    /// The heights of the stack at the open marks.
    private var marks: [Int] = []
    private var memo: [PickleValue?] = []
    private var items = 0
    private var pickle = Pickle()
    /// The nesting of each tuple, list and dictionary.
    private var tupleDepths: [UInt8] = [], listDepths: [UInt8] = [], dictionaryDepths: [UInt8] = []

    /// Reads a whole pickle.
    ///
    /// - Parameter skipsOthers: whether objects that no weight file needs become `none`, and what is added to them is
    ///   dropped, instead of an error.
    static func read(_ bytes: [UInt8], skipsOthers: Bool = false) throws(Problem) -> Pickle {
        var reader = PickleReader(bytes: bytes, skipsOthers: skipsOthers)
        return try reader.run()
    }

    private init(bytes: [UInt8], skipsOthers: Bool) { (self.bytes, self.skipsOthers) = (bytes, skipsOthers) }

    private func bad(_ what: String) -> Problem { .damaged(offset: start, what: "\(opcode) \(what)") }

    /// Throws unless others are skipped.
    private func skip(_ what: String) throws(Problem) { if !skipsOthers { throw bad(what) } }

    private mutating func run() throws(Problem) -> Pickle {
        guard bytes.count <= Self.maxBytes else { throw bad("is in a pickle of more than \(Self.maxBytes) bytes") }
        guard bytes.first == PickleOpcode.proto.rawValue else { throw bad("is missing") }
        while true {
            start = offset
            guard offset < bytes.count else {
                opcode = "STOP"
                throw bad("is missing")
            }
            opcode = PickleOpcode.name(bytes[offset])
            guard let known = PickleOpcode(rawValue: bytes[offset]) else {
                throw bad("is not an opcode that weight files use")
            }
            offset += 1
            if known == .stop { return try stop() }
            try execute(known)
        }
    }

    private mutating func stop() throws(Problem) -> Pickle {
        guard marks.isEmpty, stack.count == 1 else { throw bad("leaves \(stack.count) values, expected 1") }
        guard offset == bytes.count else { throw bad("is followed by \(bytes.count - offset) bytes") }
        pickle.root = stack[0]
        return pickle
    }

    private mutating func execute(_ opcode: PickleOpcode) throws(Problem) {
        switch opcode {
        case .proto:
            let version = try number(1)
            guard start == 0 else { throw bad("is repeated") }
            guard version == 2 else { throw bad("names protocol \(version), expected 2") }
        case .mark:
            guard marks.count < Self.maxStack else { throw bad("is nested too deeply") }
            marks.append(stack.count)
        case .none: try push(.none)
        case .newTrue: try push(.bool(true))
        case .newFalse: try push(.bool(false))
        case .uint8: try push(.int(number(1)))
        case .uint16: try push(.int(number(2)))
        case .int32: try push(.int(Int(Int32(truncatingIfNeeded: number(4)))))
        case .long1: try push(.int(long()))
        case .float: try push(.float(float()))
        case .text: try push(.text(text()))
        case .emptyTuple: try pushTuple([])
        case .tuple1: try pushTuple(pop(1))
        case .tuple2: try pushTuple(pop(2))
        case .tuple3: try pushTuple(pop(3))
        case .tuple: try pushTuple(popToMark())
        case .emptyList: try pushList()
        case .emptyDictionary: try pushDictionary()
        case .append: try append(pop(1))
        case .appends: try append(popToMark())
        case .setItem: try setItems(pop(2))
        case .setItems: try setItems(popToMark())
        case .global: try push(.global(global()))
        case .persistentID: try pushStorage(pop(1)[0])
        case .reduce: try reduce(pop(2))
        case .build:
            _ = try pop(1)
            guard case .dictionary? = top else { return try skip("sets the attributes of a value that has none") }
        case .newObject:
            try skip("is not an opcode that weight files use")
            _ = try pop(2)
            try push(.none)
        case .put: try store(number(1))
        case .longPut: try store(number(4))
        case .get: try fetch(number(1))
        case .longGet: try fetch(number(4))
        case .stop: break
        }
    }

    // MARK: Arguments

    private mutating func next(_ count: Int) throws(Problem) -> ArraySlice<UInt8> {
        guard count <= bytes.count - offset else {
            throw bad("needs \(count) bytes, but only \(bytes.count - offset) follow")
        }
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }

    /// An unsigned number of up to 4 bytes.
    private mutating func number(_ size: Int) throws(Problem) -> Int {
        try next(size).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func long() throws(Problem) -> Int {
        let size = try number(1)
        guard size <= 8 else { throw bad("is an integer of \(size) bytes, at most 8 are supported") }
        let bytes = try next(size)
        let isNegative = (bytes.last ?? 0) & 0x80 != 0
        return bytes.reversed().reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
    }

    private mutating func float() throws(Problem) -> Double {
        Double(bitPattern: try next(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    private mutating func text() throws(Problem) -> String {
        let bytes = try next(number(4))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw bad("is not UTF-8") }
        return text
    }

    private mutating func line() throws(Problem) -> String {
        guard let end = bytes[offset...].prefix(Self.maxNameBytes + 1).firstIndex(of: 0x0a) else {
            throw bad("has a name of more than \(Self.maxNameBytes) bytes")
        }
        defer { offset = end + 1 }
        return String(decoding: bytes[offset..<end], as: UTF8.self)
    }

    private mutating func global() throws(Problem) -> PickleGlobal {
        let module = try line(), name = try line()
        if let global = PickleGlobal(module: module, name: name) { return global }
        guard skipsOthers else { throw .foreignName("\(module).\(name)") }
        return .other
    }

    // MARK: Stack and memo

    /// The uppermost value above the last mark.
    private var top: PickleValue? { stack.count > marks.last ?? 0 ? stack.last : nil }

    private mutating func push(_ value: PickleValue) throws(Problem) {
        guard stack.count < Self.maxStack else { throw bad("is the value number \(Self.maxStack + 1) on the stack") }
        stack.append(value)
    }

    private mutating func pop(_ count: Int) throws(Problem) -> [PickleValue] {
        let left = stack.count - count
        guard left >= marks.last ?? 0 else { throw bad("finds too few values on the stack") }
        defer { stack.removeLast(count) }
        return Array(stack[left...])
    }

    private mutating func popToMark() throws(Problem) -> [PickleValue] {
        guard let mark = marks.popLast() else { throw bad("finds no mark on the stack") }
        defer { stack.removeLast(stack.count - mark) }
        return Array(stack[mark...])
    }

    private mutating func store(_ index: Int) throws(Problem) {
        guard let top else { throw bad("finds too few values on the stack") }
        // Values are numbered consecutively, and each takes at least a byte.
        let limit = min(Self.maxMemo, bytes.count)
        guard index < limit else { throw bad("stores value \(index), at most \(limit) are supported") }
        if index >= memo.count { memo += repeatElement(nil, count: index + 1 - memo.count) }
        memo[index] = top
    }

    private mutating func fetch(_ index: Int) throws(Problem) {
        guard memo.indices.contains(index), let value = memo[index] else {
            throw bad("fetches value \(index), which was not stored")
        }
        try push(value)
    }

    // MARK: Tuples, lists and dictionaries

    private func depth(_ value: PickleValue) -> UInt8 {
        switch value {
        case .tuple(let index): tupleDepths[index]
        case .list(let index): listDepths[index]
        case .dictionary(let index): dictionaryDepths[index]
        default: 0
        }
    }

    /// The depth of a value with `contents` added; also counts them.
    ///
    /// - Parameter own: what the value itself counts for: a new tuple, list or dictionary takes as much memory as four
    ///   values.
    private mutating func depth(
        of depth: UInt8 = 1, with contents: [PickleValue], own: Int = 4
    ) throws(Problem) -> UInt8 {
        items += contents.count + own
        guard items <= Self.maxItems else { throw bad("exceeds the limit of \(Self.maxItems) values") }
        let depth = contents.reduce(depth) { max($0, self.depth($1) + 1) }
        guard depth <= Self.maxDepth else { throw bad("nests values deeper than \(Self.maxDepth)") }
        return depth
    }

    private mutating func pushTuple(_ contents: [PickleValue]) throws(Problem) {
        tupleDepths.append(try depth(with: contents))
        pickle.tuples.append(contents)
        try push(.tuple(pickle.tuples.count - 1))
    }

    private mutating func pushList() throws(Problem) {
        listDepths.append(try depth(with: []))
        pickle.lists.append([])
        try push(.list(pickle.lists.count - 1))
    }

    private mutating func pushDictionary() throws(Problem) {
        dictionaryDepths.append(try depth(with: []))
        pickle.dictionaries.append([])
        try push(.dictionary(pickle.dictionaries.count - 1))
    }

    private mutating func append(_ contents: [PickleValue]) throws(Problem) {
        guard case .list(let index)? = top else { return try skip("finds no list on the stack") }
        listDepths[index] = try depth(of: listDepths[index], with: contents, own: 0)
        pickle.lists[index] += contents
    }

    private mutating func setItems(_ contents: [PickleValue]) throws(Problem) {
        guard case .dictionary(let index)? = top else { return try skip("finds no dictionary on the stack") }
        guard contents.count % 2 == 0 else { throw bad("finds a key without a value") }
        dictionaryDepths[index] = try depth(of: dictionaryDepths[index], with: contents, own: 0)
        for at in stride(from: 0, to: contents.count, by: 2) {
            pickle.dictionaries[index].append((contents[at], contents[at + 1]))
        }
    }

    // MARK: Storages and tensors

    private mutating func pushStorage(_ id: PickleValue) throws(Problem) {
        guard let id = pickle.items(id), id.count == 5, id[0].text == "storage",
            case .global(.storage(let element)) = id[1], let key = id[2].text, let count = id[4].count
        else { throw bad("is not a reference to a storage") }
        try countStorageOrTensor(8)
        pickle.storages.append(PickleStorage(element: element, key: key, count: count))
        try push(.storage(pickle.storages.count - 1))
    }

    /// - Parameter size: the number of values that take as much memory.
    private mutating func countStorageOrTensor(_ size: Int) throws(Problem) {
        items += size
        guard items <= Self.maxItems else { throw bad("exceeds the limit of \(Self.maxItems) values") }
    }

    private mutating func reduce(_ call: [PickleValue]) throws(Problem) {
        guard case .global(let function) = call[0], let arguments = pickle.items(call[1]) else {
            throw bad("calls a value that is not a function")
        }
        switch function {
        case .orderedDictionary:
            guard arguments.isEmpty else { throw bad("gives OrderedDict arguments, expected none") }
            try pushDictionary()
        case .rebuildTensor:
            guard (6...7).contains(arguments.count), case .storage(let storage) = arguments[0],
                let offset = arguments[1].count, let sizes = pickle.integers(arguments[2]),
                let strides = pickle.integers(arguments[3]), sizes.count == strides.count,
                sizes.allSatisfy({ $0 >= 0 }), case .bool = arguments[4], case .dictionary = arguments[5]
            else { throw bad("gives _rebuild_tensor_v2 arguments of other types") }
            guard sizes.count <= Self.maxRank else {
                throw bad("makes a tensor that has \(sizes.count) dimensions, at most \(Self.maxRank) are supported")
            }
            try countStorageOrTensor(8 + 2 * sizes.count)
            pickle.tensors.append(PickleTensor(storage: storage, offset: offset, sizes: sizes, strides: strides))
            try push(.tensor(pickle.tensors.count - 1))
        case .rebuildParameter:
            guard arguments.count == 3, case .tensor = arguments[0], case .bool = arguments[1],
                case .dictionary = arguments[2]
            else { throw bad("gives _rebuild_parameter arguments of other types") }
            try push(arguments[0])
        case .storage: throw bad("calls a storage class")
        case .other: try push(.none)
        }
    }
}
