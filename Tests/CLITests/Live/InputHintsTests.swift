import Testing
import WhisperEngine
import whisper_local

@Suite("Hints about sound and pace")
struct InputHintsTests {
    private static let block = 320

    private static func hints(_ blocks: [[Float]]) -> [InputHints.Hint] {
        var hints = InputHints()
        return blocks.flatMap { hints.hear($0) }
    }

    private static func seconds(_ count: Int, of value: Float) -> [[Float]] {
        let block = (0..<Self.block).map { $0 % 2 == 0 ? value : -value }
        return Array(repeating: block, count: count * 50)
    }

    @Test("ten seconds without a signal are told once, and again after the next signal")
    func silence() {
        #expect(Self.hints(Self.seconds(9, of: 0)) == [])
        #expect(Self.hints(Self.seconds(30, of: 0)) == [.noSignal])
        #expect(
            Self.hints(Self.seconds(11, of: 0) + Self.seconds(1, of: 0.1) + Self.seconds(11, of: 0))
                == [.noSignal, .noSignal])
        #expect(Self.hints(Self.seconds(30, of: 0.001)) == [])
    }

    @Test("clipping is told once a minute")
    func clipping() {
        #expect(Self.hints(Self.seconds(59, of: 1)) == [.clipped])
        #expect(Self.hints(Self.seconds(61, of: 1)) == [.clipped, .clipped])
        #expect(Self.hints(Self.seconds(5, of: 0.99)) == [])
    }

    @Test("recognition that falls behind is told with its speed, once a minute")
    func pace() {
        var pace = LivePace()
        var told: [String] = []
        for second in 0..<100 {
            let time = Double(second)
            // Half as fast as the sound.
            let status = SessionStatus(
                state: .listening, clock: time, decoded: time / 2, lag: time / 2, speech: true)
            if let text = pace.warning(status, at: time) { told.append(text) }
        }
        #expect(told.count == 2)
        #expect(told.first?.hasPrefix("recognition is 5.0 s behind, at 0.5 times real time; ") == true)
        #expect(pace.warning(SessionStatus(state: .listening, clock: 9, decoded: 8, lag: 0.9), at: 200) == nil)
    }
}
