package import EngineAudio
package import EngineBasics
package import Foundation

/// A temporary folder for one test's files, removed with the test.
package final class AudioFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "audio-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func path(_ name: String) -> FilePath { FilePath(url.path).appending(name) }

    @discardableResult
    package func write(_ bytes: [UInt8], _ name: String) throws -> FilePath {
        try Data(bytes).write(to: url.appending(path: name))
        return path(name)
    }

    /// Writes a file with the `ffmpeg` command, which runs in this folder.
    @discardableResult
    package func ffmpeg(_ arguments: String..., to name: String) throws -> FilePath {
        let words = arguments.flatMap { $0.split(separator: " ").map(String.init) }
        _ = try Command.run("ffmpeg", ["-nostdin", "-loglevel", "error", "-y"] + words + [name], in: url)
        return path(name)
    }

    package func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url.appending(path: name))) }
}

package enum Command {
    package struct Failure: Error { let status: Int32 }

    package static func run(_ name: String, _ arguments: [String], in folder: URL) throws -> Data {
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

/// Writes to a pipe on a thread of its own: a blocked writer must not occupy one of the few threads shared by tasks.
package func write(_ parts: [Data], to handle: FileHandle, pause: TimeInterval = 0) {
    Thread.detachNewThread {
        for part in parts {
            try? handle.write(contentsOf: part)
            Thread.sleep(forTimeInterval: pause)
        }
        try? handle.close()
    }
}

/// Recordings of speech.
package enum Recording {
    package static let say = FilePath(Fixtures.url("audio/say-00.wav").path)
    package static let short = FilePath(Fixtures.url("audio/say-03.wav").path)
}

/// The samples of a source as 16-bit integers, which compare exactly.
package func pcm16(_ source: any AudioSource) async throws -> [Int] {
    var samples: [Int] = []
    for try await chunk in source.chunks() {
        guard chunk.start == samples.count, !chunk.samples.isEmpty, chunk.samples.count <= AudioChunk.sampleRate else {
            throw WrongChunk(start: chunk.start, count: chunk.samples.count, expected: samples.count)
        }
        samples += chunk.samples.map { Int($0 * 32768) }
    }
    return samples
}

package struct WrongChunk: Error { let start: Int, count: Int, expected: Int }

package func pcm16(_ path: FilePath, _ options: AudioOptions = AudioOptions()) async throws -> [Int] {
    try await pcm16(AudioFile.open(path, options: options))
}

/// The warnings of a recording after it was read to its end.
package func warnings(_ path: FilePath, _ options: AudioOptions = AudioOptions()) async throws -> [AudioFile.Warning] {
    let source = try AudioFile.open(path, options: options)
    _ = try await pcm16(source)
    return source.warnings
}

/// The samples from openai-whisper's own ffmpeg command.
package func referencePCM16(_ path: FilePath, track: Int = 1) throws -> [Int] {
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

/// Builds WAV files, valid and damaged.
package struct WAVBytes {
    package var tag = 1
    package var channels = 1
    package var rate = 16_000
    package var bits = 16
    package var data: [UInt8] = []
    /// The data size in the header, if it differs from the actual one.
    package var declared: Int?
    package var afterData: [UInt8] = []
    package var extra: [UInt8] = []

    package init(
        tag: Int = 1, channels: Int = 1, rate: Int = 16_000, bits: Int = 16, data: [UInt8] = [], declared: Int? = nil,
        afterData: [UInt8] = [], extra: [UInt8] = []
    ) {
        (self.tag, self.channels, self.rate, self.bits) = (tag, channels, rate, bits)
        (self.data, self.declared, self.afterData, self.extra) = (data, declared, afterData, extra)
    }

    package var file: [UInt8] {
        let frame = channels * ((bits + 7) / 8)
        let format = u16(tag) + u16(channels) + u32(rate) + u32(rate * frame) + u16(frame) + u16(bits) + extra
        let body = Array("WAVE".utf8) + chunk("fmt ", format) + chunk("data", data, size: declared) + afterData
        return chunk("RIFF", body)
    }

    package func chunk(_ name: String, _ body: [UInt8], size: Int? = nil) -> [UInt8] {
        Array(name.utf8) + u32(size ?? body.count) + body
    }

    /// A half-scale sine as 16-bit samples.
    package static func tone(seconds: Double, rate: Int = 16_000, frequency: Double = 440) -> [UInt8] {
        let step = frequency * 2 * Double.pi / Double(rate)
        return (0..<Int(seconds * Double(rate))).flatMap { (index: Int) -> [UInt8] in
            u16(Int((sin(Double(index) * step) * 16000).rounded()))
        }
    }

    package static func floats(_ values: [Float]) -> [UInt8] { values.flatMap { u32(Int($0.bitPattern)) } }
}

package func u16(_ number: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
}
package func u32(_ number: Int) -> [UInt8] { u16(number) + u16(number >> 16) }
