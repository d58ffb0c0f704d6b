#if HAS_FFMPEG
    /// Where the audio of a QuickTime or MPEG-4 file is. FFmpeg takes the samples of a track from the file itself even if the
    /// track says that they are at a URL, and would decode whatever is there.
    struct MovieReferences {
        /// For each audio track, in the order of the file, whether its samples are in another file.
        private(set) var isExternal: [Bool] = []

        private let file: OpenFile
        private let size: Int
        /// Boxes that may still be read: a damaged or hostile file may have millions.
        private var budget = 100_000

        init(_ file: OpenFile) throws(AudioFormatError) {
            self.file = file
            size = file.size ?? 0
            guard let movie = try box("moov", in: 0..<size) else { return }
            for track in try boxes(in: movie) where track.type == "trak" {
                guard let media = try box("mdia", in: track.content), let handler = try box("hdlr", in: media),
                    // After version, flags and the component's type.
                    try type(at: handler.lowerBound + 8) == "soun"
                else { continue }
                isExternal.append(try isExternal(media))
            }
        }

        private mutating func isExternal(_ media: Range<Int>) throws(AudioFormatError) -> Bool {
            guard let information = try box("minf", in: media), let data = try box("dinf", in: information),
                let references = try box("dref", in: data)
            else { return false }
            var used = 1
            if let table = try box("stbl", in: information), let descriptions = try box("stsd", in: table) {
                // After version, flags, count, and the first entry's size, type and six reserved bytes.
                used = try number(at: descriptions.lowerBound + 22, bytes: 2)
            }
            let entries = try boxes(in: min(references.lowerBound + 8, references.upperBound)..<references.upperBound)
            guard entries.indices.contains(used - 1) else { return false }
            let entry = entries[used - 1]
            guard ["url ", "urn "].contains(entry.type), entry.content.count > 4 else { return false }
            let isSelfContained = try number(at: entry.content.lowerBound, bytes: 4) & 1 == 1
            // Some programs set no flag and leave the location empty.
            let location = try number(at: entry.content.lowerBound + 4, bytes: 1)
            return !isSelfContained && location != 0
        }

        // MARK: Boxes

        private typealias Box = (type: String, content: Range<Int>)

        private mutating func box(_ type: String, in range: Range<Int>) throws(AudioFormatError) -> Range<Int>? {
            try boxes(in: range, upTo: type).last { $0.type == type }?.content
        }

        /// The boxes in a range, up to the first of a type, or to one that cannot be right.
        private mutating func boxes(in range: Range<Int>, upTo last: String? = nil) throws(AudioFormatError) -> [Box] {
            var boxes: [Box] = []
            var position = range.lowerBound
            while range.upperBound - position >= 8, budget > 0 {
                budget -= 1
                var length = try number(at: position, bytes: 4)
                let type = try type(at: position + 4)
                var header = 8
                if length == 1 {
                    header = 16
                    length = try number(at: position + 8, bytes: 8)
                } else if length == 0 {
                    length = range.upperBound - position
                }
                guard length >= header, length <= range.upperBound - position else { break }
                boxes.append((type, (position + header)..<(position + length)))
                if type == last { break }
                position += length
            }
            return boxes
        }

        private func type(at position: Int) throws(AudioFormatError) -> String {
            String(decoding: try file.bytes(at: position, count: 4), as: UTF8.self)
        }

        /// A big-endian number; huge ones become the largest `Int`.
        private func number(at position: Int, bytes count: Int) throws(AudioFormatError) -> Int {
            Int(clamping: try file.bytes(at: position, count: count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }
#endif
