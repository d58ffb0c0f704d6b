// Transcribes a recording and prints each segment as soon as it is final.
//
//     swift run transcribe-file Models/nano.en.ggml.bin Tests/Fixtures/clips/say-00.wav
import Foundation
import WhisperEngine
import WhisperEngineFoundation

guard CommandLine.arguments.count == 3 else {
    print("usage: transcribe-file MODEL RECORDING")
    exit(64)
}

do {
    let recognizer = try await Recognizer(model: CommandLine.arguments[1])
    let recording = try AudioFile.open(URL(filePath: CommandLine.arguments[2]))
    for try await update in recognizer.updates(for: recording) {
        guard case .final(let segment) = update else { continue }
        print(String(format: "%6.2f  %6.2f ", segment.start, segment.end), segment.text)
    }
} catch {
    print("error: \(error)")
    exit(1)
}
