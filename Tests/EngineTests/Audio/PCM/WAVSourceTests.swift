import Foundation
import Testing

@Suite("WAV files")
struct WAVSourceTests {
    let folder: AudioFolder
    init() throws { folder = try AudioFolder() }

    @Test("a recording gives the samples of the reference command", arguments: [Recording.say, Recording.short])
    func recording(path: FilePath) async throws {
        let source = try AudioFile.open(path)
        let expected = try referencePCM16(path)
        #expect(source is WAVSource)
        #expect(source.duration == .seconds(Double(expected.count) / 16_000))
        #expect(try await pcm16(source) == expected)
        #expect(source.warnings == [])
    }

    @Test(
        "every codec at 16 kHz mono gives the samples of the reference command",
        arguments: [
            "pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw", "pcm_mulaw",
        ])
    func codings(coding: String) async throws {
        // The amplitudes do not fit into 16 bits, so wider samples differ from their 16-bit form.
        let path = try folder.ffmpeg(
            "-f lavfi -i aevalsrc=0.7*sin(2751*t)+0.29*sin(9000.3*t):s=16000:d=3 -c:a", coding, to: "x.wav")
        let expected = try referencePCM16(path)
        #expect(expected.count == 48_000)
        #expect(try await pcm16(path) == expected)
    }

    @Test("32-bit samples are truncated to 16 bits, not rounded")
    func truncation() async throws {
        let values = [0x3fff_ffff, 0x0000_ffff, -1, -0x1_0000, 0x7fff_ffff, -0x8000_0000]
        let path = try folder.write(WAVBytes(bits: 32, data: values.flatMap(u32)).file, "x.wav")
        #expect(try await pcm16(path) == values.map { $0 >> 16 })
    }

    @Test("samples with 20 valid bits in 24, as the extensible header declares, are read")
    func extensible() async throws {
        let guid: [UInt8] = [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
        let values = [0, 0x12_3450, -0x12_3450, 0x7f_fff0]
        let path = try folder.write(
            WAVBytes(
                tag: 0xfffe, bits: 24, data: values.flatMap { u32($0).prefix(3) },
                extra: u16(22) + u16(20) + u32(4) + guid
            ).file, "x.wav")
        #expect(try await pcm16(path) == values.map { $0 >> 8 })
        #expect(try await pcm16(path) == referencePCM16(path))
    }

    @Test("RF64 and BW64 sizes have 64 bits", arguments: ["RF64", "BW64"])
    func wide(magic: String) async throws {
        let tone = WAVBytes.tone(seconds: 1)
        let wav = WAVBytes()
        let sizes = u32(tone.count + 80) + u32(0) + u32(tone.count) + u32(0) + u32(16_000) + u32(0) + u32(0)
        let format = u16(1) + u16(1) + u32(16_000) + u32(32_000) + u16(2) + u16(16)
        let body = wav.chunk("ds64", sizes) + wav.chunk("fmt ", format) + wav.chunk("data", tone, size: 0xffff_ffff)
        // As many bytes follow the audio: only ds64 says where it ends.
        let path = try folder.write(
            Array(magic.utf8) + u32(0xffff_ffff) + Array("WAVE".utf8) + body + wav.chunk("LIST", tone), "x.wav")
        #expect(try await pcm16(path) == referencePCM16(try folder.write(WAVBytes(data: tone).file, "plain.wav")))
        #expect(try await warnings(path) == [])
    }

    @Test("a file beyond 4 GiB is read at 64-bit positions")
    func large() async throws {
        // Two empty chunks of 4 GiB, then a second of audio; the file is sparse.
        let gap = 0xffff_fff0
        let wav = WAVBytes()
        let format = wav.chunk("fmt ", u16(1) + u16(1) + u32(16_000) + u32(32_000) + u16(2) + u16(16))
        let tone = WAVBytes.tone(seconds: 1)
        let path = try folder.write(
            chunkHead("RIFF", 0) + Array("WAVE".utf8) + format + chunkHead("JUNK", gap), "x.wav")
        let file = try FileHandle(forWritingTo: folder.url.appending(path: "x.wav"))
        var end = UInt64(12 + format.count + 8 + gap)
        try file.seek(toOffset: end)
        try file.write(contentsOf: Data(chunkHead("JUNK", gap)))
        end += UInt64(8 + gap)
        try file.seek(toOffset: end)
        try file.write(contentsOf: Data(wav.chunk("data", tone)))
        try file.close()
        let plain = try folder.write(WAVBytes(data: tone).file, "plain.wav")
        #expect(end > 8 << 30)
        #expect(try await pcm16(path) == pcm16(plain))
    }

    private func chunkHead(_ name: String, _ size: Int) -> [UInt8] { Array(name.utf8) + u32(size) }

    // MARK: - Wrong sizes

    @Test("a header truncated anywhere is incomplete", arguments: [4, 8, 11, 12, 16, 20, 30, 36, 40, 43])
    func cutHeader(length: Int) throws {
        let path = try folder.write(Array(WAVBytes(data: [1, 2]).file.prefix(length)), "x.wav")
        let error = #expect(throws: AudioFormatError.self) { try AudioFile.open(path) }
        #expect(error?.description.contains("damaged or incomplete WAV header") == true)
    }

    @Test("a header without samples is an empty recording, with a warning")
    func noSamples() async throws {
        let path = try folder.write(WAVBytes().file, "x.wav")
        #expect(try await pcm16(path) == [])
        #expect(try await warnings(path) == [.noSamples])
        #expect(AudioFile.Warning.noSamples.description == "contains no audio (0.0 s)")
        let stereo = try folder.write(WAVBytes(channels: 2, rate: 44_100).file, "y.wav")
        #expect(try await warnings(stereo) == [.noSamples])
    }

    @Test("a truncated file is read to its end, with a warning that states both lengths")
    func truncated() async throws {
        let tone = WAVBytes.tone(seconds: 12.3)
        let path = try folder.write(WAVBytes(data: tone, declared: 60 * 32_000).file, "x.wav")
        #expect(try await pcm16(path).count == 196_800)
        #expect(try await warnings(path) == [.truncated(endsAt: 12.3, declared: 60)])
        #expect(
            try await warnings(path)[0].description == "truncated at 12.3 s, the header declares 60.0 s")
    }

    @Test("a file with less than a tenth of a second missing is not reported as truncated", arguments: [1, 2, 3000])
    func barelyTruncated(missing: Int) async throws {
        let tone = WAVBytes.tone(seconds: 1)
        let path = try folder.write(WAVBytes(data: Array(tone.dropLast(missing)), declared: tone.count).file, "x.wav")
        #expect(try await pcm16(path).count == 16_000 - (missing + 1) / 2)
        #expect(try await warnings(path) == (missing % 2 == 1 ? [.partialSample(bytes: 1)] : []))
    }

    @Test("an incomplete sample at the end is ignored and reported as a detail")
    func halfSample() async throws {
        let path = try folder.write(WAVBytes(data: WAVBytes.tone(seconds: 0.5) + [7]).file, "x.wav")
        let found = try await warnings(path)
        #expect(try await pcm16(path).count == 8000)
        #expect(found == [.partialSample(bytes: 1)])
        #expect(found[0].level == .detail)
        #expect(found[0].description == "ignored 1 byte of an incomplete sample")
    }

    @Test(
        "a file without a size in its header is read to the end", arguments: [0, 0xffff_ffff, 0x7fff_f000, 0xffff_ffdb])
    func unsetSize(declared: Int) async throws {
        let path = try folder.write(WAVBytes(data: WAVBytes.tone(seconds: 2), declared: declared).file, "x.wav")
        let found = try await warnings(path)
        #expect(try await pcm16(path) == referencePCM16(path))
        #expect(found == [.sizeUnset])
        #expect(found[0].level == .detail)
    }

    @Test("bytes after the declared audio are ignored, with a warning from one second on")
    func trailing() async throws {
        let wav = WAVBytes(data: WAVBytes.tone(seconds: 2), declared: 32_000)
        let path = try folder.write(wav.file, "x.wav")
        #expect(try await pcm16(path).count == 16_000)
        #expect(try await warnings(path) == [])
        let more = WAVBytes(data: WAVBytes.tone(seconds: 2.5), declared: 32_000)
        #expect(try await warnings(folder.write(more.file, "y.wav")) == [.trailingBytes(48_000)])
        let tagged = WAVBytes(
            data: WAVBytes.tone(seconds: 1), afterData: wav.chunk("LIST", Array(repeating: 1, count: 64_000)))
        #expect(try await warnings(folder.write(tagged.file, "z.wav")) == [])
    }

    // MARK: - Unreadable files

    @Test("damaged chunks are reported with their position, without allocating memory for them")
    func damagedChunks() throws {
        let wav = WAVBytes()
        let data = wav.chunk("data", WAVBytes.tone(seconds: 1))
        let format = wav.chunk("fmt ", u16(1) + u16(1) + u32(16_000) + u32(32_000) + u16(2) + u16(16))
        let riff = { (body: [UInt8]) in wav.chunk("RIFF", Array("WAVE".utf8) + body) }
        let hugeFormat = Array("fmt ".utf8) + u32(0x7fff_ffff) + format.dropFirst(8)
        let unpadded = wav.chunk("LIST", [1, 2, 3])
        let cases: [([UInt8], String, Int)] = [
            (riff(hugeFormat + data), "fmt ", 12),
            (riff(data + format), "data", 12),
            (riff(format + unpadded + data), "LIST", 36),
            (riff(format + wav.chunk("LIST", [], size: 0x7fff_fff0) + data), "LIST", 36),
            (riff(wav.chunk("fmt ", [1, 0, 1, 0]) + data), "fmt ", 12),
            (riff(wav.chunk("ds64", [1, 0, 1, 0]) + format + data), "ds64", 12),
        ]
        for (index, (bytes, chunk, offset)) in cases.enumerated() {
            let path = try folder.write(bytes, "\(index).wav")
            #expect(throws: AudioFormatError.damagedWAV(path, chunk: chunk, offset: offset)) {
                try AudioFile.open(path)
            }
        }
        let path = FilePath("x.wav")
        #expect(
            AudioFormatError.damagedWAV(path, chunk: "fmt ", offset: 12).description
                == "damaged WAV: chunk 'fmt ' at byte 12 of x.wav")
    }

    @Test("an unknown codec is reported by its number")
    func unknownCodec() throws {
        let path = try folder.write(WAVBytes(tag: 0x9999, data: [1, 2, 3, 4]).file, "x.wav")
        let error = #expect(throws: AudioFormatError.unsupportedCodec(path, tag: "0x9999")) {
            try AudioFile.open(path)
        }
        #expect(error?.description == "unsupported codec 0x9999: \(path)")
        let odd = try folder.write(WAVBytes(bits: 0, data: [1, 2, 3, 4]).file, "y.wav")
        #expect(throws: AudioFormatError.unsupportedCodec(odd, tag: "0-bit PCM")) { try AudioFile.open(odd) }
    }

    @Test("absurd channel counts are rejected", arguments: [0, 65, 65_535])
    func channels(count: Int) throws {
        let path = try folder.write(WAVBytes(channels: count, data: [1, 2, 3, 4]).file, "x.wav")
        let error = #expect(throws: AudioFormatError.channels(path, count)) { try AudioFile.open(path) }
        #expect(error?.description.contains("unsupported number of channels \(count) (1 to 64)") == true)
    }

    @Test("absurd sample rates are rejected", arguments: [0, 1, 999, 768_001, 0x8000_0000, 0xffff_ffff])
    func rates(rate: Int) throws {
        let path = try folder.write(WAVBytes(rate: rate, data: [1, 2, 3, 4]).file, "x.wav")
        let error = #expect(throws: AudioFormatError.sampleRate(path, rate)) { try AudioFile.open(path) }
        #expect(error?.description.contains("sample rate \(rate) Hz") == true)
    }

    @Test("more than 100 h is rejected before any of it is read", arguments: [8000, 11_025])
    func tooLong(rate: Int) throws {
        let bytes = 101 * 3600 * rate
        let long = try folder.write(WAVBytes(rate: rate, bits: 8, declared: bytes).file, "x.wav")
        let file = try FileHandle(forWritingTo: folder.url.appending(path: "x.wav"))
        try file.truncate(atOffset: UInt64(bytes + 44))
        try file.close()
        #expect(throws: AudioFormatError.tooLong(long)) { try AudioFile.open(long) }
        #expect(AudioFormatError.tooLong(long).description.contains("longer than 100 h"))
    }

    // MARK: - Unusual samples

    @Test("NaN and infinity become silence and do not spread in the resampler", arguments: [16_000, 48_000, 44_100])
    func nonFinite(rate: Int) async throws {
        var values = [Float](repeating: 0, count: rate)
        for index in 0..<20 { values[rate / 2 + index] = index % 2 == 0 ? .nan : .infinity }
        let path = try folder.write(
            WAVBytes(tag: 3, rate: rate, bits: 32, data: WAVBytes.floats(values)).file, "x.wav")
        let samples = try await pcm16(path)
        #expect(abs(samples.count - 16_000) <= 32)
        #expect(samples.allSatisfy { $0 == 0 })
        #expect(try await warnings(path) == [.nonFinite(20)])
        #expect(AudioFile.Warning.nonFinite(20).description == "set 20 NaN or infinite samples to 0")
    }

    @Test("samples over full scale are clipped", arguments: [1, 2])
    func clipped(channels: Int) async throws {
        let values: [Float] = [0, 1e30, -1e30, 1.5, 1, -1, 0.5].flatMap { Array(repeating: $0, count: channels) }
        let path = try folder.write(
            WAVBytes(tag: 3, channels: channels, bits: 32, data: WAVBytes.floats(values)).file, "x.wav")
        #expect(try await pcm16(path) == [0, 32767, -32768, 32767, 32767, -32768, 16384])
        #expect(try await warnings(path) == [.clipped(3 * channels)])
    }

    @Test("64-bit samples too large for 32 bits are clipped, not treated as infinite")
    func huge() async throws {
        let data = [1e300, -1e300, Double.infinity, 0.5].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
        }
        let path = try folder.write(WAVBytes(tag: 3, bits: 64, data: data).file, "x.wav")
        #expect(try await pcm16(path) == [32767, -32768, 0, 16384])
        #expect(try await warnings(path) == [.nonFinite(1), .clipped(2)])
    }

    @Test("a voice on one channel is mixed; of channels that cancel, the louder is used", arguments: [16_000, 44_100])
    func channelsCancel(rate: Int) async throws {
        let voice = (0..<(3 * rate)).map { Int(sin(Double($0) * 2 * .pi * 300 / Double(rate)) * 12_000) }
        let one = WAVBytes(channels: 2, rate: rate, data: voice.flatMap { u16($0) + u16(0) })
        let half = try folder.write(one.file, "one.wav")
        #expect(try await warnings(half) == [])
        #expect(abs(try await pcm16(half).max()! - 6000) < 20)
        let opposed = WAVBytes(channels: 2, rate: rate, data: voice.flatMap { u16(-$0 * 9 / 10) + u16($0) })
        let cancelling = try folder.write(opposed.file, "opposed.wav")
        guard case .phaseCancellation(2, let seconds, 0)? = try await warnings(cancelling).first else {
            Issue.record("no warning")
            return
        }
        #expect(abs(seconds - 3) < 1e-6)
        #expect(abs(try await pcm16(cancelling).prefix(8000).max()! - 12_000) < 40)
        #expect(abs(try await pcm16(cancelling).suffix(8000).max()! - 12_000) < 40)
        #expect(
            AudioFile.Warning.phaseCancellation(usedChannel: 2, seconds: 3.04, first: 61).description
                == "channels cancel each other out for 3.0 s, first at 1:01.0; only channel 2 is used there")
        #expect(
            AudioFile.Warning.phaseCancellation(usedChannel: nil, seconds: 3, first: 0).description
                == "channels cancel each other out for 3.0 s, first at 0:00.0; only the louder one is used there")
    }

    @Test(
        "lengths around block and window sizes keep every sample",
        arguments: [1, 319, 320, 8000, 15_840, 480_000, 480_001, 480_016])
    func lengths(count: Int) async throws {
        let path = try folder.write(WAVBytes(data: (0..<count).flatMap { u16($0) }).file, "x.wav")
        let samples = try await pcm16(path)
        #expect(samples == (0..<count).map { Int(Int16(truncatingIfNeeded: $0)) })
    }

    @Test("each call of chunks starts from the beginning")
    func again() async throws {
        let source = try AudioFile.open(Recording.short)
        let first = try await pcm16(source)
        #expect(try await pcm16(source) == first)
    }
}
