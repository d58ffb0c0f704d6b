import Foundation
import Testing

@Suite("Characters in live text")
struct LiveCharactersTests {
    @Test("a last word that ends inside a character is committed without the rest")
    func incompleteEnd() async throws {
        let clip = try #require(try await LiveNetworkTests.clips().first)
        let model = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Models/nano.en.ggml.bin")
        var options = LiveNetworkTests.options(.align)
        options.transcription.language = "en"
        let plain = try await text(clip.samples, model: model, options)
        let word = try #require(plain.split(separator: " ").last).filter(\.isLetter)
        try #require(word.count > 2, "\(plain)")
        // The token of the last word ends with the first two bytes of a character of three.
        var bytes = try Data(contentsOf: model)
        let piece = Data(" \(word)".utf8)
        let record = Data(u32(piece.count)) + piece
        let place = try #require(bytes.range(of: record))
        bytes.replaceSubrange((place.upperBound - 2)..<place.upperBound, with: [0xe4, 0xb8])
        let folder = try TemporaryFolder()
        let changed = folder.url.appending(path: "model.bin")
        try bytes.write(to: changed)
        let found = try await text(clip.samples, model: changed, options)
        #expect(!found.unicodeScalars.contains("\u{FFFD}") && found.contains(" \(word.dropLast(2))"), "\(found)")
    }

    private func text(_ samples: [Float], model: URL, _ options: StreamingOptions) async throws -> String {
        let recognizer = try await Recognizer(
            model: FilePath(model.path(percentEncoded: false)), options: ComputeOptions(threads: 1))
        let state = try await LiveNetworkTests.run(samples, recognizer: recognizer, options: options, seed: 1)
        return state.text
    }
}
