import Foundation
import Testing
import WhisperEngine

@Suite("WAV recorder")
struct WAVRecorderTests {
    let folder: SoundFolder
    let path: FilePath
    init() throws {
        folder = try SoundFolder()
        path = folder.path("x.wav")
    }

    static func sound(_ range: Range<Int>) -> [Float] { range.map { Float($0 % 32_768) / 32_768 } }
    static func numbers(_ range: Range<Int>) -> [Int] { range.map { $0 % 32_768 } }

    @Test("what is written is what is read, by us and by FFmpeg", arguments: [0, 1, 160_001])
    func readBack(count: Int) async throws {
        let recorder = try WAVRecorder(path, resuming: false)
        try await recorder.append(Self.sound(0..<count))
        try await recorder.close()
        let bytes = try folder.bytes("x.wav")
        #expect(bytes.count == 80 + 2 * count)
        #expect(Array(bytes[72..<80]) == Array("data".utf8) + u32(2 * count))
        #expect(Array(bytes[..<8]) == Array("RIFF".utf8) + u32(bytes.count - 8))
        guard count > 0 else { return }
        #expect(try await words(path) == Self.numbers(0..<count))
        #expect(try await warnings(path) == [])
        #expect(try referenceWords(path) == Self.numbers(0..<count))
    }

    @Test("the header is never more than 5 s behind, and the file a valid recording all the time")
    func always() async throws {
        let recorder = try WAVRecorder(path, resuming: false)
        var count = 0
        for size in [1, 79_999, 0, 80_001, 30_000, 160_000, 5] {
            try await recorder.append(Self.sound(count..<(count + size)))
            count += size
            let told = try folder.bytes("x.wav")[76..<80].reversed().reduce(0) { $0 << 8 | Int($1) } / 2
            #expect((max(0, count - 79_999)...count).contains(told))
            // Behind the promised end stands what was heard since.
            if told > 0 { #expect(try await Array(words(path).prefix(told)) == Self.numbers(0..<told)) }
        }
        #expect(await recorder.samples == count)
    }

    @Test("samples beyond full scale are limited, what is no number is silence")
    func odd() async throws {
        let recorder = try WAVRecorder(path, resuming: false)
        try await recorder.append([2, -2, .nan, .infinity, -.infinity, 0.25 / 32_768, -1, 32_767.0 / 32_768])
        try await recorder.close()
        #expect(try await words(path) == [32_767, -32_768, 0, 32_767, -32_768, 0, -32_768, 32_767])
    }

    @Test("a recording is gone on with, also one that was cut off in its middle", arguments: [0, 1, 3, 50_000])
    func resume(cut: Int) async throws {
        let first = try WAVRecorder(path, resuming: true)
        #expect(first.startSamples == 0)
        try await first.append(Self.sound(0..<100_000))
        // As after a crash: the header is behind, and the last sample may be half there.
        try FileHandle(forWritingTo: folder.url.appending(path: "x.wav")).truncate(atOffset: UInt64(200_080 - cut))
        let copy = folder.path("y.wav")
        try folder.write(folder.bytes("x.wav"), "y.wav")
        let second = try WAVRecorder(copy, resuming: true)
        let kept = 100_000 - (cut + 1) / 2
        #expect(second.startSamples == kept)
        try await second.append(Self.sound(kept..<120_000))
        try await second.close()
        #expect(try await words(copy) == Self.numbers(0..<120_000))
    }

    @Test("a header that was cut off is written again", arguments: [0, 1, 40, 79])
    func cutHeader(size: Int) async throws {
        _ = try WAVRecorder(path, resuming: false)
        let head = try folder.bytes("x.wav")
        #expect(head.count == 80)
        let copy = try folder.write(Array(head.prefix(size)), "y.wav")
        let recorder = try WAVRecorder(copy, resuming: true)
        try await recorder.append(Self.sound(0..<10))
        try await recorder.close()
        #expect(try await words(copy) == Self.numbers(0..<10))
    }

    @Test("beyond 4 GiB it becomes RF64")
    func long() async throws {
        _ = try WAVRecorder(path, resuming: false)
        let samples = (1 << 31) + 1000
        // A hole takes no room on the disk.
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
        // The length as we and FFmpeg read it: 37 h.
        let source = try AudioFile.open(copy)
        #expect(source.duration == .seconds(Double(samples + 2) / 16_000))
        let told = try Command.run(
            "ffprobe", ["-v", "error", "-show_entries", "stream=duration_ts", "-of", "csv=p=0", "long.wav"],
            in: folder.url)
        #expect(String(decoding: told, as: UTF8.self) == "\(samples + 2)\n")
    }

    @Test("files that are there are not written over")
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

    @Test("what is no place for a recording is told")
    func places() throws {
        let inNoFolder = folder.path("none/x.wav")
        #expect(throws: RecorderError.folderMissing(inNoFolder)) { try WAVRecorder(inNoFolder, resuming: true) }
        let device = FilePath("/dev/null")
        #expect(throws: RecorderError.notARecording(device)) { try WAVRecorder(device, resuming: true) }
        let here = FilePath(folder.url.path)
        #expect(throws: RecorderError.notARecording(here)) { try WAVRecorder(here, resuming: true) }
    }

    @Test("two runs do not record into one file")
    func busy() throws {
        let recorder = try WAVRecorder(path, resuming: true)
        #expect(throws: RecorderError.busy(path)) { try WAVRecorder(path, resuming: true) }
        _ = recorder.path
    }
}
