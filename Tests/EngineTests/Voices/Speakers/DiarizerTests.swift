import Foundation
import Testing

@Suite("Who speaks when")
struct DiarizerTests {
    private static func trace(
        _ samples: [Float], limits: SpeakerLimits = SpeakerLimits(), threads: Int = 2,
        networks: SpeakerNetworks? = nil
    ) throws -> Diarizer.Trace {
        try Diarizer(networks ?? SpeakerFixture.networks(), threads: threads).trace(
            sampleCount: samples.count, limits: limits, read: { Array(samples[$0]) })
    }

    /// `[start, end, speaker]` in the golden file.
    private static func turns(_ golden: SpeakerFixture.Golden) throws -> [SpeakerTurn] {
        let numbers = try golden.numbers("turns")
        return stride(from: 0, to: numbers.count, by: 3).map {
            SpeakerTurn(start: Double(numbers[$0]), end: Double(numbers[$0 + 1]), speaker: Int(numbers[$0 + 2]))
        }
    }

    /// Whether both have the same turns, up to a frame of 17 ms.
    private static func agree(_ a: [SpeakerTurn], _ b: [SpeakerTurn]) -> Bool {
        a.count == b.count
            && zip(a, b).allSatisfy {
                abs($0.start - $1.start) < 0.02 && abs($0.end - $1.end) < 0.02 && $0.speaker == $1.speaker
            }
    }

    @Test("windows, regions and turns equal the reference's, given its activity and labels")
    func reference() throws {
        let golden = try SpeakerFixture.Golden("conversation"), duration = 54.0
        let sets = try golden.integers("talk")
        var activity = LocalActivity(windows: sets.count / 589, of: .powerset)
        activity.store(
            LocalActivity.Frames(talking: sets.map { UInt8($0) }, expected: try golden.numbers("expected")), from: 0)
        #expect(activity.windows == LocalActivity.windows(samples: 54 * 16_000, of: .powerset))
        let people = activity.people()
        #expect(people.map(Int.init) == (try golden.integers("people")))
        let windows = VoiceWindows(people: people, duration: duration)
        let expected = try golden.numbers("windows")
        #expect(2 * windows.windows.count == expected.count)
        for (index, window) in windows.windows.enumerated() {
            #expect(abs(window.start - Double(expected[2 * index])) < 1e-4)
            #expect(abs(window.end - Double(expected[2 * index + 1])) < 1e-4)
        }
        let timeline = SpeakerTimeline(
            activity: activity, people: people, windows: windows, similarities: try golden.numbers("similarities"))
        let turns = timeline.turns(duration: duration).turns
        #expect(Self.agree(turns, try Self.turns(golden)) && turns.count > 10)
    }

    @Test("frames have the likeliest set of speakers and the expected number of people")
    func frames() {
        let equal = [Float](repeating: 0, count: 7), sure: [Float] = [-1000, -1000, 1000, -1000, -1000, -1000, -1000]
        let shares: [Float] = [0.1, 0.2, 0.1, 0.1, 0.1, 0.3, 0.1]
        let frames = LocalActivity.Frames(logits: equal + sure + shares.map { log($0) }, version: .powerset)
        #expect(frames.talking == [0b000, 0b010, 0b101])
        let expected: [Float] = [9 / 7, 1, 1.4]
        #expect(greatestDifference(frames.expected, expected) < 1e-6)
    }

    @Test("in the network of 2022, speakers are independent of each other")
    func independentSpeakers() {
        let frames = LocalActivity.Frames(logits: [-20, 20, 20, 1, -1, -20], version: .multilabel)
        #expect(frames.talking == [0b110, 0b001])
        #expect(greatestDifference(frames.expected, [2, 1]) < 1e-6)
    }

    @Test("the speech threshold follows the local maximum of expected people, but is at least 0.5")
    func people() {
        func people(_ expected: [Float]) -> [UInt8] {
            var activity = LocalActivity(windows: 1, of: .powerset)
            let all = expected + [Float](repeating: 0, count: 589 - expected.count)
            activity.store(LocalActivity.Frames(talking: all.map { _ in 0 }, expected: all), from: 0)
            return Array(activity.people().prefix(expected.count))
        }
        #expect(people([0.61, 0.59, 0.99, 1, 1.39, 1.41, 2]) == [1, 0, 1, 1, 1, 2, 2])
        #expect(people([0.51, 0.49, 0.8, 0.49]) == [1, 0, 1, 0])
        // The maximum is looked for within 29 frames.
        for (distance, found) in [(29, 0), (30, 1)] {
            let near = [Float](repeating: 0, count: distance - 1) + [1]
            #expect(people([0.55] + near)[0] == UInt8(found))
        }
    }

    @Test("the whole chain equals the reference", .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
    func chain() async throws {
        let golden = try SpeakerFixture.Golden("conversation"), samples = try await SpeakerFixture.conversation()
        #expect(abs(samples.reduce(0) { $0 + Double($1) } - Double(try golden.numbers("sum")[0])) < 1e-2)
        let trace = try Self.trace(samples)
        #expect(trace.people.map(Int.init) == (try golden.integers("people")))
        #expect(trace.labels == (try golden.integers("labels")))
        let points = try golden.numbers("points")
        #expect(trace.vectors.numbers.count == points.count)
        for row in stride(from: 0, to: points.count, by: 192) {
            let range = row..<(row + 192)
            #expect(SpeakerNetworkTests.cosine(Array(trace.vectors.numbers[range]), Array(points[range])) >= 0.9999)
        }
        #expect(Self.agree(trace.turns, try Self.turns(golden)))
    }

    @Test(
        "the whole chain with the network of 2022 equals the reference",
        .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
    func multilabelChain() async throws {
        let golden = try SpeakerFixture.Golden("conversation-multilabel")
        let trace = try Self.trace(
            await SpeakerFixture.conversation(), networks: SpeakerFixture.networks(.float32, .multilabel))
        #expect(trace.people.map(Int.init) == (try golden.integers("people")))
        #expect(trace.labels == (try golden.integers("labels")))
        #expect(Self.agree(trace.turns, try Self.turns(golden)) && Set(trace.turns.map(\.speaker)).count > 1)
    }

    @Test(
        "the default number format finds the three speakers, with the same result for any number of threads",
        .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
    func threads() async throws {
        let samples = try await SpeakerFixture.conversation(), networks = try SpeakerFixture.networks(.auto)
        let one = try Self.trace(samples, threads: 1, networks: networks)
        let three = try Self.trace(samples, threads: 3, networks: networks)
        #expect(one.turns == three.turns && one.vectors.numbers == three.vectors.numbers)
        #expect(Set(one.turns.map(\.speaker)) == [0, 1, 2])
    }

    @Test(
        "limits apply to the whole chain", .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason),
        arguments: [1, 2, 4])
    func limits(count: Int) async throws {
        let samples = try await SpeakerFixture.conversation()
        let turns = try Self.trace(samples, limits: SpeakerLimits(exactly: count)).turns
        #expect(Set(turns.map(\.speaker)) == Set(0..<count))
        #expect(turns.map(\.speaker).first == 0)
    }

    @Test(
        "silence, noise, tones, constants and no sound at all have no speakers",
        .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason),
        arguments: ["empty", "sample", "silence", "noise", "tone", "constant", "long silence", "not finite"])
    func nothing(kind: String) throws {
        let count = 5 * 16_000
        let samples: [Float] =
            switch kind {
            case "empty": []
            case "sample": [0.5]
            case "silence": Array(repeating: 0, count: count)
            case "noise": PlantedNumbers.units(3, [], count: count).map { Float($0 - 0.5) / 5 }
            case "tone": (0..<count).map { Float(sin(2 * Double.pi * 440 * Double($0) / 16_000)) / 2 }
            case "constant": Array(repeating: 0.7, count: count)
            case "long silence": Array(repeating: 0, count: 31 * 16_000 + 17)
            default: Array(repeating: .nan, count: count)
            }
        #expect(try Self.trace(samples).turns.isEmpty)
    }

    @Test(
        "short clips and single speakers are one speaker", .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason),
        arguments: [0.3, 0.8, 3, 5.5])
    func one(seconds: Double) async throws {
        let all = try await SpeakerFixture.mix([("en/agent-alreadyon.wav", 0)])
        let samples = Array(all.prefix(Int(seconds * 16_000)))
        let turns = try Self.trace(samples).turns
        #expect(Set(turns.map(\.speaker)) == [0])
        #expect(turns.allSatisfy { $0.start >= 0 && $0.end <= Double(samples.count) / 16_000 && $0.start < $0.end })
    }

    @Test(
        "music alone has no speakers, and soft music under the talk changes neither their number nor their turns much",
        .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
    func music() async throws {
        let samples = try await SpeakerFixture.conversation(), music = Self.music(count: samples.count)
        #expect(try Self.trace(Array(music.prefix(20 * 16_000))).turns.isEmpty)
        func power(_ samples: [Float]) -> Float { samples.reduce(0) { $0 + $1 * $1 } }
        // 20 dB below the talk.
        let gain = (power(samples) / power(music) / 100).squareRoot()
        let networks = try SpeakerFixture.networks(.auto)
        let clean = try Self.trace(samples, networks: networks).turns
        let mixed = try Self.trace(zip(samples, music).map { $0 + gain * $1 }, networks: networks).turns
        #expect(Set(mixed.map(\.speaker)) == [0, 1, 2])
        // A tenth of a second at a time.
        func speakers(_ turns: [SpeakerTurn], _ tenth: Int) -> Set<Int> {
            let time = (Double(tenth) + 0.5) / 10
            return Set(turns.filter { $0.start <= time && time < $0.end }.map(\.speaker))
        }
        let same = (0..<540).count { speakers(clean, $0) == speakers(mixed, $0) }
        #expect(same > 486, "\(same) of 540")
    }

    /// Chords of three decaying notes with overtones, two a second.
    private static func music(count: Int) -> [Float] {
        let chords: [[Double]] = [
            [261.6, 329.6, 392], [220, 261.6, 329.6], [174.6, 220, 261.6], [196, 246.9, 293.7],
        ]
        return (0..<count).map { index -> Float in
            let time = Double(index) / 16_000, beat = Int(time * 2), decay = exp(-3 * (time - Double(beat) / 2))
            let notes = chords[beat / 4 % chords.count].reduce(0.0) { sum, pitch -> Double in
                sum
                    + (1...4).reduce(0.0) { sum, overtone -> Double in
                        let phase = 2 * Double.pi * pitch * Double(overtone) * time
                        return sum + sin(phase) / Double(overtone * overtone)
                    }
            }
            return Float(0.1 * decay * notes)
        }
    }

    @Test(
        "one voice that answers itself is one speaker", .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
    func sameVoice() async throws {
        let samples = try await SpeakerFixture.mix([
            ("en/agent-alreadyon.wav", 0), ("en/agent-newlocation.wav", 7), ("en/agent-alreadyon.wav", 12),
        ])
        #expect(Set(try Self.trace(samples).turns.map(\.speaker)) == [0])
    }

    @Test("the level does not matter", .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
    func level() async throws {
        let samples = Array(try await SpeakerFixture.conversation().prefix(20 * 16_000))
        let turns = try Self.trace(samples).turns, quiet = try Self.trace(samples.map { $0 / 20 }).turns
        #expect(!turns.isEmpty && turns.map(\.speaker) == quiet.map(\.speaker))
    }

    @Test("errors of the recording are thrown", .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
    func failure() throws {
        struct Unreadable: Error {}
        #expect(throws: Unreadable.self) {
            try Diarizer(SpeakerFixture.networks(), threads: 2)
                .trace(sampleCount: 200_000, read: { _ in throw Unreadable() })
        }
    }
}
