import WhisperEngine

/// A value to pickle as `torch.save` does.
indirect enum PickleItem: Sendable {
    case none
    case bool(Bool)
    case int(Int)
    case float(Double)
    case text(String)
    case global(String, String)
    case tuple([PickleItem])
    case list([PickleItem])
    case dictionary([(String, PickleItem)])
    case tensor(storage: PickleItem, offset: Int, sizes: [Int], strides: [Int])
    /// Any opcodes.
    case bytes([UInt8])

    /// A reference to an entry in `data/`.
    static func storage(_ type: String, _ key: String, _ count: Int) -> PickleItem {
        .bytes(
            PickleItem.tuple([.text("storage"), .global("torch", type), .text(key), .text("cpu"), .int(count)]).bytes
                + [0x51])
    }

    /// The opcodes that push the value.
    var bytes: [UInt8] {
        switch self {
        case .none: [0x4e]
        case .bool(let value): [value ? 0x88 : 0x89]
        case .int(let value) where (0...255).contains(value): [0x4b, UInt8(value)]
        case .int(let value) where Int(Int32(truncatingIfNeeded: value)) == value: [0x4a] + GGMLContents.bytes(value)
        case .int(let value): [0x8a, 8] + GGMLContents.bytes(value) + GGMLContents.bytes(value >> 32)
        case .float(let value): [0x47] + (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (56 - 8 * $0)) }
        case .text(let text): [0x58] + GGMLContents.bytes(text.utf8.count) + Array(text.utf8)
        case .global(let module, let name): [0x63] + Array("\(module)\n\(name)\n".utf8)
        case .tuple(let items): [0x28] + items.flatMap(\.bytes) + [0x74]
        case .list(let items): [0x5d, 0x28] + items.flatMap(\.bytes) + [0x65]
        case .dictionary(let members):
            [0x7d, 0x28] + members.flatMap { PickleItem.text($0.0).bytes + $0.1.bytes } + [0x75]
        case .tensor(let storage, let offset, let sizes, let strides):
            PickleItem.global("torch._utils", "_rebuild_tensor_v2").bytes
                + PickleItem.tuple([
                    storage, .int(offset), .tuple(sizes.map(PickleItem.int)), .tuple(strides.map(PickleItem.int)),
                    .bool(false), Self.ordered,
                ]).bytes + [0x52]
        case .bytes(let bytes): bytes
        }
    }

    /// An empty OrderedDict.
    static let ordered = PickleItem.bytes(PickleItem.global("collections", "OrderedDict").bytes + [0x29, 0x52])

    /// A whole pickle of protocol 2.
    var pickled: [UInt8] { [0x80, 2] + bytes + [0x2e] }
}

/// The entries of a ZIP archive and how to write them, so that tests can damage any part.
struct ZIPContents {
    struct Entry {
        var name: [UInt8]
        var data: [UInt8]
        var method = 0
        /// PyTorch's own: the size follows the data, and the name is UTF-8.
        var flags = 8 | 1 << 11
        var disk = 0
        /// The name in the local header, if another.
        var localName: [UInt8]?
        /// The sizes in the directory, if others.
        var packedSize: Int?
        var size: Int?
        /// The offset of the local header in the directory, if another.
        var offset: Int?
        /// Writes sizes and offset into a ZIP64 extra field.
        var isZIP64 = false

        init(_ name: String, _ data: [UInt8]) {
            self.name = Array(name.utf8)
            self.data = data
        }
    }

    var entries: [Entry]
    /// Writes a ZIP64 end record and locator, as PyTorch does.
    var isZIP64 = true
    var comment: [UInt8] = []
    /// Numbers in the end record, if others: disk, disk of the directory, entries on this disk, entries, size, offset.
    var end: [Int: Int] = [:]
    /// The same in the ZIP64 end record.
    var end64: [Int: Int] = [:]

    private static func short(_ number: Int) -> [UInt8] { Array(GGMLContents.bytes(number)[..<2]) }
    private static func long(_ number: Int) -> [UInt8] { GGMLContents.bytes(number) + GGMLContents.bytes(number >> 32) }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [], directory: [UInt8] = []
        for entry in entries {
            let offset = entry.offset ?? bytes.count, name = entry.localName ?? entry.name
            let padding = (64 - (bytes.count + 34 + name.count) % 64) % 64
            bytes += [0x50, 0x4b, 3, 4] + Self.short(0) + Self.short(entry.flags) + Self.short(entry.method)
            // No time, checksum or sizes here.
            bytes += [UInt8](repeating: 0, count: 16) + Self.short(name.count) + Self.short(padding + 4) + name
            bytes += [0x46, 0x42] + Self.short(padding) + [UInt8](repeating: 0x5a, count: padding) + entry.data
            let crc = Self.long(Int(Zlib.crc32(entry.data)))[..<4]
            bytes += [0x50, 0x4b, 7, 8] + crc + Self.long(entry.data.count) + Self.long(entry.data.count)
            let packed = entry.packedSize ?? entry.data.count, size = entry.size ?? entry.data.count
            let extra = entry.isZIP64 ? [1, 0, 24, 0] + Self.long(size) + Self.long(packed) + Self.long(offset) : []
            directory += [0x50, 0x4b, 1, 2, 0, 0, 0, 0] + Self.short(entry.flags) + Self.short(entry.method)
            directory += [0, 0, 0, 0] + crc
            directory += GGMLContents.bytes(entry.isZIP64 ? -1 : packed) + GGMLContents.bytes(entry.isZIP64 ? -1 : size)
            directory += Self.short(entry.name.count) + Self.short(extra.count) + Self.short(0)
            directory += Self.short(entry.disk) + [UInt8](repeating: 0, count: 6)
            directory += GGMLContents.bytes(entry.isZIP64 ? -1 : offset) + entry.name + extra
        }
        let start = bytes.count, ends = bytes.count + directory.count
        bytes += directory
        let numbers = [0, 0, entries.count, entries.count, directory.count, start]
        if isZIP64 {
            let long = numbers.indices.map { end64[$0] ?? numbers[$0] }
            bytes += [0x50, 0x4b, 6, 6] + Self.long(44) + [0, 0, 0, 0]
            bytes += GGMLContents.bytes(long[0]) + GGMLContents.bytes(long[1]) + long[2...].flatMap(Self.long)
            bytes += [0x50, 0x4b, 6, 7, 0, 0, 0, 0] + Self.long(ends) + [1, 0, 0, 0]
        }
        let short = numbers.indices.map { end[$0] ?? numbers[$0] }
        bytes += [0x50, 0x4b, 5, 6] + short[..<4].flatMap(Self.short) + short[4...].flatMap(GGMLContents.bytes)
        return bytes + Self.short(comment.count) + comment
    }
}

/// The parts of a checkpoint that `torch.save` would write.
struct PyTorchContents: Sendable {
    var dims: [(String, PickleItem)]
    var state: [(String, PickleItem)]
    var extras: [(String, PickleItem)] = []
    /// The bytes of each storage.
    var storages: [[UInt8]]
    /// The pickle, if not that of the parts above.
    var pickle: [UInt8]?

    private static let fields = [
        "n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer", "n_text_ctx", "n_text_state",
        "n_text_head", "n_text_layer", "n_mels",
    ]

    /// The weights of a ggml file of float16 and float32.
    init(_ ggml: GGMLContents) {
        dims = Swift.zip(Self.fields, ggml.header).map { ($0, .int($1)) }
        storages = ggml.records.map(\.data)
        state = ggml.records.enumerated().map { index, record in
            let count = record.sizes.reduce(1, *), isBias = record.name.hasPrefix("encoder.conv") && count < 4096
            let isConvolutionBias = isBias && record.name.hasSuffix("bias")
            let sizes = isConvolutionBias ? [count] : Array(record.sizes.reversed())
            let type = record.type == 0 ? "FloatStorage" : "HalfStorage"
            return (
                record.name,
                .tensor(
                    storage: .storage(type, "\(index)", count), offset: 0, sizes: sizes,
                    strides: Self.contiguous(sizes))
            )
        }
    }

    static func contiguous(_ sizes: [Int]) -> [Int] {
        sizes.indices.map { sizes[($0 + 1)...].reduce(1, *) }
    }

    /// Replaces one tensor.
    subscript(name: String) -> PickleItem {
        get { state.first { $0.0 == name }?.1 ?? .none }
        set { state = state.map { $0.0 == name ? (name, newValue) : $0 } }
    }

    var root: PickleItem {
        .dictionary([("dims", .dictionary(dims)), ("model_state_dict", .dictionary(state))] + extras)
    }

    var zip: ZIPContents {
        ZIPContents(
            entries: [
                ZIPContents.Entry("tiny/data.pkl", pickle ?? root.pickled),
                ZIPContents.Entry("tiny/byteorder", Array("little".utf8)),
            ] + storages.enumerated().map { ZIPContents.Entry("tiny/data/\($0)", $1) }
                + [ZIPContents.Entry("tiny/version", Array("3\n".utf8))])
    }

    var bytes: [UInt8] { zip.bytes }
}
