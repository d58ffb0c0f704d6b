// Records from a microphone and prints what happens, for tests that need a separate process and environment.
//
// capture-probe record [--device NAME] [--interval MS] [--raw FILE] [--samples N] capture-probe write FILE
// capture-probe list [--all]
//
// `write` continues a recording with the samples 1, 2, 3 … until it is killed. `record` reads the lines `pause`,
// `resume`, `stop` and `hold` (stop consuming events for seven seconds) from standard input. It prints one event per
// line, after the number of samples received before: `0 device pulse`, `16000 overrun 480`, `16000 lost went away`,
// `16000 back`, `0 stalled`, `32000 end`. Errors go to standard error.
import Foundation
import Synchronization
import WhisperEngine

final class Flag: Sendable { let flag = Atomic(false) }

let arguments = Array(CommandLine.arguments.dropFirst())

@MainActor func option(_ name: String) -> String? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    return arguments[index + 1]
}

@Sendable func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

func fail(_ text: String, _ status: Int) -> Never {
    FileHandle.standardError.write(Data("error: \(text)\n".utf8))
    exit(Int32(status))
}

func bytes(_ samples: [Float]) -> Data {
    Data(
        samples.flatMap { sample -> [UInt8] in
            let word = UInt16(bitPattern: Int16(sample * 32_768))
            return [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
        })
}

@MainActor func record() async throws {
    let source = Microphone(device: option("--device"))
    if let milliseconds = option("--interval").flatMap(Int.init) { source.setInterval(.milliseconds(milliseconds)) }
    let raw = option("--raw").flatMap { path -> FileHandle? in
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return FileHandle(forWritingAtPath: path)
    }
    let limit = option("--samples").flatMap(Int.init) ?? .max
    let isHeld = Flag()
    Thread.detachNewThread {
        while let line = readLine() {
            switch line {
            case "pause": source.pause()
            case "resume": source.resume()
            case "stop": source.stop()
            case "hold": isHeld.flag.store(true, ordering: .relaxed)
            default: break
            }
        }
    }
    var position = 0
    var meter = LevelMeter()
    for try await event in source.events() {
        if isHeld.flag.exchange(false, ordering: .relaxed) { usleep(7_000_000) }
        switch event {
        case .samples(let samples):
            if position == 0 { printLine("0 device \(source.device ?? "none")") }
            let kept = Array(samples.prefix(limit - position))
            position += kept.count
            meter.process(kept)
            try raw?.write(contentsOf: bytes(kept))
            if position >= limit { source.stop() }
        case .overrun(let lost): printLine("\(position) overrun \(lost)")
        case .deviceLost(let reason): printLine("\(position) lost \(reason)")
        case .deviceBack: printLine("\(position) back")
        case .stalled: printLine("\(position) stalled")
        }
    }
    printLine("\(position) \(meter.isSilent ? "silent" : "signal") end")
}

@MainActor func write() async throws {
    let recorder = try WAVRecorder(FilePath(arguments.last ?? ""), resuming: true)
    printLine("\(recorder.startSamples)")
    var position = recorder.startSamples
    while true {
        try await recorder.append((0..<160).map { Float((position + $0) % 32_768) / 32_768 })
        position += 160
    }
}

do {
    switch arguments.first {
    case "write": try await write()
    case "record": try await record()
    case "list":
        for device in try Microphone.devices(all: arguments.contains("--all")) {
            printLine("\(device.name)\t\(device.description)")
        }
    default: fail("unknown command", 64)
    }
} catch let error as RecorderError {
    fail("\(error)", 74)
} catch let error as CaptureError {
    var text = "\(error)"
    if case .unknownDevice(_, let known) = error { text += "\nknown: \(known.joined(separator: " "))" }
    fail(text, 1)
}
