// Transcribes samples that are already in memory and prints SRT subtitles.
//
//     ffmpeg -v error -i Tests/Fixtures/clips/say-00.wav -f f32le -ac 1 -ar 16000 - \
//         | swift run samples-to-srt Models/nano.en.ggml.bin
import Foundation
import WhisperEngine

guard CommandLine.arguments.count == 2 else {
    print("usage: samples-to-srt MODEL < 16 kHz mono samples, 32-bit float")
    exit(64)
}

do {
    let bytes = [UInt8](FileHandle.standardInput.readDataToEndOfFile())
    let samples = stride(from: 0, to: bytes.count - 3, by: 4).map { start in
        Float(bitPattern: bytes[start..<(start + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
    let recognizer = try await Recognizer(model: CommandLine.arguments[1])
    var options = TranscriptionOptions()
    options.wordTimestamps = true
    let transcript = try await recognizer.transcribe(SampleSource(samples), options: options)
    let subtitles = SubtitleOptions(maxLineWidth: 42, maxLineCount: 2)
    print(OutputFormat.srt.text(of: transcript, subtitles: subtitles), terminator: "")
} catch {
    print("error: \(error)")
    exit(1)
}
