import Foundation
import Testing
import WhisperEngine

@Suite("Recording to a file")
struct RecordingTests {
    @Test("a run that is killed at any moment leaves a recording that can be read and gone on with")
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
            // The writer began where the one before it had been killed.
            #expect(outcome.output == "\(before)\n")
            let bytes = [UInt8](try Data(contentsOf: url))
            before = (bytes.count - 80) / 2
            let length: Int = bytes[76..<80].reversed().reduce(0) { $0 << 8 | Int($1) }
            let promised = length / 2
            #expect(promised <= before && before - promised < 80_000 + 160)
            let wrong = (0..<before).first { index in
                let word = UInt16(bytes[80 + 2 * index]) | UInt16(bytes[81 + 2 * index]) << 8
                return Int(word) != index % 32_768
            }
            #expect(wrong == nil)
        }
        #expect(before > 80_000)
    }

    @Test("a full disk is told; what is heard when there is room again has its place")
    func full() async throws {
        let scratch = try Program.Scratch()
        let outcome = try Program.shell(
            "ulimit -f 64; trap '' XFSZ; capture-probe write x.wav", in: scratch)
        #expect(outcome.status == 74)
        #expect(outcome.error.hasPrefix("error: no space left for the sound in "))
        let bytes = [UInt8](try Data(contentsOf: scratch.url.appending(path: "x.wav")))
        #expect(bytes.count <= 65_536)
        let recorder = try WAVRecorder(FilePath(scratch.url.path + "/x.wav"), resuming: true)
        #expect(recorder.startSamples == (bytes.count - 80) / 2)
    }
}
