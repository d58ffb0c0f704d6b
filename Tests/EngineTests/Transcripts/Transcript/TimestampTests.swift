import Testing

@Suite("Timestamps")
struct TimestampTests {
    private struct Golden: Decodable {
        struct Case: Decodable {
            let seconds: Double
            let vtt: String
            let srt: String
            let tsv: Int
        }
        let cases: [Case]
    }

    @Test("times are rounded and formatted like openai-whisper's")
    func golden() throws {
        let cases = try Fixtures.json("writers/timestamps.json", as: Golden.self).cases
        #expect(cases.count == 22)
        for example in cases {
            let stamp = Timestamp(seconds: example.seconds)
            #expect(stamp.milliseconds == example.tsv)
            #expect(stamp.vtt == example.vtt)
            #expect(stamp.srt == example.srt)
        }
    }

    @Test(
        "the console form has hours from one hour on",
        arguments: [
            (0.0, 3.2, "[00:00.000 --> 00:03.200]"), (3599.9, 3600.0, "[59:59.900 --> 01:00:00.000]"),
        ])
    func console(start: Double, end: Double, expected: String) {
        #expect(Timestamp.span(from: start, to: end) == expected)
    }

    @Test(
        "invalid times are clamped to the nearest valid time",
        arguments: [
            (-1.0, 0), (.nan, 0), (-.infinity, 0), (.infinity, 1 << 53), (1e300, 1 << 53), (-0.0, 0), (-0.0004, 0),
        ])
    func impossible(seconds: Double, milliseconds: Int) {
        let stamp = Timestamp(seconds: seconds)
        #expect(stamp.milliseconds == milliseconds)
        #expect(stamp.srt.hasSuffix(milliseconds == 0 ? "00:00:00,000" : ",992"))
    }

    @Test(
        "messages show whole seconds, with hours if there are any",
        arguments: [(0, "0:00"), (751.9, "12:31"), (3723, "1:02:03"), (-1, "0:00")] as [(Double, String)]
    )
    func clocks(seconds: Double, text: String) {
        #expect(Timestamp.clock(seconds) == text)
    }
}
