import Foundation
import WhisperEngine

/// A folder of its own for one test's odd files, gone with the test.
final class SoundFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sound-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> FilePath { FilePath(url.path).appending(name) }

    @discardableResult
    func write(_ bytes: [UInt8], _ name: String) throws -> FilePath {
        try Data(bytes).write(to: url.appending(path: name))
        return path(name)
    }

    /// A file written with the `ffmpeg` command, which runs in this folder.
    @discardableResult
    func ffmpeg(_ arguments: String..., to name: String) throws -> FilePath {
        let words = arguments.flatMap { $0.split(separator: " ").map(String.init) }
        _ = try Command.run("ffmpeg", ["-nostdin", "-loglevel", "error", "-y"] + words + [name], in: url)
        return path(name)
    }

    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url.appending(path: name))) }
}

enum Command {
    struct Failure: Error { let status: Int32 }

    static func run(_ name: String, _ arguments: [String], in folder: URL) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return data
    }
}

/// Writes to a pipe from a thread of its own: a blocked writer must not take one of the few threads that tasks share.
func write(_ parts: [Data], to handle: FileHandle, pause: TimeInterval = 0) {
    Thread.detachNewThread {
        for part in parts {
            try? handle.write(contentsOf: part)
            Thread.sleep(forTimeInterval: pause)
        }
        try? handle.close()
    }
}

/// Real recordings.
enum Recording {
    static let say = FilePath(Fixtures.url("audio/say-00.wav").path)
    static let short = FilePath(Fixtures.url("audio/say-03.wav").path)
}

/// Samples as 16-bit numbers, which is what they are compared as.
func words(_ source: any AudioSource) async throws -> [Int] {
    var words: [Int] = []
    for try await chunk in source.chunks() {
        guard chunk.start == words.count, !chunk.samples.isEmpty, chunk.samples.count <= AudioChunk.sampleRate else {
            throw WrongChunk(start: chunk.start, count: chunk.samples.count, expected: words.count)
        }
        words += chunk.samples.map { Int($0 * 32768) }
    }
    return words
}

struct WrongChunk: Error { let start: Int, count: Int, expected: Int }

func words(_ path: FilePath, _ options: AudioOptions = AudioOptions()) async throws -> [Int] {
    try await words(AudioFile.open(path, options: options))
}

/// What a recording's owner is told once it was read to its end.
func warnings(_ path: FilePath, _ options: AudioOptions = AudioOptions()) async throws -> [AudioWarning] {
    let source = try AudioFile.open(path, options: options)
    _ = try await words(source)
    return source.warnings
}

/// openai-whisper's own command.
func referenceWords(_ path: FilePath, track: Int = 1) throws -> [Int] {
    let name = String(decoding: path.bytes, as: UTF8.self)
    let data = try Command.run(
        "ffmpeg",
        ["-nostdin", "-i", name, "-map", "0:a:\(track - 1)", "-f", "s16le", "-ac", "1", "-acodec", "pcm_s16le"]
            + ["-ar", "16000", "-"],
        in: FileManager.default.temporaryDirectory)
    return stride(from: 0, to: data.count - 1, by: 2).map {
        Int(Int16(bitPattern: UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8))
    }
}

/// Bytes of WAV files, right and wrong.
struct WAVBytes {
    var tag = 1
    var channels = 1
    var rate = 16_000
    var bits = 16
    var data: [UInt8] = []
    /// What the header says where that is not the truth.
    var declared: Int?
    var afterData: [UInt8] = []
    var extra: [UInt8] = []

    var file: [UInt8] {
        let frame = channels * ((bits + 7) / 8)
        let format = u16(tag) + u16(channels) + u32(rate) + u32(rate * frame) + u16(frame) + u16(bits) + extra
        let body = Array("WAVE".utf8) + chunk("fmt ", format) + chunk("data", data, size: declared) + afterData
        return chunk("RIFF", body)
    }

    func chunk(_ name: String, _ body: [UInt8], size: Int? = nil) -> [UInt8] {
        Array(name.utf8) + u32(size ?? body.count) + body
    }

    /// A tone of half scale, as 16-bit bytes.
    static func tone(seconds: Double, rate: Int = 16_000, frequency: Double = 440) -> [UInt8] {
        (0..<Int(seconds * Double(rate))).flatMap { index in
            u16(Int((sin(Double(index) * frequency * 2 * .pi / Double(rate)) * 16000).rounded()))
        }
    }

    static func floats(_ values: [Float]) -> [UInt8] { values.flatMap { u32(Int($0.bitPattern)) } }
}

func u16(_ number: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)] }
func u32(_ number: Int) -> [UInt8] { u16(number) + u16(number >> 16) }

/// Numbers that look random and are the same in every run (SplitMix64).
struct FixedNumbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }
}
