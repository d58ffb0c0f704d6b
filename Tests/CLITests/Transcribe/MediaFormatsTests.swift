import Foundation
import Testing

#if HAS_FFMPEG
    /// Transcribes one recording in the most common media formats.
    @Suite("Media formats")
    struct MediaFormatsTests {
        static let spoken = "Turn the fan down to 5%. Where did you put the short chair?"

        private func text(_ command: String) throws -> String {
            let scratch = try Program.Scratch()
            let script =
                command + " && whisper-local transcribe --no-timestamps -q out.*"
            let outcome = try Program.shell(script, in: scratch)
            #expect(outcome.status == 0, "\(outcome.error)")
            return outcome.output.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
        }

        /// Number of word insertions, deletions and substitutions.
        private func wordDistance(_ a: String, _ b: String) -> Int {
            let (a, b) = (a.split(separator: " "), b.split(separator: " "))
            var row = Array(0...b.count)
            for i in a.indices {
                var diagonal = row[0]
                row[0] = i + 1
                for j in b.indices {
                    let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (a[i] == b[j] ? 0 : 1))
                    diagonal = row[j + 1]
                    row[j + 1] = next
                }
            }
            return row[b.count]
        }

        @Test(
            "lossless formats have the same text",
            arguments: [
                "out.flac", "out.aiff", "-c:a pcm_s16le out.w64", "-c:a pcm_s16be out.au", "out.caf",
                "-c:a alac out.m4a",
                "-c:a pcm_f32le out.wav", "-c:a flac out.mkv", "-ac 2 out.wav",
            ])
        func lossless(output: String) throws {
            #expect(try text("ffmpeg -v error -i \"$CLIPS/say-00.wav\" \(output)") == Self.spoken)
        }

        @Test(
            "compressed formats differ by at most one word, and not from their decoded samples",
            arguments: [
                "out.mp3", "-c:a aac out.m4a", "-c:a libvorbis out.ogg", "-c:a libopus out.opus",
                "-c:a libopus out.webm",
                "-f lavfi -i testsrc=size=64x64:rate=5 -shortest -map 0:a -map 1:v -c:v mpeg4 -c:a aac out.mp4",
            ])
        func compressed(output: String) throws {
            let make = "ffmpeg -v error -i \"$CLIPS/say-00.wav\" \(output)"
            let transcript = try text(make)
            #expect(wordDistance(transcript, Self.spoken) <= 1, "\(transcript)")
            let decoded = try text(
                make + " && ffmpeg -v error -i out.* -vn -ac 1 -ar 16000 -c:a pcm_s16le decoded.wav && rm out.*"
                    + " && mv decoded.wav out.wav")
            #expect(transcript == decoded)
        }
    }
#endif
