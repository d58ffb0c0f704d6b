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

    /// A 16-bit mono WAV with this many zero bytes added to its data.
    private static func longer(_ wave: [UInt8], by count: Int) -> [UInt8] {
        var bytes = wave + [UInt8](repeating: 0, count: count)
        for (offset, size) in [(4, bytes.count - 8), (40, bytes.count - 44)] {
            for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
        }
        return bytes
    }
}
