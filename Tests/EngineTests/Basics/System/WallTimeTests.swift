import Foundation
import Testing

@Suite("Wall time")
struct WallTimeTests {
    @Test("formatting and parsing agree with Foundation over 3000 years")
    func agrees() {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        var generator = SplitMix64(seed: 3)
        let edges = [0, 951_782_400_000, 4_107_542_399_999, -1, 1_709_164_800_000, -11_670_998_400_000]
        for milliseconds in edges
            + (0..<5000).map({ _ in Int.random(in: -11_000_000_000_000...80_000_000_000_000, using: &generator) })
        {
            let time = WallTime(milliseconds: milliseconds)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            #expect(time.description == formatter.string(from: date))
            #expect(WallTime(time.description) == time)
        }
    }

    @Test(
        "malformed and impossible times are rejected",
        arguments: [
            "", "2026-02-29T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-01-01T24:00:00.000Z",
            "2026-01-01 00:00:00.000Z", "2026-01-01T00:00:00.000", "2026-01-01T00:00:0x.000Z",
            "٢026-01-01T00:00:00.000Z",
        ])
    func rejected(text: String) { #expect(WallTime(text) == nil) }

    @Test("the current time is after this test was written")
    func now() { #expect(WallTime.now.milliseconds > 1_700_000_000_000) }
}
