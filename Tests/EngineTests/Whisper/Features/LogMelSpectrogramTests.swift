// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Names are those in the fixture files.

import Foundation
import Testing

@Suite("Log-mel spectrogram")
struct LogMelSpectrogramTests {
    /// The documented error bound; values span a range of 2.
    static let tolerance: Float = 1e-4

    @Test("filters are bit-equal to the published ones", arguments: [80, 128])
    func filters(bands: Int) throws {
        let published = try Fixtures.floats("mel/filters-\(bands).f32")
        let computed = LogMelSpectrogram.filters(bands: bands).flatMap { $0 }
        #expect(computed.map(\.bitPattern) == published.map(\.bitPattern))
    }

    @Test("a clip's spectrogram equals the reference's", arguments: [80, 128], ["whole", "window"])
    func clip(bands: Int, kind: String) throws {
        let samples = try MelFixture.samples("mel/espeak-fox.wav")
        // For the window fixture the clip was first padded to 30 s, which changes neither frames nor maximum.
        let reference = try MelFixture("mel/espeak-fox-\(kind)-\(bands)")
        let frames = MelFixture.scaled(samples, bands: bands, frames: 0..<reference.frames)
        #expect(greatestDifference(frames, reference.window(reference.frames)) < Self.tolerance)
    }

    @Test("frames do not depend on the window they are computed in")
    func windows() throws {
        let samples = try MelFixture.samples("mel/espeak-fox.wav")
        let whole = MelFixture.scaled(samples, bands: 80, frames: 0..<503)
        for range in [0..<1, 7..<30, 100..<503, 501..<503] {
            #expect(
                MelFixture.scaled(samples, bands: 80, frames: range)
                    == Array(whole[(range.lowerBound * 80)..<(range.upperBound * 80)]))
        }
    }

    struct Lengths: Decodable {
        struct Case: Decodable {
            let length: Int
            let signal: String?
            let frames: Int
            let content_frames: Int
            let column0: [Float]
            let column_last_content: [Float]?
            let column50: [Float]?
        }
        let cases: [Case]
    }

    @Test("recordings of any length agree with the reference at both ends")
    func lengths() throws {
        let cases = try Fixtures.json("mel/lengths.json", as: Lengths.self).cases
        #expect(cases.count == 12)
        for one in cases {
            let samples: [Float] = (0..<one.length).map { n in
                switch one.signal {
                case "zeros": return 0
                case "impulse": return n == one.length / 2 ? 1 : 0
                default:
                    let t = 2 * Double.pi * Double(n) / 16_000
                    return Float(0.5 * sin(440 * t) + 0.25 * sin(3000 * t))
                }
            }
            #expect(LogMelSpectrogram.contentFrames(samples: one.length) == one.content_frames)
            let last = max(0, one.content_frames - 1)
            let columns = [(0, one.column0), (last, one.column_last_content), (50, one.column50)]
            for case (let frame, let column?) in columns {
                let computed = MelFixture.scaled(samples, bands: 80, frames: frame..<(frame + 1))
                #expect(
                    greatestDifference(computed, column) < Self.tolerance,
                    "length \(one.length), \(one.signal ?? "sines"), frame \(frame)")
            }
        }
    }
}
