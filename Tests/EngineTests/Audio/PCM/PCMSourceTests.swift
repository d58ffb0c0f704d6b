import Foundation
import Testing

@Suite("Raw PCM")
struct PCMSourceTests {
    let folder: AudioFolder
    init() throws { folder = try AudioFolder() }

    @Test(
        "raw formats are parsed",
        arguments: [
            ("s16le:16000:1", SampleEncoding.s16le, 16_000, 1), ("f32be:44100:2", .f32be, 44_100, 2),
            ("u8", .u8, 16_000, 1), ("s24le:768000:64", .s24le, 768_000, 64), ("mulaw:8000", .mulaw, 8000, 1),
        ])
    func format(text: String, encoding: SampleEncoding, rate: Int, channels: Int) throws {
        let format = try RawFormat(text)
        #expect(format == (try RawFormat(encoding: encoding, sampleRate: rate, channels: channels)))
    }

    @Test(
        "invalid raw formats are rejected",
        arguments: [
            "", "s16", "s16le:", "s16le:999:1", "s16le:768001:1", "s16le:16000:0", "s16le:16000:65", "s16le:16000:1:1",
            "s16le:1e4:1", "s16le:+16000:1", "s16le:16000: 1", "S16LE", "s16le:99999999999999999999:1", ":16000:1",
        ])
    func badFormat(text: String) {
        #expect(throws: AudioFormatError.badRawFormat(text)) { try RawFormat(text) }
    }

    @Test("every encoding gives the samples of the reference command", arguments: SampleEncoding.allCases)
    func encodings(encoding: SampleEncoding) async throws {
        let expression = "aevalsrc=0.7*sin(2751*t)+0.29*sin(9000.3*t):s=16000:d=1"
        let name = encoding.rawValue
        let path = try folder.ffmpeg("-f lavfi -i", expression, "-c:a pcm_\(name) -f", name, to: "x")
        let wave = try folder.ffmpeg("-f", name, "-ar 16000 -ac 1 -i x -c:a", wide(encoding), to: "x.wav")
        #expect(try await pcm16(path, AudioOptions(raw: try RawFormat(name))) == referencePCM16(wave))
    }

    private func wide(_ encoding: SampleEncoding) -> String {
        switch encoding {
        case .f32le, .f32be: "pcm_f32le"
        case .f64le, .f64be: "pcm_f64le"
        default: "pcm_s32le"
        }
    }

    @Test("other rates are resampled and channels mixed, keeping the length")
    func resampled() async throws {
        let tone = WAVBytes.tone(seconds: 2, rate: 44_100).chunked(2).flatMap { $0 + $0 }
        let path = try folder.write(tone + [1], "x")
        let source = try AudioFile.open(path, options: AudioOptions(raw: try RawFormat("s16le:44100:2")))
        let samples = try await pcm16(source)
        #expect(samples.count == 32_000)
        #expect(source.duration == .seconds(2))
        #expect(source.warnings == [.partialSample(bytes: 1)])
        let ideal = (0..<32_000).map { sin(Double($0) * 440 * 2 * .pi / 16_000) * 16_000 }
        #expect((1000..<31_000).allSatisfy { abs(Double(samples[$0]) - ideal[$0]) < 3 })
    }

    @Test("a file longer than 100 h by its size is rejected")
    func tooLong() throws {
        let path = try folder.write([0], "x")
        let file = try FileHandle(forWritingTo: folder.url.appending(path: "x"))
        try file.truncate(atOffset: 101 * 3600 * 1000)
        #expect(throws: AudioFormatError.tooLong(path)) {
            try AudioFile.open(path, options: AudioOptions(raw: try RawFormat("u8:1000:1")))
        }
    }
}

extension Array {
    fileprivate func chunked(_ size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
