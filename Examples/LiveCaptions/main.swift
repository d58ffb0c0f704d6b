// Captions the microphone for a number of seconds: words that may still change on a line that is redrawn, final words
// on lines that stay.
//
//     swift run live-captions Models/nano.en.ggml.bin 30
import Foundation
import WhisperEngine

guard CommandLine.arguments.count == 3, let seconds = Double(CommandLine.arguments[2]) else {
    print("usage: live-captions MODEL SECONDS")
    exit(64)
}

/// Replaces the current line of the terminal.
@Sendable func show(_ text: String) {
    FileHandle.standardOutput.write(Data("\r\u{1b}[K\(text)".utf8))
}

do {
    let recognizer = try await Recognizer(model: CommandLine.arguments[1])
    let session = try StreamingSession(recognizer, detector: EnergyDetector())
    let microphone = ALSASource()
    let captions = Task {
        for try await update in session.updates {
            switch update {
            case .volatile(let segment): show(segment?.text ?? "")
            case .final(let segment): show(segment.text + "\n")
            default: break
            }
        }
    }
    let timer = Task {
        try await Task.sleep(for: .seconds(seconds))
        try await session.stop()  // whatever has been said becomes final
    }
    try await session.run(microphone)
    timer.cancel()
    try await captions.value
} catch {
    print("error: \(error)")
    exit(1)
}
