// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Names are those in the fixture files.

import Foundation
import Testing

@Suite("Network")
struct NetworkTests {
    struct DecoderReference: Decodable {
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
    func encoder(name: String, backend: ComputeOptions.Backend) throws {
        let model = try NetworkFixture.model(name, backend)
        let output = try AudioEncoder(model).encode(try NetworkFixture.window(name)).values
        let expected = try Fixtures.floats("model/\(name)/encoder-output.f32")
        #expect(NetworkFixture.error(output, expected) <= NetworkFixture.tolerance)
    }

    @Test(
        "a shorter context equals the network applied to a shorter spectrogram", arguments: NetworkFixture.models,
        NetworkFixture.backends)
    func shortContext(name: String, backend: ComputeOptions.Backend) throws {
        let model = try NetworkFixture.model(name, backend)
        let encoder = try AudioEncoder(model)
        let window = try NetworkFixture.window(name)
        // The full window's remains in the buffers must not affect the result.
        _ = encoder.encode(window)
        let short = Array(window.prefix(200 * model.dimensions.nMels))
        let expected = try Fixtures.floats("model/\(name)/encoder-output-100-positions.f32")
        #expect(
            NetworkFixture.error(encoder.encode(short, positions: 100).values, expected) <= NetworkFixture.tolerance)
        #expect(encoder.encode([], positions: 1).rows == 1)
        let full = try Fixtures.floats("model/\(name)/encoder-output.f32")
        #expect(NetworkFixture.error(encoder.encode(window).values, full) <= NetworkFixture.tolerance)
    }

    @Test(
        "a window of which only the sound is computed equals the reference's, and so do its logits",
        arguments: NetworkFixture.models, NetworkFixture.backends)
    func soundThenSilence(name: String, backend: ComputeOptions.Backend) throws {
        let model = try NetworkFixture.model(name, backend), silence = try #require(model.silentWindow)
        let encoder = try AudioEncoder(model), decoder = try TextDecoder(model, maxRows: 1)
        let window = try NetworkFixture.window(name), bands = model.dimensions.nMels
        // Encoder and decoder are reused: nothing of the windows before may affect the result.
        for (frames, positions, silence) in [
            (3000, 1500, nil), (90, 64, silence), (200, 100, nil), (500, 288, silence),
        ] {
            decoder.attend(
                to: encoder.encode(Array(window.prefix(frames * bands)), positions: positions, then: silence),
                then: silence)
        }
        for _ in 0..<2 {
            let audio = encoder.encode(Array(window.prefix(140 * bands)), positions: 128, then: silence)
            let expected = try Fixtures.floats("model/\(name)/short-window-encoder.f32")
            #expect(NetworkFixture.error(audio.values, expected) <= NetworkFixture.tolerance)
            decoder.attend(to: audio, then: silence)
            let start = model.dimensions.isMultilingual ? 50_258 : 50_257
            let logits = try decoder.start([start, 100], logitsAt: [1])[0]
            #expect(
                NetworkFixture.error(
                    stride(from: 0, to: logits.count, by: 97).map { logits[$0] },
                    try Fixtures.floats("model/\(name)/short-window-logits.f32")) <= NetworkFixture.tolerance)
        }
    }

    @Test(
        "a window that has grown equals the reference's, with the keys and values of earlier passes at its start",
        arguments: NetworkFixture.models, NetworkFixture.backends)
    func grownWindow(name: String, backend: ComputeOptions.Backend) throws {
        let model = try NetworkFixture.model(name, backend), silence = try #require(model.silentWindow)
        let encoder = try AudioEncoder(model, windowsGrow: true), decoder = try TextDecoder(model, maxRows: 1)
        let window = try NetworkFixture.window(name), bands = model.dimensions.nMels
        func attend(_ frames: Int, _ positions: Int, from start: Int = 0) -> [Float] {
            let audio = encoder.encode(
                Array(window.prefix(frames * bands)), positions: positions, from: start, then: silence)
            defer { decoder.attend(to: audio, at: start, then: silence) }
            return audio.values
        }
        func expected(_ part: String) throws -> [Float] {
            try Fixtures.floats("model/\(name)/grown-window-\(part).f32")
        }
        // Nothing of the windows before may affect the result.
        _ = attend(500, 288)
        _ = attend(560, 320, from: 256)
        for _ in 0..<2 {
            _ = attend(140, 128)
            #expect(
                NetworkFixture.error(attend(280, 192, from: 64), try expected("encoder")) <= NetworkFixture.tolerance)
            let start = model.dimensions.isMultilingual ? 50_258 : 50_257
            let logits = try decoder.start([start, 100], logitsAt: [1])[0]
            #expect(
                NetworkFixture.error(
                    stride(from: 0, to: logits.count, by: 97).map { logits[$0] }, try expected("logits"))
                    <= NetworkFixture.tolerance)
        }
    }

    @Test("a window of silence that does not fit into memory is not computed")
    func silenceWithoutMemory() throws {
        let model = try NetworkFixture.model("micro.en", .auto)
        let needs = SilentWindow.bytes(for: model.dimensions, precision: .float32)
        #expect(throws: ComputeError.outOfMemory(bytes: needs)) { try SilentWindow.load(model, memory: needs - 1) }
        _ = try SilentWindow.load(model, memory: needs)
    }

    @Test("silence of any length is encoded like a whole window of it", arguments: NetworkFixture.backends)
    func silence(backend: ComputeOptions.Backend) throws {
        let model = try NetworkFixture.model("micro.en", backend), silence = try #require(model.silentWindow)
        let encoder = try AudioEncoder(model), bands = model.dimensions.nMels
        func silent(_ frames: Int) -> [Float] { [Float](repeating: SilentWindow.level, count: frames * bands) }
        let whole = encoder.encode(silent(3000)).values
        // The convolution differs at the start, where the whole window is silent, too.
        for (frames, positions) in [(0, 32), (10, 32), (64, 32), (640, 320), (2944, 1472), (1, 1472)] {
            let found = encoder.encode(silent(frames), positions: positions, then: silence).values
            #expect(
                NetworkFixture.error(found, Array(whole.prefix(found.count))) <= NetworkFixture.tolerance,
                "\(frames) frames, \(positions) positions")
        }
    }

    @Test(
        "windows that grow, shrink, move or change are encoded as if each was the first",
        arguments: NetworkFixture.backends)
    func overlapping(backend: ComputeOptions.Backend) throws {
        let model = try NetworkFixture.model("micro.en", backend)
        let growing = try AudioEncoder(model, windowsGrow: true)
        let window = try NetworkFixture.window("micro.en"), bands = model.dimensions.nMels
        var changed = window
        changed[150 * bands] += 0.5
        let windows: [(frames: Range<Int>, source: [Float], positions: Int)] = [
            (0..<100, window, 114), (0..<100, window, 114), (0..<173, window, 150), (0..<301, window, 200),
            (0..<301, changed, 200), (0..<160, window, 80), (0..<400, window, 400), (80..<300, window, 128),
            (80..<81, window, 64), (80..<80, window, 64), (0..<3000, window, 1500), (0..<3000, changed, 1500),
            (0..<40, window, 20),
        ]
        for (frames, source, positions) in windows {
            let logMel = Array(source[(frames.lowerBound * bands)..<(frames.upperBound * bands)])
            let expected = try AudioEncoder(model).encode(logMel, positions: positions).values
            let found = growing.encode(logMel, positions: positions).values
            #expect(NetworkFixture.error(found, expected) < 1e-5, "\(frames)")
        }
    }

    @Test("a short window after a full one gives the same logits as alone", arguments: NetworkFixture.backends)
    func shortAfterFull(backend: ComputeOptions.Backend) throws {
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
        "logits equal the reference's, all tokens at once and one by one",
        arguments: NetworkFixture.models, NetworkFixture.backends)
    func logits(name: String, backend: ComputeOptions.Backend) throws {
        let model = try NetworkFixture.model(name, backend)
        let reference: DecoderReference = try Fixtures.json("model/\(name)/decoder.json")
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
            #expect(best == reference.positions[position].top.ids[0])
        }

        let all = try decoder.start(reference.tokens, logitsAt: Array(reference.tokens.indices))
        for (position, row) in all.enumerated() { check(row, position: position) }

        let prefix = reference.incremental_prefix_length
        check(
            try decoder.start(Array(reference.tokens.prefix(prefix)), logitsAt: [prefix - 1])[0], position: prefix - 1)
        var rows: [[Float]] = []
        for position in prefix..<reference.tokens.count {
            // The reference history moves between rows, next to two that diverge.
            let index = position % 3
            var tokens = [1000, 2000, 3000]
            tokens[index] = reference.tokens[position]
            let source = position == prefix ? 0 : (position - 1) % 3
            try decoder.advance(tokens, from: [source, source, source], into: &rows)
            check(rows[index], position: position)
        }
    }

    @Test(
        "scoring tokens together equals one by one, also after truncation",
        arguments: NetworkFixture.backends)
    func together(backend: ComputeOptions.Backend) throws {
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

    @Test("rows do not depend on their neighbors or on earlier windows", arguments: NetworkFixture.backends)
    func independence(backend: ComputeOptions.Backend) throws {
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
