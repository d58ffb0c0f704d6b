extension WAVHeader {
    /// Reads the chunks up to the sound. Nothing larger than a format chunk is ever taken into memory.
    init(reading file: OpenFile) throws(AudioFormatError) {
        let start = try file.bytes(at: 0, count: 12)
        guard start.count == 12 else { throw .incompleteWAVHeader(file.name, bytes: start.count) }
        var format: Format?
        var wideDataSize: Int?
        var position = 12
        var last = (name: "RIFF", offset: 0)
        for _ in 0..<AudioLimits.headerChunks {
            let head = try file.bytes(at: position, count: 8)
            guard head.count == 8 else {
                // A file shorter than the smallest header was cut; in a longer one the last chunk has lied.
                if let size = file.size, size >= 44, position > size {
                    throw .damagedWAV(file.name, chunk: last.name, offset: last.offset)
                }
                throw .incompleteWAVHeader(file.name, bytes: file.size ?? position + head.count)
            }
            let name = String(decoding: head[..<4], as: UTF8.self)
            let size = Int(Bytes.little32(head, 4))
            guard head[..<4].allSatisfy({ (0x20...0x7e).contains($0) }) else {
                throw .damagedWAV(file.name, chunk: last.name, offset: last.offset)
            }
            switch name {
            case "fmt ":
                format = try Format(file, position, size)
            case "ds64":
                let body = try file.bytes(at: position + 8, count: 24)
                guard size >= 24, body.count == 24 else { throw .damagedWAV(file.name, chunk: name, offset: position) }
                wideDataSize = Int(clamping: Bytes.little64(body, 8))
            case "data":
                guard let format else { throw .damagedWAV(file.name, chunk: name, offset: position) }
                let wide = size == 0xffff_ffff ? wideDataSize : nil
                try self.init(file, format, dataStart: position + 8, declared: wide ?? size, isWide: wide != nil)
                return
            default: break
            }
            last = (name, position)
            position += 8 + size + size % 2
        }
        throw .damagedWAV(file.name, chunk: last.name, offset: last.offset)
    }

    private init(
        _ file: OpenFile, _ format: Format, dataStart: Int, declared: Int, isWide: Bool
    ) throws(AudioFormatError) {
        coding = format.coding
        channels = format.channels
        sampleRate = format.sampleRate
        byteRate = format.byteRate
        self.dataStart = dataStart
        let present = file.size.map { max(0, $0 - dataStart) }
        // Recorders that write to a pipe leave 0, all ones, or the largest number their author thought safe.
        let follower = try file.bytes(at: dataStart, count: 8)
        let claimsNothing = declared == 0 && !follower.isEmpty && !Self.isChunk(follower)
        let claimsAll = !isWide && declared >= 0x7fff_0000 && (present ?? 0) < declared
        sizeUnset = claimsNothing || claimsAll
        trailingBytes = 0
        guard !sizeUnset else {
            dataBytes = present
            return
        }
        guard let present else {
            dataBytes = declared
            return
        }
        dataBytes = min(declared, present)
        if declared > present {
            declaredBytes = declared
        } else {
            let leftOver = try Self.leftOver(file, from: dataStart + declared)
            trailingBytes = seconds(ofBytes: leftOver).map { $0 > 1 } ?? false ? leftOver : 0
        }
    }

    /// Bytes from `position` on that are not chunks (with or without the pad byte that odd sizes need).
    private static func leftOver(_ file: OpenFile, from position: Int) throws(AudioFormatError) -> Int {
        guard let size = file.size else { return 0 }
        var position = position
        for _ in 0..<AudioLimits.headerChunks {
            guard position + 8 < size else { return 0 }
            let head = try file.bytes(at: position, count: 9)
            let body = isChunk(head) ? position : isChunk(Array(head.dropFirst())) ? position + 1 : nil
            guard let body else { return size - position }
            position = body + 8 + Int(Bytes.little32(try file.bytes(at: body, count: 8), 4))
        }
        return 0
    }

    private static func isChunk(_ head: [UInt8]) -> Bool {
        let known =
            ["LIST", "fact", "cue ", "id3 ", "ID3 ", "bext", "iXML", "JUNK", "PAD ", "smpl", "inst", "plst"]
            + ["cart", "axml", "chna", "PEAK", "FLLR", "_PMX", "acid", "DISP", "afsp", "minf", "umid", "levl"]
        return head.count >= 8 && known.contains(String(decoding: head[..<4], as: UTF8.self))
    }

    /// The `fmt ` chunk.
    private struct Format {
        var coding: Coding
        var channels: Int
        var sampleRate: Int
        var byteRate: Int

        private static let extensible: UInt16 = 0xfffe
        /// Of a GUID that stands for a registered coding, all but the coding's number.
        private static let registered: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]

        init(_ file: OpenFile, _ position: Int, _ size: Int) throws(AudioFormatError) {
            let damaged = AudioFormatError.damagedWAV(file.name, chunk: "fmt ", offset: position)
            guard size <= AudioLimits.formatChunkBytes else { throw damaged }
            let body = try file.bytes(at: position + 8, count: min(size, 40))
            guard body.count == min(size, 40) else {
                throw .incompleteWAVHeader(file.name, bytes: file.size ?? position + 8 + body.count)
            }
            guard size >= 16 else { throw damaged }
            var tag = Bytes.little16(body, 0)
            channels = Int(Bytes.little16(body, 2))
            sampleRate = Int(Bytes.little32(body, 4))
            byteRate = Int(Bytes.little32(body, 8))
            if tag == Self.extensible {
                guard body.count >= 40 else { throw damaged }
                guard Array(body[26..<40]) == Self.registered else {
                    throw .unsupportedCodec(file.name, tag: "an unregistered extensible coding")
                }
                tag = Bytes.little16(body, 24)
            }
            coding = try Self.coding(tag, bits: Int(Bytes.little16(body, 14)), file.name)
            guard AudioLimits.channels.contains(channels) else { throw .channels(file.name, channels) }
            guard AudioLimits.sampleRates.contains(sampleRate) else { throw .sampleRate(file.name, sampleRate) }
        }

        /// Samples take whole bytes, whatever part of their bits is valid.
        private static func coding(_ tag: UInt16, bits: Int, _ name: FilePath) throws(AudioFormatError) -> Coding {
            switch (tag, (bits + 7) / 8) {
            case (1, 1): .samples(.u8)
            case (1, 2): .samples(.s16le)
            case (1, 3): .samples(.s24le)
            case (1, 4): .samples(.s32le)
            case (3, 4): .samples(.f32le)
            case (3, 8): .samples(.f64le)
            case (6, _): .samples(.alaw)
            case (7, _): .samples(.mulaw)
            case (1, _): throw .unsupportedCodec(name, tag: "PCM of \(bits) bits")
            case (3, _): throw .unsupportedCodec(name, tag: "floating point of \(bits) bits")
            default: .other(tag: tag)
            }
        }
    }
}

/// Little-endian numbers in bytes whose length was checked.
enum Bytes {
    static func little16(_ bytes: [UInt8], _ at: Int) -> UInt16 { UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8 }
    static func little32(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        UInt32(little16(bytes, at)) | UInt32(little16(bytes, at + 2)) << 16
    }
    static func little64(_ bytes: [UInt8], _ at: Int) -> UInt64 {
        UInt64(little32(bytes, at)) | UInt64(little32(bytes, at + 4)) << 32
    }
}
