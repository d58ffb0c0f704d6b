import Testing
import WhisperCommands

@Suite("Push to talk")
struct PushToTalkTests {
    private typealias Step = (time: Double, event: PushToTalk.Event?)

    /// The effects with their times. The rules are ticked every 10 ms; a `nil` event only lets time pass.
    private static func play(_ steps: [Step], toggles: Bool = false) -> [String] {
        var rules = PushToTalk(toggles: toggles)
        var log: [String] = []
        var hundredths = 0
        func record(_ effects: [PushToTalk.Effect], _ time: Double) {
            log += effects.map { "\($0) \((time * 100).rounded() / 100)" }
        }
        for step in steps {
            while Double(hundredths + 1) / 100 < step.time {
                hundredths += 1
                let time = Double(hundredths) / 100
                record(rules.tick(at: time), time)
            }
            guard let event = step.event else { continue }
            record(rules.handle(event, at: step.time), step.time)
        }
        return log
    }

    @Test("holding and releasing the key makes a recording; a press under 0.1 s is discarded")
    func releaseReported() {
        #expect(
            Self.play([(1, .press(.withRelease)), (3, .release), (4, nil)]) == [
                "start 1.0", "confirm 1.1", "finish 3.0",
            ])
        #expect(
            Self.play([(1, .press(.withRelease)), (1.09, .release), (2, .release)]) == ["start 1.0", "discard 1.09"])
        #expect(
            Self.play([(1, .press(.withRelease)), (1.5, .press(.withRelease)), (2, .release), (2.1, .release)])
                == ["start 1.0", "confirm 1.1", "finish 2.0"])
    }

    @Test("a repeating key counts as held until it has not repeated for 0.6 s")
    func repeating() {
        var steps: [Step] = [(1, .press(.repeating)), (1.5, .press(.repeating))]
        for count in 0..<40 { steps.append((1.5 + Double(count) * 0.033, .press(.repeating))) }
        #expect(Self.play(steps + [(4, nil)]) == ["start 1.0", "confirm 1.1", "finish 3.39"])
    }

    @Test("repeats with gaps of up to 0.5 s are one press, however often the rules are ticked")
    func lateRepeats() {
        let repeats: [Step] = [0.1, 0.6, 0.63, 1.13, 1.6, 2.1].map { (1.5 + $0, .press(.repeating)) }
        #expect(
            Self.play([(1, .press(.repeating)), (1.5, .press(.repeating))] + repeats + [(5, nil)])
                == ["start 1.0", "confirm 1.1", "finish 4.2"])
        var rules = PushToTalk()
        var effects: [PushToTalk.Effect] = []
        for time in [1, 1.5, 1.9, 2.3] { effects += rules.handle(.press(.repeating), at: time) }
        #expect(effects == [.start, .confirm])
        #expect(rules.tick(at: 2.85) == [] && rules.tick(at: 2.91) == [.finish])
        #expect(rules.handle(.press(.repeating), at: 3) == [.start])
    }

    @Test("after 0.15 s without a repeat the key may have been released")
    func possibleRelease() {
        var rules = PushToTalk()
        _ = rules.handle(.press(.repeating), at: 1)
        #expect(!rules.isReleasePossible(at: 1.6))
        _ = rules.handle(.press(.repeating), at: 1.6)
        #expect(!rules.isReleasePossible(at: 1.74) && rules.isReleasePossible(at: 1.76))
        _ = rules.handle(.press(.repeating), at: 2)
        #expect(!rules.isReleasePossible(at: 2.1))
        _ = rules.tick(at: 3)
        #expect(!rules.isReleasePossible(at: 3))
        _ = rules.handle(.press(.withRelease), at: 4)
        #expect(!rules.isReleasePossible(at: 9))
    }

    @Test("a key that does not repeat within 0.7 s was tapped, and the next tap ends the recording")
    func tapped() {
        #expect(
            Self.play([(1, .press(.repeating)), (5, .press(.repeating)), (9, nil)])
                == ["start 1.0", "confirm 1.1", "finish 5.0"])
        // If the second tap is held, its repeats start nothing.
        let held: [Step] = (0..<30).map { (5.5 + Double($0) * 0.033, .press(.repeating)) }
        #expect(
            Self.play([(1, .press(.repeating)), (5, .press(.repeating))] + held + [(9, .press(.repeating))])
                == ["start 1.0", "confirm 1.1", "finish 5.0", "start 9.0"])
    }

    @Test("with --toggle one press starts and the next one stops; releases are ignored")
    func toggled() {
        #expect(
            Self.play(
                [(1, .press(.withRelease)), (1.05, .release), (3, .press(.withRelease)), (3.05, .release), (5, nil)],
                toggles: true)
                == ["start 1.0", "confirm 1.1", "finish 3.0"])
        let held: [Step] = (0..<30).map { (1.5 + Double($0) * 0.033, .press(.repeating)) }
        #expect(
            Self.play([(1, .press(.repeating))] + held + [(4, .press(.repeating)), (6, nil)], toggles: true)
                == ["start 1.0", "confirm 1.1", "finish 4.0"])
    }

    @Test("Escape discards the recording; Ctrl-C delivers it, and then quits; q does both")
    func cancelling() {
        #expect(
            Self.play([
                (1, .press(.withRelease)), (2, .cancel), (2.5, .release), (3, .press(.withRelease)), (4, .interrupt),
                (5, .interrupt), (6, .press(.withRelease)),
            ]) == [
                "start 1.0", "confirm 1.1", "discard 2.0", "start 3.0", "confirm 3.1", "finish 4.0", "quit 5.0",
            ])
        #expect(
            Self.play([(1, .press(.withRelease)), (2, .quit), (3, .interrupt), (4, .quit), (5, .interrupt)])
                == ["start 1.0", "confirm 1.1", "finish 2.0", "quit 2.0"])
    }

    @Test(
        "other programs start and stop; what is repeated has no effect, and a recording that is too short is discarded")
    func remote() {
        #expect(
            Self.play([(1, .stop), (2, .start), (2.03, .start), (2.5, .start), (3, .stop), (3.03, .stop)])
                == ["start 2.0", "confirm 2.1", "finish 3.0"])
        #expect(Self.play([(1, .start), (1.05, .stop)]) == ["start 1.0", "discard 1.05"])
        #expect(
            Self.play([(1, .press(.withRelease)), (2, .stop), (3, .release)]) == [
                "start 1.0", "confirm 1.1", "finish 2.0",
            ])
    }

    @Test("a recording ends after ten minutes, or when capture ends")
    func limits() {
        #expect(Self.play([(1, .press(.withRelease)), (700, .release)]).last == "finish 601.0")
        #expect(
            Self.play([(1, .press(.withRelease)), (2, .captureEnded), (3, .release)])
                == ["start 1.0", "confirm 1.1", "finish 2.0"])
        #expect(Self.play([(1, .captureEnded)]) == [])
    }

    @Test("the phases follow a recording from idle to its text and back")
    func phases() {
        var rules = PushToTalk()
        #expect(rules.phase(at: 0) == .idle)
        _ = rules.handle(.press(.withRelease), at: 1)
        #expect(rules.phase(at: 1.05) == .idle)
        #expect(rules.phase(at: 3) == .recording(seconds: 2))
        _ = rules.handle(.release, at: 3)
        #expect(rules.phase(at: 3.5) == .processing(seconds: 0.5))
        // The next recording may start at once; texts are delivered in order.
        _ = rules.handle(.press(.withRelease), at: 3.5)
        #expect(rules.phase(at: 4) == .recording(seconds: 0.5))
        _ = rules.handle(.release, at: 4)
        _ = rules.handle(.delivered(words: 23), at: 4.25)
        #expect(rules.phase(at: 4.5) == .complete(words: 23, seconds: 1.25))
        #expect(rules.phase(at: 5.5) == .processing(seconds: 1.5))
        _ = rules.handle(.noSpeech, at: 6)
        #expect(rules.phase(at: 6.9) == .noSpeech)
        #expect(rules.phase(at: 7.1) == .idle)
    }

    @Test("an error is shown for 5 s, or until the next key")
    func notices() {
        var rules = PushToTalk()
        _ = rules.handle(.captureFailed("microphone busy: close the other program"), at: 1)
        #expect(rules.phase(at: 5.9) == .error("microphone busy: close the other program"))
        #expect(rules.phase(at: 6.1) == .idle)
        _ = rules.handle(.captureFailed("x"), at: 7)
        _ = rules.handle(.cancel, at: 8)
        #expect(rules.phase(at: 8) == .idle)
        _ = rules.handle(.press(.withRelease), at: 9)
        _ = rules.handle(.release, at: 10)
        _ = rules.handle(.recordingFailed("no"), at: 11)
        #expect(rules.phase(at: 11.5) == .error("no"))
        _ = rules.handle(.press(.withRelease), at: 12)
        #expect(rules.phase(at: 12.05) == .idle)
    }
}
