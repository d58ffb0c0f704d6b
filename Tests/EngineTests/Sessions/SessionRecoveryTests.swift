import Foundation
import Testing

@Suite("Session recovery")
struct SessionRecoveryTests {
    @Test("segments are appended as finals in order, with monotonic times, unless they have no text")
    func append() async throws {
        let fixture = try StoreFixture()
        var journal: SQLiteJournal? = try fixture.journal("talk")
        try journal?.append([StoreFixture.final(0, 0, 16_001, " one", utterance: 3)], clock: 0)
        let audio = try #require(journal?.savedAudio)
        journal = nil
        #expect(throws: JournalError.noSavedAudio(name: "talk", audio)) {
            try SessionRecovery(fixture.session("talk"), in: fixture.path)
        }
        // Like after a kill: the header is only written every five seconds.
        let recorder = try WAVRecorder(audio, resuming: false)
        try await recorder.append([Float](repeating: 0, count: 40_000))
        #expect(try fixture.store().unrecoveredSamples(of: fixture.session("talk")) == 40_000 - 16_001)
        let recovery = try SessionRecovery(fixture.session("talk"), in: fixture.path)
        #expect(recovery.audio.end == 40_000)
        #expect(recovery.source.duration == .seconds(2.5))
        #expect(try recovery.append(StoreFixture.final(0, 16_000, 17_000, " \n")) == nil)
        let words = [TranscriptWord(word: " two", start: 1, end: 1.0625, probability: 0.5)]
        let second = try recovery.append(StoreFixture.final(1, 16_000, 17_000, " two", words: words))
        #expect(second?.start == 16_001.0 / 16_000 && second?.words?.first?.start == second?.start)
        let third = try recovery.append(StoreFixture.final(2, 3200, 3300, " three"))
        #expect(third?.start == 1.0625 && third?.end == 1.0625)
        try recovery.finish()
        let session = try fixture.session("talk")
        #expect((session.state, session.nextSample) == (.closed, 40_000))
        let finals = try fixture.store().finals(of: session)
        #expect(finals.map(\.text) == [" one", " two", " three"])
        #expect(finals.map(\.utterance) == [3, 5, 6])
        #expect(try fixture.store().unrecoveredSamples(of: session) == nil)
    }
}
