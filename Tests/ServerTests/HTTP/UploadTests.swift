import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Upload")
struct UploadTests {
    private static let speech = Recordings.bytes("clips/say-00.wav")

    private static func samples(_ source: any AudioSource) async throws -> [Float] {
        var samples: [Float] = []
        for try await chunk in source.chunks() { samples += chunk.samples }
        return samples
    }

    @Test("its size and digest are those of all bytes, however they are appended", arguments: [1, 777, 1 << 20])
    func digest(step: Int) throws {
        let bytes = Array(Self.speech.prefix(step == 1 ? 3000 : .max))
        let upload = Upload()
        for start in stride(from: 0, to: bytes.count, by: step) {
            try upload.append(Array(bytes[start..<min(bytes.count, start + step)]))
        }
        upload.finish()
        try #require(bytes.count > 1000)
        #expect(upload.count == bytes.count)
        #expect(upload.sha256 == SHA256.hexadecimal(of: bytes))
        #expect(try upload.bytes(0..<bytes.count) == bytes)
        #expect(try upload.bytes(7..<12) == Array(bytes[7..<12]))
        #expect(try upload.bytes((bytes.count - 1)..<(bytes.count + 9)) == [bytes.last ?? 0])
    }

    @Test("more than 1 MiB goes to disk with the same bytes")
    func disk() throws {
        let block = (0..<(1 << 19)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let upload = Upload()
        try upload.append(block)
        try upload.append(block)
        #expect(upload.isInMemory)
        try upload.append([1, 2, 3])
        #expect(!upload.isInMemory)
        #expect(try upload.bytes(0..<(2 << 20)) == block + block + [1, 2, 3])
        #expect(upload.sha256 == SHA256.hexadecimal(of: block + block + [1, 2, 3]))
    }

    @Test("a temporary file leaves nothing in its folder")
    func unnamed() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "uploads-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let upload = Upload(folders: [FilePath(folder.path)])
        try upload.append([UInt8](repeating: 7, count: 2 << 20))
        #expect(!upload.isInMemory)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("without a folder to write to, the error names none")
    func noFolder() throws {
        let upload = Upload(folders: [FilePath("/proc/no-such-folder")])
        let error = #expect(throws: HTTPError.self) { try upload.append([UInt8](repeating: 7, count: 2 << 20)) }
        #expect(error?.status == 500)
        #expect(error?.message.contains("/") == false)
    }

    @Test("two readers at a time do not disturb each other", arguments: [false, true])
    func readers(isOnDisk: Bool) async throws {
        // Silence at the end makes the recording long enough for the disk.
        let bytes = isOnDisk ? Self.longer(Self.speech, by: 1 << 20) : Self.speech
        let upload = try Upload(bytes)
        #expect(upload.isInMemory == !isOnDisk)
        let whole = try await Self.samples(upload.open())
        #expect(whole.count > 16_000)
        let (first, second) = (try upload.open(), try upload.open())
        var one: [Float] = []
        var other: [Float] = []
        var left = first.chunks().makeAsyncIterator()
        var right = second.chunks().makeAsyncIterator()
        while true {
            let (a, b) = (try await left.next(), try await right.next())
            if a == nil, b == nil { break }
            one += a?.samples ?? []
            other += b?.samples ?? []
        }
        #expect(one == whole && other == whole)
        #expect(try await Self.samples(first) == whole)
    }

    @Test("an empty upload is an empty file, other bytes are not audio, and no name is shown")
    func errors() throws {
        #expect(throws: AudioFormatError.emptyFile(FilePath("recording"))) { try Upload([]).open() }
        let error = #expect(throws: AudioFormatError.self) { try Upload(Array("<html><body>".utf8)).open() }
        #expect(error.map { "\($0)" }?.contains("/") == false)
    }

    @Test(
        "a recording without a header is read as its type or name says",
        arguments: [
            ("audio/basic", nil, SampleEncoding.mulaw), ("AUDIO/BASIC", "bin", .mulaw), ("audio/PCMU", nil, .mulaw),
            ("audio/x-mulaw; rate=8000", nil, .mulaw), ("application/octet-stream", "ulaw", .mulaw),
            (nil, "ul", .mulaw),
            ("audio/PCMA", nil, .alaw), ("audio/x-alaw", "raw", .alaw), (nil, "alaw", .alaw), ("", "al", .alaw),
            ("audio/basic", "alaw", .alaw),
        ] as [(String?, String?, SampleEncoding)])
    func headerless(contentType: String?, fileExtension: String?, encoding: SampleEncoding) async throws {
        let format = HeaderlessAudio.format(contentType: contentType, fileExtension: fileExtension)
        #expect(format?.encoding == encoding && format?.sampleRate == 8000 && format?.channels == 1)
        // Bytes that might be taken for text, or for a frame of MPEG audio.
        for start: [UInt8] in [[0x7e, 0x7e], [0xff, 0xfb, 0x90, 0x64]] {
            let bytes = start + [UInt8](repeating: 0x7e, count: 8000)
            let upload = Upload(headerless: format)
            try upload.append(bytes)
            upload.finish()
            let source = try upload.open()
            #expect(source.duration.map { $0 / .seconds(1) } == Double(bytes.count) / 8000)
            #expect(try await Self.samples(source).count == 2 * bytes.count)
        }
    }

    @Test("parameters of the type count, other types have a header, and a header counts more than a type")
    func headers() async throws {
        let wide = HeaderlessAudio.format(contentType: "audio/PCMU;rate=16000;channels=2", fileExtension: nil)
        #expect(wide?.sampleRate == 16_000 && wide?.channels == 2)
        for type in ["audio/wav", "audio/mpeg", "audio/basics", "text/plain", "", ";"] {
            #expect(HeaderlessAudio.format(contentType: type, fileExtension: "wav") == nil)
        }
        #expect(HeaderlessAudio.format(contentType: "audio/PCMU;rate=0", fileExtension: nil) == nil)
        let upload = Upload(headerless: HeaderlessAudio.format(contentType: "audio/basic", fileExtension: nil))
        try upload.append(Self.speech)
        upload.finish()
        #expect(try await Self.samples(upload.open()) == Self.samples(Upload(Self.speech).open()))
    }

    @Test("the same bytes in another layout are another recording")
    func identity() throws {
        let layouts = ["audio/basic", "audio/PCMA", "audio/PCMU;rate=16000", "audio/wav"]
        let identities = try layouts.map { type in
            let upload = Upload(headerless: HeaderlessAudio.format(contentType: type, fileExtension: nil))
            try upload.append([1, 2, 3])
            upload.finish()
            return upload.identity
        }
        #expect(Set(identities).count == layouts.count)
    }

    /// A 16-bit mono WAV with this many zero bytes added to its data.
    private static func longer(_ wave: [UInt8], by count: Int) -> [UInt8] {
        var bytes = wave + [UInt8](repeating: 0, count: count)
        for (offset, size) in [(4, bytes.count - 8), (40, bytes.count - 44)] {
            for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
        }
        return bytes
    }
}
