// Records from a microphone and tells what happens, for tests that need a process and an environment of their own.
//
//   capture-probe record [--device NAME] [--interval MS] [--raw FILE] [--samples N]
//   capture-probe write FILE
//   capture-probe list [--all]
//
// `write` goes on with a recording: a second of samples 1, 2, 3 … every time, until it is killed.
// Standard input takes the lines `pause`, `resume`, `stop`, and `hold`: for seven seconds nobody listens. Standard output tells one event a line with the sample
// at which it came: `0 device pulse`, `16000 overrun 480`, `16000 lost went away`, `16000 back`, `0 stalled`,
// `32000 end`. Errors go to standard error, with their status.
import Foundation
import Synchronization
import WhisperEngine

final class Flag: Sendable { let flag = Atomic(false) }

let words = Array(CommandLine.arguments.dropFirst())

@MainActor func option(_ name: String) -> String? {
    guard let index = words.firstIndex(of: name), index + 1 < words.count else { return nil }
    return words[index + 1]
}

@Sendable func say(_ line: String) {
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
    let source = ALSASource(device: option("--device"))
    if let milliseconds = option("--interval").flatMap(Int.init) { source.setInterval(.milliseconds(milliseconds)) }
    let raw = option("--raw").flatMap { path -> FileHandle? in
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return FileHandle(forWritingAtPath: path)
    }
    let most = option("--samples").flatMap(Int.init) ?? .max
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
            if position == 0 { say("0 device \(source.device ?? "none")") }
            let kept = Array(samples.prefix(most - position))
            position += kept.count
            meter.process(kept)
            try raw?.write(contentsOf: bytes(kept))
            if position >= most { source.stop() }
        case .overrun(let lost): say("\(position) overrun \(lost)")
        case .deviceLost(let reason): say("\(position) lost \(reason)")
        case .deviceBack: say("\(position) back")
        case .stalled: say("\(position) stalled")
        }
    }
    say("\(position) \(meter.isSilent ? "silent" : "heard") end")
}

@MainActor func write() async throws {
    let recorder = try WAVRecorder(FilePath(words.last ?? ""), resuming: true)
    say("\(recorder.startSamples)")
    var position = recorder.startSamples
    while true {
        try await recorder.append((0..<160).map { Float((position + $0) % 32_768) / 32_768 })
        position += 160
    }
}

do {
    switch words.first {
    case "write": try await write()
    case "record": try await record()
    case "list":
        for device in try CaptureDevices.inputs(all: words.contains("--all")) {
            say("\(device.name)\t\(device.description)")
        }
    default: fail("unknown command", 64)
    }
} catch let error as RecorderError {
    fail("\(error)\ntry: \(error.advice)", 74)
} catch let error as CaptureError {
    fail("\(error)\ntry: \(error.advice)", error.category.rawValue)
}
