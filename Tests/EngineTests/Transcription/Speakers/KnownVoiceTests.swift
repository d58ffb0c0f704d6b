import Foundation
import Testing

@Suite("Known voices")
struct KnownVoiceTests {
    /// A vector of length 1 whose cosines with the first axes are given.
    private static func vector(_ cosines: Float...) -> [Float] {
        var vector = cosines + Array(repeating: 0, count: KnownVoice.size - cosines.count)
        vector[KnownVoice.size - 1] = (1 - cosines.reduce(0) { $0 + $1 * $1 }).squareRoot()
        return vector
    }

    private static let anna = KnownVoice(name: "Anna", vector: vector(1))
    private static let ben = KnownVoice(name: "Ben", vector: vector(0, 1))

    private static func names(_ speakers: [[Float]], _ voices: [KnownVoice] = [anna, ben]) -> [String?] {
        KnownVoice.names(of: speakers.map { SpeakerVoice(vector: $0, windows: 8) }, among: voices)
    }

    @Test("a voice names a speaker from a cosine of 0.55 on")
    func threshold() {
        #expect(Self.names([Self.vector(0.55), Self.vector(0, 0.95)]) == ["Anna", "Ben"])
        #expect(Self.names([Self.vector(0.549), Self.vector(0, 0.3)]) == [nil, nil])
        #expect(Self.names([], [Self.anna]).isEmpty)
        #expect(Self.names([Self.vector(0.9)], []) == [nil])
    }

    @Test("a speaker who is almost equally similar to two voices is not named")
    func lead() {
        #expect(Self.names([Self.vector(0.69, 0.6)]) == [nil])
        #expect(Self.names([Self.vector(0.71, 0.6)]) == ["Anna"])
        let twin = KnownVoice(name: "Twin", vector: Self.anna.vector)
        #expect(Self.names([Self.vector(0.99)], [Self.anna, twin]) == [nil])
        #expect(Self.anna.isConfusable(with: twin) && !Self.anna.isConfusable(with: Self.ben))
    }

    @Test("a voice names only the most similar speaker, and none of two equal ones")
    func mutual() {
        #expect(Self.names([Self.vector(0.6), Self.vector(0.9), Self.vector(0.7)]) == [nil, "Anna", nil])
        #expect(Self.names([Self.vector(0.9), Self.vector(0.9)]) == [nil, nil])
    }

    /// Readers of the test recordings; the Spanish one may be the same person as the English one.
    private static let readers = ["en", "fr", "it", "ru"]

    private static func source(_ file: String) throws -> any AudioSource {
        try AudioFile.open(FilePath(#require(RealSpeech.recordings).appending(path: file).path))
    }

    private static func enrolled(_ files: [String], name: String = "Anna") async throws -> KnownVoice {
        var enrollment = try VoiceEnrollment(SpeakerFixture.networks(.auto), threads: 2)
        for file in files { try await enrollment.add(source(file)) }
        return try enrollment.voice(named: name)
    }

    /// None of them is part of the conversation.
    private static let long = ["demo-abouttotry", "dir-intro"]

    @Test(
        "voices enrolled from real recordings name these people elsewhere, and nobody else",
        .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
    func real() async throws {
        var voices: [KnownVoice] = []
        for reader in Self.readers {
            voices.append(try await Self.enrolled(Self.long.map { "\(reader)/\($0).wav" }, name: reader))
        }
        for a in voices {
            for b in voices where a.name != b.name { #expect(!a.isConfusable(with: b), "\(a.name) and \(b.name)") }
        }
        let samples = try await SpeakerFixture.conversation()
        let trace = try Diarizer(SpeakerFixture.networks(.auto), threads: 2).trace(
            sampleCount: samples.count, limits: SpeakerLimits(), read: { Array(samples[$0]) })
        let recipe: SpeakerFixture.Conversation = try Fixtures.json("speakers/conversation.json")
        let order = recipe.clips.map { String($0.file.prefix(2)) }.reduce(into: [String]()) { order, reader in
            if !order.contains(reader) { order.append(reader) }
        }
        #expect(KnownVoice.names(of: trace.speakers, among: voices) == order)
        let others = voices.filter { !order.contains($0.name) }
        #expect(!others.isEmpty)
        #expect(KnownVoice.names(of: trace.speakers, among: others) == order.map { _ -> String? in nil })
    }

    @Test(
        "recordings without speech, with too little of it or with several voices are not enrolled",
        .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
    func refused() async throws {
        var enrollment = try VoiceEnrollment(SpeakerFixture.networks(.auto), threads: 2)
        await #expect(throws: VoiceEnrollmentError.noSpeech) {
            try await enrollment.add(SampleSource(Array(repeating: 0, count: 100_000)))
        }
        let talk = try await SpeakerFixture.conversation()
        await #expect(throws: VoiceEnrollmentError.severalVoices(3)) { try await enrollment.add(SampleSource(talk)) }
        let short = try await SpeakerFixture.mix([("en/agent-alreadyon.wav", 0)])
        try await enrollment.add(SampleSource(Array(short.prefix(3 * 16_000))))
        let seconds = enrollment.seconds
        #expect((1..<3.1).contains(seconds))
        #expect(throws: VoiceEnrollmentError.tooLittleSpeech(seconds: seconds)) { try enrollment.voice(named: "Anna") }
        do {
            try await enrollment.add(Self.source("ru/agent-pass.wav"))
            Issue.record("another voice was added")
        } catch VoiceEnrollmentError.anotherVoice(let similarity) {
            #expect(similarity < 0.4)
        }
        #expect(enrollment.seconds == seconds)
    }
}
