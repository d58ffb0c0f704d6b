import Testing
import WhisperCommands

@Suite("Time syntax")
struct TimeSyntaxTests {
    @Test(
        "times are seconds, minutes and seconds, or hours, minutes and seconds",
        arguments: [
            ("90", 90), ("12.5", 12.5), ("1:30", 90), ("01:02:03.5", 3723.5), ("0:00.001", 0.001), ("100:00", 6000),
            ("0", 0),
        ] as [(String, Double)])
    func times(text: String, seconds: Double) {
        #expect(TimeSyntax.seconds(Array(text.utf8)) == seconds)
    }

    @Test(
        "malformed and negative times are rejected",
        arguments: [
            "", ":", "1:99", "1:60:00", "-5", "1:-2", "1:2:3:4", ":30", "1:", "1:+2", "1:1e1", "1:.5", "a:b",
            "1.5:00", "9999999:00",
        ])
    func noTimes(text: String) {
        #expect(TimeSyntax.seconds(Array(text.utf8)) == nil)
    }
}
