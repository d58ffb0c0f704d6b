/// Where the numbers, names and records of a file are.
///
/// The parsers are lenient: they describe a damaged file as far as they understand it.
struct FileLayout {
    struct Field {
        let range: Range<Int>
        let isText: Bool
    }

    private(set) var fields: [Field] = []
    /// Whole tensor records with their data.
    private(set) var records: [Range<Int>] = []
    /// Fields that count records.
    private(set) var counts: [Range<Int>] = []

    init(_ bytes: [UInt8]) {
        var parser = Parser(bytes: bytes)
        if bytes.starts(with: [0x6c, 0x6d, 0x67, 0x67]) {
            if bytes.count > 36, bytes[33] == 2 { parser.parakeet(&self) } else { parser.ggml(&self) }
        } else if bytes.starts(with: "GGUF".utf8) {
            parser.gguf(&self)
        } else if bytes.count > 6, bytes[0] < 100, bytes[1] == 0 {
            parser.ctranslate2(&self)
        }
        if fields.isEmpty {
            fields = stride(from: 0, to: bytes.count, by: 4).prefix(64).map {
                Field(range: $0..<min(bytes.count, $0 + 4), isText: false)
            }
        }
    }

    private struct Parser {
        let bytes: [UInt8]
        var offset = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { offset >= bytes.count }

        /// Reads a little-endian number and records its field; 0 at the end of the file. The sign of one of 8 bytes is left
        /// out.
        mutating func number(_ size: Int, _ layout: inout FileLayout, counts: Bool = false) -> Int {
            guard let range = next(size) else { return 0 }
            layout.fields.append(Field(range: range, isText: false))
            if counts { layout.counts.append(range) }
            return bytes[range].reversed().reduce(0) { $0 << 8 | Int($1) } & Int.max
        }

        mutating func text(_ count: Int, _ layout: inout FileLayout) {
            if let range = next(count), !range.isEmpty { layout.fields.append(Field(range: range, isText: true)) }
        }

        /// The next `count` bytes; `nil`, and nothing remains, if there are fewer.
        mutating func next(_ count: Int) -> Range<Int>? {
            guard count >= 0, count <= bytes.count - offset else {
                offset = bytes.count
                return nil
            }
            defer { offset += count }
            return offset..<(offset + count)
        }

        mutating func ggml(_ layout: inout FileLayout) {
            text(4, &layout)
            var header: [Int] = []
            for _ in 0..<13 { header.append(number(4, &layout)) }
            _ = next(header[11] < 1000 && header[12] < 1000 ? 4 * header[11] * header[12] : 0)
            ggmlRecords(&layout)
        }

        /// Parakeet's has 15 numbers, filters, a window and durations.
        mutating func parakeet(_ layout: inout FileLayout) {
            text(4, &layout)
            var header: [Int] = []
            for _ in 0..<17 { header.append(number(4, &layout)) }
            _ = next(header[15] < 1000 && header[16] < 1000 ? 4 * header[15] * header[16] : 0)
            _ = next(min(number(4, &layout), 1000) * 4)
            for _ in 0..<min(header[13], 32) { _ = number(4, &layout) }
            ggmlRecords(&layout)
        }

        /// The vocabulary and the tensors.
        private mutating func ggmlRecords(_ layout: inout FileLayout) {
            for _ in 0..<min(number(4, &layout), 300) { text(number(4, &layout), &layout) }
            while !isAtEnd {
                let start = offset
                let rank = number(4, &layout), nameLength = number(4, &layout), type = number(4, &layout)
                var count = 1
                for _ in 0..<min(rank, 4) { count *= min(number(4, &layout), 1 << 15) }
                text(nameLength, &layout)
                let block = [0: (1, 4), 1: (1, 2), 30: (1, 2), 2: (32, 18), 8: (32, 34)][type] ?? (1, 1)
                guard let data = next(count / block.0 * block.1) else { return }
                layout.records.append(start..<data.upperBound)
            }
        }

        mutating func gguf(_ layout: inout FileLayout) {
            text(4, &layout)
            _ = number(4, &layout)
            let tensors = number(8, &layout), settings = number(8, &layout)
            for _ in 0..<min(settings, 100) where !isAtEnd {
                text(number(8, &layout), &layout)
                let type = number(4, &layout)
                if type == 9 {
                    let element = number(4, &layout)
                    for _ in 0..<min(number(8, &layout), 300) where !isAtEnd { ggufValue(element, &layout) }
                } else {
                    ggufValue(type, &layout)
                }
            }
            for _ in 0..<min(tensors, 300) where !isAtEnd {
                text(number(8, &layout), &layout)
                for _ in 0..<min(number(4, &layout), 4) { _ = number(8, &layout) }
                _ = number(4, &layout)
                _ = number(8, &layout)
            }
        }

        private mutating func ggufValue(_ type: Int, _ layout: inout FileLayout) {
            switch type {
            case 8: text(number(8, &layout), &layout)
            case 0, 1, 7: _ = number(1, &layout)
            case 2, 3: _ = number(2, &layout)
            case 10, 11, 12: _ = number(8, &layout)
            default: _ = number(4, &layout)
            }
        }

        mutating func ctranslate2(_ layout: inout FileLayout) {
            _ = number(4, &layout)
            text(number(2, &layout), &layout)
            _ = number(4, &layout)
            for _ in 0..<min(number(4, &layout, counts: true), 1000) where !isAtEnd {
                let start = offset
                text(number(2, &layout), &layout)
                for _ in 0..<min(number(1, &layout), 8) { _ = number(4, &layout) }
                _ = number(1, &layout)
                guard let data = next(number(4, &layout)) else { return }
                layout.records.append(start..<data.upperBound)
            }
            for _ in 0..<min(2 * number(4, &layout, counts: true), 100) where !isAtEnd {
                text(number(2, &layout), &layout)
            }
        }
    }
}
