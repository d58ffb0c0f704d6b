package import EngineTranscripts
import Foundation
import Testing

/// The inputs and golden files in `Tests/Fixtures/writers`.
package enum WriterFixture {
    package struct Case: Decodable, CustomTestStringConvertible, Sendable {
        package struct Options: Decodable, Sendable {
            package var maxLineWidth: Int?
            package var maxLineCount: Int?
            package var maxWordsPerLine: Int?
            package var highlightWords: Bool?

            package enum CodingKeys: String, CodingKey {
                case maxLineWidth = "max_line_width"
                case maxLineCount = "max_line_count"
                case maxWordsPerLine = "max_words_per_line"
                case highlightWords = "highlight_words"
            }
        }

        package let input: String
        package let options: Options
        package let format: OutputFormat
        package let golden: String

        package var testDescription: String { golden }
        package var subtitles: SubtitleOptions {
            SubtitleOptions(
                style: .whisper, maxLineWidth: options.maxLineWidth, maxLineCount: options.maxLineCount,
                maxWordsPerLine: options.maxWordsPerLine, highlightWords: options.highlightWords ?? false)
        }
    }

    private struct Index: Decodable { let cases: [Case] }

    private struct Result: Decodable {
        package let text: String
        package let segments: [TranscriptSegment]
        package let language: String
    }

    package static func cases() throws -> [Case] { try Fixtures.json("writers/index.json", as: Index.self).cases }

    package static func transcript(_ name: String) throws -> Transcript {
        let result: Result = try Fixtures.json("writers/\(name)")
        return Transcript(text: result.text, language: result.language, duration: 12.5, segments: result.segments)
    }

    package static func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: Fixtures.url("writers/\(name)")))
    }

    /// Returns a segment with fixed values for everything else.
    package static func segment(
        _ text: String, from start: Double = 0, to end: Double = 1, id: Int = 0, words: [TranscriptWord]? = nil
    ) -> TranscriptSegment {
        TranscriptSegment(
            id: id, seek: 0, start: start, end: end, text: text, tokens: [50363], temperature: 0, avgLogprob: -0.25,
            compressionRatio: 1.25, noSpeechProb: 0.5, words: words)
    }

    package static func transcript(of segments: [TranscriptSegment]) -> Transcript {
        Transcript(text: segments.map(\.text).joined(), language: "en", duration: 10, segments: segments)
    }
}
