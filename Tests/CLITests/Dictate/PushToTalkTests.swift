import Testing
import whisper_local

@Suite("Push to talk")
struct PushToTalkTests {
    private typealias Step = (time: Double, input: PushToTalk.Input?)

    /// Effects with their times; `nil` is the passing of time, which is also looked at every 10 ms.
    private static func play(_ steps: [Step], toggles: Bool = false) -> [String] {
        var rules = PushToTalk(toggles: toggles)
        var told: [String] = []
        var hundredths = 0
        func note(_ effects: [PushToTalk.Effect], _ time: Double) {
            told += effects.map { "\($0) \((time * 100).rounded() / 100)" }
        }
        for step in steps {
            while Double(hundredths + 1) / 100 < step.time {
                hundredths += 1
                let time = Double(hundredths) / 100
                note(rules.tick(at: time), time)
            }
            guard let input = step.input else { continue }
            note(rules.handle(input, at: step.time), step.time)
        }
        return told
    }

    @Test("hold and release make a recording; a slip of less than 0.1 s leaves no trace")
    func exact() {
        #expect(
            Self.play([(1, .press(.exact)), (3, .release), (4, nil)]) == ["begin 1.0", "confirm 1.1", "finish 3.0"])
        #expect(Self.play([(1, .press(.exact)), (1.09, .release), (2, .release)]) == ["begin 1.0", "drop 1.09"])
        #expect(
            Self.play([(1, .press(.exact)), (1.5, .press(.exact)), (2, .release), (2.1, .release)])
                == ["begin 1.0", "confirm 1.1", "finish 2.0"])
    }

    @Test("a key that repeats is held until it stays away for 150 ms")
    func repeating() {
        var steps: [Step] = [(1, .press(.repeating)), (1.5, .press(.repeating))]
        for count in 0..<40 { steps.append((1.5 + Double(count) * 0.033, .press(.repeating))) }
        #expect(Self.play(steps + [(4, nil)]) == ["begin 1.0", "confirm 1.1", "finish 2.94"])
    }

    @Test("a key that does not repeat within 0.7 s was tapped: the next tap ends the recording")
    func tapped() {
        #expect(
            Self.play([(1, .press(.repeating)), (5, .press(.repeating)), (9, nil)])
                == ["begin 1.0", "confirm 1.1", "finish 5.0"])
        // Held down to end it: its repeats begin nothing.
        let held: [Step] = (0..<30).map { (5.5 + Double($0) * 0.033, .press(.repeating)) }
        #expect(
            Self.play([(1, .press(.repeating)), (5, .press(.repeating))] + held + [(9, .press(.repeating))])
                == ["begin 1.0", "confirm 1.1", "finish 5.0", "begin 9.0"])
    }

    @Test("with toggle a press begins and the next one ends, and releases mean nothing")
    func toggled() {
        #expect(
            Self.play(
                [(1, .press(.exact)), (1.05, .release), (3, .press(.exact)), (3.05, .release), (5, nil)], toggles: true)
                == ["begin 1.0", "confirm 1.1", "finish 3.0"])
        let held: [Step] = (0..<30).map { (1.5 + Double($0) * 0.033, .press(.repeating)) }
        #expect(
            Self.play([(1, .press(.repeating))] + held + [(4, .press(.repeating)), (6, nil)], toggles: true)
                == ["begin 1.0", "confirm 1.1", "finish 4.0"])
    }

    @Test("escape and Ctrl-C drop what is being said; Ctrl-C and q end the program only where nothing is")
    func cancelled() {
        #expect(
            Self.play([(1, .press(.exact)), (2, .cancel), (2.5, .release), (3, .interrupt), (4, .press(.exact))])
                == ["begin 1.0", "confirm 1.1", "drop 2.0", "quit 3.0"])
        #expect(
            Self.play([(1, .press(.exact)), (2, .quit), (3, .interrupt), (4, .quit), (5, .interrupt)])
                == ["begin 1.0", "confirm 1.1", "drop 3.0", "quit 4.0"])
    }

    @Test("ten minutes are the most, and sound that ends is a release")
    func limits() {
        #expect(Self.play([(1, .press(.exact)), (700, .release)]).last == "finish 601.0")
        #expect(
            Self.play([(1, .press(.exact)), (2, .soundEnded), (3, .release)])
                == ["begin 1.0", "confirm 1.1", "finish 2.0"])
        #expect(Self.play([(1, .soundEnded)]) == [])
    }

    @Test("what is shown, from idle to the text and back")
    func phases() {
        var rules = PushToTalk()
        #expect(rules.phase(at: 0) == .idle)
        _ = rules.handle(.press(.exact), at: 1)
        #expect(rules.phase(at: 1.05) == .idle)
        #expect(rules.phase(at: 3) == .recording(seconds: 2))
        _ = rules.handle(.release, at: 3)
        #expect(rules.phase(at: 3.5) == .processing(seconds: 0.5))
        // The next one may begin at once; texts come in order.
        _ = rules.handle(.press(.exact), at: 3.5)
        #expect(rules.phase(at: 4) == .recording(seconds: 0.5))
        _ = rules.handle(.release, at: 4)
        _ = rules.handle(.delivered(words: 23), at: 4.25)
        #expect(rules.phase(at: 4.5) == .complete(words: 23, seconds: 1.25))
        #expect(rules.phase(at: 5.5) == .processing(seconds: 1.5))
        _ = rules.handle(.nothingHeard, at: 6)
        #expect(rules.phase(at: 6.9) == .nothingHeard)
        #expect(rules.phase(at: 7.1) == .idle)
        #expect(!rules.isWorking)
    }

    @Test("a notice ends with a press at once, an error after 5 s or with a key")
    func notices() {
        var rules = PushToTalk()
        _ = rules.handle(.trouble("microphone busy: close the other program"), at: 1)
        #expect(rules.phase(at: 5.9) == .error("microphone busy: close the other program"))
        #expect(rules.phase(at: 6.1) == .idle)
        _ = rules.handle(.trouble("x"), at: 7)
        _ = rules.handle(.cancel, at: 8)
        #expect(rules.phase(at: 8) == .idle)
        _ = rules.handle(.press(.exact), at: 9)
        _ = rules.handle(.release, at: 10)
        _ = rules.handle(.failed("no"), at: 11)
        #expect(rules.phase(at: 11.5) == .error("no"))
        _ = rules.handle(.press(.exact), at: 12)
        #expect(rules.phase(at: 12.05) == .idle)
    }
}
