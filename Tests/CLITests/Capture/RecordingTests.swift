import Foundation
import Testing
import WhisperEngine

@Suite("Recording to a file")
struct RecordingTests {
    @Test("a process killed at any time leaves a recording that can be read and resumed")
    func killed() async throws {
        let scratch = try Program.Scratch()
        let url = scratch.url.appending(path: "x.wav")
        var before = 0
        for round in 0..<12 {
            let delay = Double(round * 37 % 120) / 1000
            let outcome = try Program.shell(
                """
                rm -f start
                capture-probe write x.wav >start &
                until [ -s start ]; do sleep 0.01; done
                sleep \(delay)
                kill -9 $!
                wait
                cat start
                """, in: scratch)
            // The writer started where the previous one was killed.
            #expect(outcome.output == "\(before)\n")
            let bytes = [UInt8](try Data(contentsOf: url))
            before = (bytes.count - 80) / 2
            let length: Int = bytes[76..<80].reversed().reduce(0) { $0 << 8 | Int($1) }
            let declared = length / 2
            #expect(declared <= before && before - declared < 80_000 + 160)
            let wrong = (0..<before).first { index in
                let word = UInt16(bytes[80 + 2 * index]) | UInt16(bytes[81 + 2 * index]) << 8
                return Int(word) != index % 32_768
            }
            #expect(wrong == nil)
        }
        #expect(before > 80_000)
    }

    @Test("a full disk is reported, and the recording can be resumed")
    func full() async throws {
        let scratch = try Program.Scratch()
        let outcome = try Program.shell(
            "ulimit -f 64; trap '' XFSZ; capture-probe write x.wav", in: scratch)
        #expect(outcome.status == 74)
        #expect(outcome.error.hasPrefix("error: no space left for the recording in "))
        let bytes = [UInt8](try Data(contentsOf: scratch.url.appending(path: "x.wav")))
        #expect(bytes.count <= 65_536)
        let recorder = try WAVRecorder(FilePath(scratch.url.path + "/x.wav"), resuming: true)
        #expect(recorder.startSamples == (bytes.count - 80) / 2)
    }
}
