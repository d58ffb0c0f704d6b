// Captions the microphone for a number of seconds, with a line for each utterance. Its final words stay; the words after
// them may still change, so the line is redrawn with each update.
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
    let session = try StreamingSession(recognizer, detector: .energy)
    let microphone = Microphone()
    let captions = Task {
        var (utterance, final) = (0, "")
        for try await update in session.updates {
            let segment: TranscriptSegment
            switch update {
            case .volatile(let text?): segment = text
            case .final(let text): segment = text
            default: continue
            }
            if segment.utterance != utterance {
                show(final + "\n")
                (utterance, final) = (segment.utterance, "")
            }
            show(final + segment.text)
            if segment.isFinal { final += segment.text }
        }
        show(final + "\n")
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
