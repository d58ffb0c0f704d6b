import Foundation
import Testing

@Suite("WAV recorder")
struct WAVRecorderTests {
    let folder: AudioFolder
    let path: FilePath
    init() throws {
        folder = try AudioFolder()
        path = folder.path("x.wav")
    }

    static func signal(_ range: Range<Int>) -> [Float] { range.map { Float($0 % 32_768) / 32_768 } }
    static func numbers(_ range: Range<Int>) -> [Int] { range.map { $0 % 32_768 } }

    @Test("our reader and FFmpeg read back what was written", arguments: [0, 1, 160_001])
    func readBack(count: Int) async throws {
        let recorder = try WAVRecorder(path, resuming: false)
        try await recorder.append(Self.signal(0..<count))
        try await recorder.close()
        let bytes = try folder.bytes("x.wav")
        #expect(bytes.count == 80 + 2 * count)
        #expect(Array(bytes[72..<80]) == Array("data".utf8) + u32(2 * count))
        #expect(Array(bytes[..<8]) == Array("RIFF".utf8) + u32(bytes.count - 8))
        guard count > 0 else { return }
        #expect(try await pcm16(path) == Self.numbers(0..<count))
        #expect(try await warnings(path) == [])
        #expect(try referencePCM16(path) == Self.numbers(0..<count))
    }

    @Test("the header is at most 5 s behind, and the file is valid at all times")
    func always() async throws {
        let recorder = try WAVRecorder(path, resuming: false)
        var count = 0
        for size in [1, 79_999, 0, 80_001, 30_000, 160_000, 5] {
            try await recorder.append(Self.signal(count..<(count + size)))
            count += size
            let declared = try folder.bytes("x.wav")[76..<80].reversed().reduce(0) { $0 << 8 | Int($1) } / 2
            #expect((max(0, count - 79_999)...count).contains(declared))
            // Samples after the declared end may follow.
            if declared > 0 { #expect(try await Array(pcm16(path).prefix(declared)) == Self.numbers(0..<declared)) }
        }
        #expect(await recorder.samples == count)
    }

    @Test("samples over full scale are clipped, NaN becomes silence")
    func odd() async throws {
        let recorder = try WAVRecorder(path, resuming: false)
        try await recorder.append([2, -2, .nan, .infinity, -.infinity, 0.25 / 32_768, -1, 32_767.0 / 32_768])
        try await recorder.close()
        #expect(try await pcm16(path) == [32_767, -32_768, 0, 32_767, -32_768, 0, -32_768, 32_767])
    }

    @Test("a recording is resumed, even if it was truncated", arguments: [0, 1, 3, 50_000])
    func resume(cut: Int) async throws {
        let first = try WAVRecorder(path, resuming: true)
        #expect(first.startSamples == 0)
        try await first.append(Self.signal(0..<100_000))
        // As after a crash: the header is not up to date, and the last sample may be incomplete.
        try FileHandle(forWritingTo: folder.url.appending(path: "x.wav")).truncate(atOffset: UInt64(200_080 - cut))
        let copy = folder.path("y.wav")
        try folder.write(folder.bytes("x.wav"), "y.wav")
        let second = try WAVRecorder(copy, resuming: true)
        let kept = 100_000 - (cut + 1) / 2
        #expect(second.startSamples == kept)
        try await second.append(Self.signal(kept..<120_000))
        try await second.close()
        #expect(try await pcm16(copy) == Self.numbers(0..<120_000))
    }

    @Test("a truncated header is rewritten", arguments: [0, 1, 40, 79])
    func cutHeader(size: Int) async throws {
        _ = try WAVRecorder(path, resuming: false)
        let head = try folder.bytes("x.wav")
        #expect(head.count == 80)
        let copy = try folder.write(Array(head.prefix(size)), "y.wav")
        let recorder = try WAVRecorder(copy, resuming: true)
        try await recorder.append(Self.signal(0..<10))
        try await recorder.close()
        #expect(try await pcm16(copy) == Self.numbers(0..<10))
    }

    @Test("a recording beyond 4 GiB becomes RF64")
    func long() async throws {
        _ = try WAVRecorder(path, resuming: false)
        let samples = (1 << 31) + 1000
        // A sparse file takes no space.
        try FileHandle(forWritingTo: folder.url.appending(path: "x.wav")).truncate(atOffset: UInt64(80 + 2 * samples))
        let copy = folder.path("long.wav")
        try FileManager.default.moveItem(
            at: folder.url.appending(path: "x.wav"), to: folder.url.appending(path: "long.wav"))
        let recorder = try WAVRecorder(copy, resuming: true)
        #expect(recorder.startSamples == samples)
        try await recorder.append([0.5, 0.25])
        try await recorder.close()
        let file = try FileHandle(forReadingFrom: folder.url.appending(path: "long.wav"))
        let head = [UInt8](try #require(try file.read(upToCount: 80)))
        #expect(Array(head[..<8]) == Array("RF64".utf8) + [255, 255, 255, 255])
        #expect(Array(head[12..<16]) == Array("ds64".utf8))
        // The length according to our reader and FFmpeg: 37 h.
        let source = try AudioFile.open(copy)
        #expect(source.duration == .seconds(Double(samples + 2) / 16_000))
        let output = try Command.run(
            "ffprobe", ["-v", "error", "-show_entries", "stream=duration_ts", "-of", "csv=p=0", "long.wav"],
            in: folder.url)
        #expect(String(decoding: output, as: UTF8.self) == "\(samples + 2)\n")
    }

    @Test("existing files are not overwritten")
    func exists() throws {
        try folder.write([1, 2, 3], "x.wav")
        #expect(throws: RecorderError.exists(path)) { try WAVRecorder(path, resuming: false) }
        #expect(throws: RecorderError.notARecording(path)) { try WAVRecorder(path, resuming: true) }
        #expect(try folder.bytes("x.wav") == [1, 2, 3])
        let other = WAVBytes(data: WAVBytes.tone(seconds: 1)).file
        try folder.write(other, "x.wav")
        #expect(throws: RecorderError.notARecording(path)) { try WAVRecorder(path, resuming: true) }
        #expect(try folder.bytes("x.wav") == other)
    }

    @Test("a path in a missing folder, a device and a folder are rejected")
    func invalidPaths() throws {
        let orphan = folder.path("none/x.wav")
        #expect(throws: RecorderError.folderMissing(orphan)) { try WAVRecorder(orphan, resuming: true) }
        let device = FilePath("/dev/null")
        #expect(throws: RecorderError.notARecording(device)) { try WAVRecorder(device, resuming: true) }
        let here = FilePath(folder.url.path)
        #expect(throws: RecorderError.notARecording(here)) { try WAVRecorder(here, resuming: true) }
    }

    @Test("only one recorder can write to a file")
    func busy() throws {
        let recorder = try WAVRecorder(path, resuming: true)
        #expect(throws: RecorderError.busy(path)) { try WAVRecorder(path, resuming: true) }
        _ = recorder.path
    }
}
