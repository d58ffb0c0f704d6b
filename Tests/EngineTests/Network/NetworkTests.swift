// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Names are those of the stored files.

import Foundation
import Testing
import WhisperEngine

@Suite("Network")
struct NetworkTests {
    struct DecoderOracle: Decodable {
        struct Position: Decodable {
            struct Top: Decodable {
                let ids: [Int]
                let logits: [Float]
            }
            let top: Top
        }
        let tokens: [Int]
        let incremental_prefix_length: Int
        let positions: [Position]
    }

    @Test("encoder output equals the reference", arguments: NetworkFixture.models, NetworkFixture.backends)
    func encoder(name: String, backend: BackendChoice) throws {
        let model = try NetworkFixture.model(name, backend)
        let output = try AudioEncoder(model).encode(try NetworkFixture.window(name)).values
        let expected = try Fixtures.floats("model/\(name)/encoder-output.f32")
        #expect(NetworkFixture.error(output, expected) <= NetworkFixture.tolerance)
    }

    @Test(
        "a shorter context is the same network on a shorter spectrogram", arguments: NetworkFixture.models,
        NetworkFixture.backends)
    func shortContext(name: String, backend: BackendChoice) throws {
        let model = try NetworkFixture.model(name, backend)
        let encoder = try AudioEncoder(model)
        let window = try NetworkFixture.window(name)
        // What the full window leaves in the buffers must not be heard.
        _ = encoder.encode(window)
        let short = Array(window.prefix(200 * model.dimensions.nMels))
        let expected = try Fixtures.floats("model/\(name)/encoder-output-100-positions.f32")
        #expect(
            NetworkFixture.error(encoder.encode(short, positions: 100).values, expected) <= NetworkFixture.tolerance)
        #expect(encoder.encode([], positions: 1).rows == 1)
        let full = try Fixtures.floats("model/\(name)/encoder-output.f32")
        #expect(NetworkFixture.error(encoder.encode(window).values, full) <= NetworkFixture.tolerance)
    }

    @Test("a decoder that has heard a full window hears a short one alone", arguments: NetworkFixture.backends)
    func shortAfterFull(backend: BackendChoice) throws {
        let model = try NetworkFixture.model("micro.en", backend)
        let encoder = try AudioEncoder(model)
        let window = try NetworkFixture.window("micro.en")
        let short = Array(window.prefix(140 * model.dimensions.nMels))
        func logits(_ decoder: TextDecoder) throws -> [Float] {
            decoder.attend(to: encoder.encode(short, positions: 70))
            return try decoder.start([50_257, 100], logitsAt: [1])[0]
        }
        let used = try TextDecoder(model, maxRows: 1)
        used.attend(to: encoder.encode(window))
        let found = try logits(used), expected = try logits(try TextDecoder(model, maxRows: 1))
        #expect(found == expected)
        used.attend(to: encoder.encode(window))
        #expect(try used.start([50_257, 100], logitsAt: [1])[0] != expected)
    }

    @Test(
        "logits equal the reference, all tokens at once and one by one",
        arguments: NetworkFixture.models, NetworkFixture.backends)
    func logits(name: String, backend: BackendChoice) throws {
        let model = try NetworkFixture.model(name, backend)
        let oracle: DecoderOracle = try Fixtures.json("model/\(name)/decoder.json")
        let everyColumn = try Fixtures.floats("model/\(name)/logits-first-rows.f32")
        let someColumns = try Fixtures.floats("model/\(name)/logits-every-97th.f32")
        let size = model.dimensions.nVocab, columns = (size + 96) / 97
        let decoder = try TextDecoder(model, maxRows: 3)
        decoder.attend(to: try AudioEncoder(model).encode(try NetworkFixture.window(name)))

        func check(_ row: [Float], position: Int) {
            #expect(row.count == size)
            let some = stride(from: 0, to: size, by: 97).map { row[$0] }
            let expected = Array(someColumns[(position * columns)..<((position + 1) * columns)])
            #expect(NetworkFixture.error(some, expected) <= NetworkFixture.tolerance, "position \(position)")
            if position < 4 {
                let expected = Array(everyColumn[(position * size)..<((position + 1) * size)])
                #expect(NetworkFixture.error(row, expected) <= NetworkFixture.tolerance)
            }
            let best = row.indices.max { row[$0] < row[$1] }
            #expect(best == oracle.positions[position].top.ids[0])
        }

        let all = try decoder.start(oracle.tokens, logitsAt: Array(oracle.tokens.indices))
        for (position, row) in all.enumerated() { check(row, position: position) }

        let prefix = oracle.incremental_prefix_length
        check(
            try decoder.start(Array(oracle.tokens.prefix(prefix)), logitsAt: [prefix - 1])[0], position: prefix - 1)
        var rows: [[Float]] = []
        for position in prefix..<oracle.tokens.count {
            // The true history moves from row to row beside two that go another way.
            let place = position % 3
            var tokens = [1000, 2000, 3000]
            tokens[place] = oracle.tokens[position]
            let source = position == prefix ? 0 : (position - 1) % 3
            try decoder.advance(tokens, from: [source, source, source], into: &rows)
            check(rows[place], position: position)
        }
    }

    @Test(
        "tokens scored together are scored as one by one, also behind some that were taken back",
        arguments: NetworkFixture.backends)
    func together(backend: BackendChoice) throws {
        let decoder = try RandomModel("micro.en", backend, rows: 3).decoder
        let start = [50_257, 50_362], tokens = Array(100..<112)
        var truth: [[Float]] = []
        var row: [[Float]] = []
        _ = try decoder.start(start, logitsAt: [0])
        for token in tokens {
            try decoder.advance([token], from: [0], into: &row)
            truth += row
        }
        var found: [[Float]] = []
        _ = try decoder.start(start, logitsAt: [0])
        try decoder.score(Array(tokens[..<5]), into: &row)
        found += row
        try decoder.score([7, 8, 9], into: &row)
        decoder.truncate(to: 7)
        try decoder.score(Array(tokens[5...]), into: &row)
        found += row.prefix(6)
        decoder.truncate(to: 13)
        try decoder.advance([111], from: [0], into: &row)
        found += row
        #expect(found.count == truth.count)
        for (row, expected) in zip(found, truth) { #expect(NetworkFixture.error(row, expected) < 1e-5) }
    }

    @Test("rows do not depend on their neighbours or on earlier windows", arguments: NetworkFixture.backends)
    func independence(backend: BackendChoice) throws {
        let model = try NetworkFixture.model("micro.en", backend)
        let encoder = try AudioEncoder(model)
        let window = try NetworkFixture.window("micro.en")
        let decoder = try TextDecoder(model, maxRows: 12)
        decoder.attend(to: encoder.encode(window))
        var many: [[Float]] = []
        var one: [[Float]] = []
        _ = try decoder.start([50_257], logitsAt: [0])
        try decoder.advance(Array(100..<112), from: [Int](repeating: 0, count: 12), into: &many)
        _ = encoder.encode([Float](window.reversed()))
        decoder.attend(to: encoder.encode(window))
        _ = try decoder.start([50_257], logitsAt: [0])
        try decoder.advance([107], from: [0], into: &one)
        #expect(NetworkFixture.error(one[0], many[7]) < 1e-5)
    }
}
