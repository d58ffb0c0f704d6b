import EngineBasics

/// A value to pickle as `torch.save` does.
package indirect enum PickleItem: Sendable {
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
    package static func storage(_ type: String, _ key: String, _ count: Int) -> PickleItem {
        .bytes(
            PickleItem.tuple([.text("storage"), .global("torch", type), .text(key), .text("cpu"), .int(count)]).bytes
                + [0x51])
    }

    /// The opcodes that push the value.
    package var bytes: [UInt8] {
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
    package static let ordered = PickleItem.bytes(PickleItem.global("collections", "OrderedDict").bytes + [0x29, 0x52])

    /// A whole pickle of protocol 2.
    package var pickled: [UInt8] { [0x80, 2] + bytes + [0x2e] }
}

/// The entries of a ZIP archive and how to write them, so that tests can damage any part.
package struct ZIPContents {
    package struct Entry {
        package var name: [UInt8]
        package var data: [UInt8]
        package var method = 0
        /// PyTorch's own: the size follows the data, and the name is UTF-8.
        package var flags = 8 | 1 << 11
        package var disk = 0
        /// The name in the local header, if another.
        package var localName: [UInt8]?
        /// The sizes in the directory, if others.
        package var packedSize: Int?
        package var size: Int?
        /// The offset of the local header in the directory, if another.
        package var offset: Int?
        /// Writes sizes and offset into a ZIP64 extra field.
        package var isZIP64 = false

        package init(_ name: String, _ data: [UInt8]) {
            self.name = Array(name.utf8)
            self.data = data
        }
    }

    package var entries: [Entry]
    /// Writes a ZIP64 end record and locator, as PyTorch does.
    package var isZIP64 = true
    package var comment: [UInt8] = []
    /// Numbers in the end record, if others: disk, disk of the directory, entries on this disk, entries, size, offset.
    package var end: [Int: Int] = [:]
    /// The same in the ZIP64 end record.
    package var end64: [Int: Int] = [:]

    package init(entries: [Entry]) { self.entries = entries }

    /// The archive's bytes, without an array for each number: fuzzers make millions of archives.
    private struct Output {
        var bytes: [UInt8] = []

        mutating func add(_ size: Int, _ numbers: Int...) {
            for number in numbers {
                for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
            }
        }
    }

    package var bytes: [UInt8] {
        var output = Output(), directory = Output()
        output.bytes.reserveCapacity(entries.reduce(1000) { $0 + $1.data.count + 400 })
        for entry in entries {
            let offset = entry.offset ?? output.bytes.count, name = entry.localName ?? entry.name
            let padding = (64 - (output.bytes.count + 34 + name.count) % 64) % 64
            output.add(4, 0x0403_4b50)
            output.add(2, 0, entry.flags, entry.method)
            // No time, checksum or sizes here.
            output.add(8, 0, 0)
            output.add(2, name.count, padding + 4)
            output.bytes += name
            output.add(2, 0x4246, padding)
            output.bytes += repeatElement(0x5a, count: padding)
            output.bytes += entry.data
            let crc = Int(Zlib.crc32(entry.data))
            output.add(4, 0x0807_4b50, crc)
            output.add(8, entry.data.count, entry.data.count)
            let packed = entry.packedSize ?? entry.data.count, size = entry.size ?? entry.data.count
            directory.add(4, 0x0201_4b50, 0)
            directory.add(2, entry.flags, entry.method)
            directory.add(4, 0, crc, entry.isZIP64 ? -1 : packed, entry.isZIP64 ? -1 : size)
            directory.add(2, entry.name.count, entry.isZIP64 ? 28 : 0, 0, entry.disk, 0, 0, 0)
            directory.add(4, entry.isZIP64 ? -1 : offset)
            directory.bytes += entry.name
            if entry.isZIP64 {
                directory.add(2, 1, 24)
                directory.add(8, size, packed, offset)
            }
        }
        let start = output.bytes.count
        output.bytes += directory.bytes
        let numbers = [0, 0, entries.count, entries.count, directory.bytes.count, start]
        if isZIP64 {
            let end = output.bytes.count, long = numbers.indices.map { end64[$0] ?? numbers[$0] }
            output.add(4, 0x0606_4b50)
            output.add(8, 44)
            output.add(4, 0, long[0], long[1])
            output.add(8, long[2], long[3], long[4], long[5])
            output.add(4, 0x0706_4b50, 0)
            output.add(8, end)
            output.add(4, 1)
        }
        let short = numbers.indices.map { self.end[$0] ?? numbers[$0] }
        output.add(4, 0x0605_4b50)
        output.add(2, short[0], short[1], short[2], short[3])
        output.add(4, short[4], short[5])
        output.add(2, comment.count)
        return output.bytes + comment
    }
}

/// The parts of a checkpoint that `torch.save` would write.
package struct PyTorchContents: Sendable {
    package var dims: [(String, PickleItem)]
    package var state: [(String, PickleItem)]
    package var extras: [(String, PickleItem)] = []
    /// The bytes of each storage.
    package var storages: [[UInt8]]
    /// The pickle, if not that of the parts above.
    package var pickle: [UInt8]?

    private static let fields = [
        "n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer", "n_text_ctx", "n_text_state",
        "n_text_head", "n_text_layer", "n_mels",
    ]

    /// The weights of a ggml file of float16 and float32.
    package init(_ ggml: GGMLContents) {
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

    package static func contiguous(_ sizes: [Int]) -> [Int] {
        sizes.indices.map { sizes[($0 + 1)...].reduce(1, *) }
    }

    /// Replaces one tensor.
    package subscript(name: String) -> PickleItem {
        get { state.first { $0.0 == name }?.1 ?? .none }
        set { state = state.map { $0.0 == name ? (name, newValue) : $0 } }
    }

    package var root: PickleItem {
        .dictionary([("dims", .dictionary(dims)), ("model_state_dict", .dictionary(state))] + extras)
    }

    package var zip: ZIPContents {
        ZIPContents(
            entries: [
                ZIPContents.Entry("tiny/data.pkl", pickle ?? root.pickled),
                ZIPContents.Entry("tiny/byteorder", Array("little".utf8)),
            ] + storages.enumerated().map { ZIPContents.Entry("tiny/data/\($0)", $1) }
                + [ZIPContents.Entry("tiny/version", Array("3\n".utf8))])
    }

    package var bytes: [UInt8] { zip.bytes }
}
