import Testing

@Suite("Pieces of a recording")
struct SpeechPiecesTests {
    private static let second = 16_000

    private static func pieces(
        _ speech: [Range<Double>], clips: [Range<Double>], longest: Int = 30, _ samples: [Float] = []
    ) throws -> [Range<Double>] {
        func whole(_ ranges: [Range<Double>]) -> [Range<Int>] {
            ranges.map { Int($0.lowerBound * 16_000)..<Int($0.upperBound * 16_000) }
        }
        var pieces = SpeechPieces(
            clips: whole(clips), speech: whole(speech), longest: longest * second,
            read: { range in range.map { $0 < samples.count ? samples[$0] : 0 } })
        var found: [Range<Double>] = []
        while let piece = try pieces.next() {
            #expect(piece.count <= longest * second)
            found.append(Double(piece.lowerBound) / 16_000..<Double(piece.upperBound) / 16_000)
        }
        #expect(pieces.start == nil)
        return found
    }

    @Test("speech with short pauses is one piece, and a part of the pause after it belongs to it")
    func together() throws {
        #expect(
            try Self.pieces([1..<3, 3.5..<8, 9..<12, 20..<25], clips: [0..<60]) == [1..<12.5, 20..<25])
        #expect(try Self.pieces([1..<3, 3.25..<8], clips: [0..<60], longest: 6) == [1..<3.125, 3.25..<8])
        #expect(try Self.pieces([], clips: [0..<60]).isEmpty)
    }

    @Test("too much speech for a piece ends in the longest of the last pauses")
    func longestPause() throws {
        let speech: [Range<Double>] = [0..<10, 11.5..<19, 20..<24, 24.25..<28, 28.5..<35]
        #expect(try Self.pieces(speech, clips: [0..<60]) == [0..<19.5, 20..<35])
    }

    @Test("clips are separate, and speech outside is left out")
    func clips() throws {
        #expect(
            try Self.pieces([1..<9, 9.5..<20], clips: [2..<4, 8..<10]) == [2..<4, 8..<9.25, 9.5..<10].merged(1...2))
        #expect(try Self.pieces([1..<9], clips: [12..<14]).isEmpty)
    }

    /// Numbers of half a second without a pause between them, each louder in its middle, spoken from 1 to 300.
    @Test("numbers spoken without a pause are never cut, wherever they begin", arguments: 0..<60)
    func numbers(offset: Int) throws {
        let start = offset * Self.second / 2 + 160 * offset, length = Self.second / 2
        var samples = [Float](repeating: 0, count: start)
        for number in 0..<300 {
            for i in 0..<length {
                // A voice of 150 Hz that is weak for 60 ms between two numbers.
                let edge = min(i, length - i), level: Float = edge < 480 ? 0.01 : 0.3
                samples.append(level * ((i + number) % 107 < 53 ? 1 : -1))
            }
        }
        let end = Double(samples.count) / 16_000, first = Double(start) / 16_000
        let pieces = try Self.pieces([first..<end], clips: [0..<end], samples)
        #expect(pieces.first?.lowerBound == first && pieces.last?.upperBound == end)
        #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        for piece in pieces.dropFirst() {
            let inNumber = Int((piece.lowerBound * 16_000).rounded() - Double(start)) % length
            #expect(min(inNumber, length - inNumber) <= 480 + 160, "cut \(inNumber) samples into a number")
        }
        #expect(pieces.count >= 5 && pieces.dropLast().allSatisfy { $0.upperBound - $0.lowerBound >= 17 })
    }
}

extension Array<Range<Double>> {
    /// With those in a range of indices joined.
    fileprivate func merged(_ indices: ClosedRange<Int>) -> [Range<Double>] {
        self[..<indices.lowerBound] + [self[indices.lowerBound].lowerBound..<self[indices.upperBound].upperBound]
            + self[(indices.upperBound + 1)...]
    }
}
