import Testing
import WhisperEngine
import WhisperCommands

@Suite("Live warnings")
struct LiveWarningsTests {
    private static func warnings(_ blocks: [[Float]]) -> [SignalMonitor.Warning] {
        var monitor = SignalMonitor()
        return blocks.flatMap { monitor.warnings(for: $0) }
    }

    /// A square wave of this amplitude in blocks of 20 ms.
    private static func seconds(_ count: Int, of amplitude: Float) -> [[Float]] {
        let block = (0..<320).map { $0 % 2 == 0 ? amplitude : -amplitude }
        return Array(repeating: block, count: count * 50)
    }

    @Test("ten seconds without a signal cause one warning, and another after the next signal")
    func silence() {
        #expect(Self.warnings(Self.seconds(9, of: 0)) == [])
        #expect(Self.warnings(Self.seconds(30, of: 0)) == [.noSignal])
        #expect(
            Self.warnings(Self.seconds(11, of: 0) + Self.seconds(1, of: 0.1) + Self.seconds(11, of: 0))
                == [.noSignal, .noSignal])
        #expect(Self.warnings(Self.seconds(30, of: 0.001)) == [])
    }

    @Test("clipping causes a warning at most once a minute")
    func clipping() {
        #expect(Self.warnings(Self.seconds(59, of: 1)) == [.clipped])
        #expect(Self.warnings(Self.seconds(61, of: 1)) == [.clipped, .clipped])
        #expect(Self.warnings(Self.seconds(5, of: 0.99)) == [])
    }

    @Test("recognition slower than real time causes a warning with its speed, at most once a minute")
    func lag() {
        var monitor = LagMonitor()
        var warnings: [String] = []
        for second in 0..<100 {
            let time = Double(second)
            // Recognition at half the speed of the audio.
            let status = SessionStatus(
                state: .listening, clock: time, decoded: time / 2, lag: time / 2, speech: true)
            if let text = monitor.warning(status, at: time) { warnings.append(text) }
        }
        #expect(warnings.count == 2)
        #expect(warnings.first?.hasPrefix("recognition is 5.0 s behind, at 0.5 times real time; ") == true)
        #expect(monitor.warning(SessionStatus(state: .listening, clock: 9, decoded: 8, lag: 0.9), at: 200) == nil)
    }

    @Test("within the first long pass the speed is unknown, not zero")
    func unknownSpeed() {
        var monitor = LagMonitor()
        let warnings = (0..<7).compactMap { second in
            let time = Double(second)
            return monitor.warning(SessionStatus(state: .listening, clock: time, decoded: 0, lag: time), at: time)
        }
        #expect(
            warnings == [
                "recognition is 5.0 s behind; a smaller model or a larger --step would keep up (no final text is lost)"
            ])
    }

    @Test("text that cannot be saved is reported once with its cause, and once when it is saved")
    func unsaved() {
        func status(_ unsaved: Int) -> SessionStatus {
            SessionStatus(
                state: .listening, clock: 9, decoded: 8, lag: 1, unsaved: unsaved, saveProblem: unsaved > 0 ? "x" : nil)
        }
        var monitor = SaveMonitor(showsUnsaved: true)
        let messages = [0, 1, 2, 0, 0, 1].map { monitor.message(status($0)) }
        let warning = "warning: final text cannot be saved: x; it is saved as soon as that is possible"
        #expect(messages == [nil, warning, nil, "all final text is saved again", nil, warning])
    }

    @Test("a lost microphone is not taken for a pause")
    func lostMicrophone() {
        var status = SessionStatus(state: .paused, clock: 62, decoded: 62, lag: 0)
        #expect(LiveStatusLine(status: status, hasKeys: true).text == "1:02  paused (space resumes)  lag 0.0 s")
        status.isDeviceLost = true
        #expect(
            LiveStatusLine(status: status, hasKeys: true).text == "1:02  microphone lost, waiting for it  lag 0.0 s")
    }
}
