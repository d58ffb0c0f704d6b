import EngineBasics

/// The header of a RIFF, RF64 or BW64 file.
///
/// Layout: Microsoft's "Multiple Channel Audio Data and WAVE Files"; EBU Tech 3306 (RF64), ITU-R BS.2088 (BW64). No
/// size field is trusted before it is checked against the file.
struct WAVHeader: Equatable {
    enum Coding: Equatable {
        case samples(SampleEncoding)
        /// A registered codec number that requires a decoder library.
        case other(tag: UInt16)
    }

    var coding: Coding
    var channels: Int
    var sampleRate: Int
    /// Bytes per second as declared; needed only for codecs without a fixed sample size.
    var byteRate: Int
    /// Position of the first sample in bytes.
    var dataStart: Int
    /// Bytes of audio present in the file; `nil` for a pipe of undeclared length.
    var dataBytes: Int?
    /// Bytes of audio declared by the header, if the file has fewer.
    var declaredBytes: Int?
    var sizeUnset: Bool
    /// Bytes after the audio that are not chunks.
    var trailingBytes: Int

    /// Returns the duration of a number of bytes; `nil` if it is unknown for the codec.
    package func seconds(ofBytes bytes: Int) -> Double? {
        switch coding {
        case .samples(let encoding):
            Double(bytes / (encoding.bytesPerSample * channels)) / Double(sampleRate)
        case .other: byteRate > 0 ? Double(bytes) / Double(byteRate) : nil
        }
    }
}

extension WAVHeader {
    /// Reads the chunks before the audio. Nothing larger than a format chunk is read into memory.
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
                // A file shorter than the smallest header is truncated; in a longer one the size of the last chunk is
                // wrong.
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
        // Recorders that write to a pipe leave the size at 0, all ones, or close to the maximum.
        let next = try file.bytes(at: dataStart, count: 8)
        let isZero = declared == 0 && !next.isEmpty && !Self.isChunk(next)
        let isMaximum = !isWide && declared >= 0x7fff_0000 && (present ?? 0) < declared
        sizeUnset = isZero || isMaximum
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
            let trailing = try Self.trailingBytes(file, from: dataStart + declared)
            trailingBytes = seconds(ofBytes: trailing).map { $0 > 1 } ?? false ? trailing : 0
        }
    }

    /// Returns the number of bytes from `position` on that are not chunks, with or without the pad byte after odd
    /// sizes.
    private static func trailingBytes(_ file: OpenFile, from position: Int) throws(AudioFormatError) -> Int {
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
        /// The GUID of a registered codec, without the codec's number.
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
                    throw .unsupportedCodec(file.name, tag: "of an unregistered extensible format")
                }
                tag = Bytes.little16(body, 24)
            }
            coding = try Self.coding(tag, bits: Int(Bytes.little16(body, 14)), file.name)
            guard AudioLimits.channels.contains(channels) else { throw .channels(file.name, channels) }
            guard AudioLimits.sampleRates.contains(sampleRate) else { throw .sampleRate(file.name, sampleRate) }
        }

        /// Samples occupy whole bytes, no matter how many of their bits are valid.
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
            case (1, _): throw .unsupportedCodec(name, tag: "\(bits)-bit PCM")
            case (3, _): throw .unsupportedCodec(name, tag: "\(bits)-bit floating point")
            default: .other(tag: tag)
            }
        }
    }
}

/// Reads little-endian numbers; the caller checks the length.
package enum Bytes {
    package static func little16(_ bytes: [UInt8], _ at: Int) -> UInt16 {
        UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8
    }
    static func little32(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        UInt32(little16(bytes, at)) | UInt32(little16(bytes, at + 2)) << 16
    }
    static func little64(_ bytes: [UInt8], _ at: Int) -> UInt64 {
        UInt64(little32(bytes, at)) | UInt64(little32(bytes, at + 4)) << 32
    }
}
