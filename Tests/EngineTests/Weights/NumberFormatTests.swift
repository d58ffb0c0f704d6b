import Foundation
import Testing

@Suite("Number formats")
struct NumberFormatTests {
    /// Multiples of 1/16 of both signs.
    static let vector: [Float] = [
        -0.8125, -0.375, 0.0625, -1.25, 0.9375, -0.625, -0.1875, 0.25, 0.6875, 1.125, -0.4375, 0, 0.4375, 0.875,
        -0.6875, -0.25, 0.1875, 0.625, 1.0625, -0.5, -0.0625, 0.375, 0.8125, -0.75, -0.3125, 0.125, 0.5625, 1,
        -0.5625, -0.125, 0.3125, 0.75,
    ]
    /// The vector quantized by whisper.cpp's reference code.
    static let blocks: [(ElementType, String)] = [
        (.q4_0, "003193c6f8508ea4d73a6c9fc5e84b7ea4d6"),
        (.q4_1, "113100bd93c6f8508ea4d7396c9fb5e84b7da4d6"),
        (.q5_0, "002d943b67ce268be1a0fc58ae63c92e7ad096eb47ad"),
        (.q5_1, "e72c00bd943b77ce368be1a00d58be74c92f8bd096fc47ad"),
        (.q8_0, "0a21adda06815fc0ed194672d4002c59bae713406ccdfa2653b4e00d3966c7f3204c"),
    ]

    static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    /// Reads a tensor whose bytes start at an odd offset in the file.
    static func read(_ bytes: [UInt8], as type: ElementType, count: Int) throws -> [Float] {
        let folder = try TemporaryFolder()
        let file = try ReadOnlyFile(folder.write([0x55] + bytes))
        let tensor = WeightTensor(
            name: "planted", shape: [count], type: type, file: file, bytes: 1..<(1 + bytes.count))
        let values = try tensor.floats()
        return values.values(0..<values.count)
    }

    @Test("blocks are read by the definition of their type", arguments: blocks)
    func definition(type: ElementType, hexadecimal: String) throws {
        let block = Self.bytes(hexadecimal)
        #expect(block.count == type.blockBytes)
        let values = try Self.read(block, as: type, count: 32)
        #expect(values == Quantizer.values(ofBlock: block, as: type))
        let step = try #require([.q4_0: 0.16, .q4_1: 0.16, .q5_0: 0.08, .q5_1: 0.08, .q8_0: 0.01][type])
        for (value, exact) in zip(values, Self.vector) { #expect(abs(value - exact) <= Float(step) / 2 * 1.1) }
    }

    @Test("the tests' quantizer produces the reference's bytes", arguments: blocks)
    func quantizer(type: ElementType, hexadecimal: String) {
        #expect(Quantizer.bytes(Self.vector, as: type) == Self.bytes(hexadecimal))
    }

    @Test(
        "a block of zeros reads as zeros",
        arguments: [(ElementType.q4_0, 0x88), (.q4_1, 0), (.q5_0, 0), (.q5_1, 0), (.q8_0, 0)])
    func zeros(type: ElementType, quants: Int) throws {
        let block = Quantizer.bytes([Float](repeating: 0, count: 32), as: type)
        #expect(block.last == UInt8(quants))
        #expect(try Self.read(block, as: type, count: 32).allSatisfy { $0 == 0 })
    }

    @Test("all blocks of a tensor longer than the read buffer are read", arguments: blocks.map(\.0))
    func longTensor(type: ElementType) throws {
        let count = 65_536 * 2 + 96
        let values = PlantedNumbers.units(8, [], count: count).map { Float($0 - 0.5) * 3 }
        let bytes = Quantizer.bytes(values, as: type)
        let expected = stride(from: 0, to: bytes.count, by: type.blockBytes).flatMap {
            Quantizer.values(ofBlock: Array(bytes[$0..<($0 + type.blockBytes)]), as: type)
        }
        #expect(try Self.read(bytes, as: type, count: count) == expected)
    }

    @Test("all finite float16 numbers, including subnormals, are read exactly")
    func halves() throws {
        let patterns = (0...UInt16.max).filter { Float16(bitPattern: $0).isFinite }
        let bytes = patterns.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let values = try Self.read(bytes, as: .f16, count: patterns.count)
        #expect(patterns.count == 63_488)
        #expect(zip(values, patterns).allSatisfy { $0.bitPattern == Float(Float16(bitPattern: $1)).bitPattern })
        #expect(values[1] == 0x1p-24)
    }

    @Test("bfloat16 is the upper half of a float32")
    func bfloats() throws {
        let patterns = (0...UInt16.max).filter { Float(bitPattern: UInt32($0) << 16).isFinite }
        let bytes = patterns.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let values = try Self.read(bytes, as: .bf16, count: patterns.count)
        #expect(zip(values, patterns).allSatisfy { $0.bitPattern == UInt32($1) << 16 })
    }

    @Test(
        "NaN and infinity are reported with their index",
        arguments: [0, 1, 31, 65_535, 65_536, 99_999], [Float.nan, .infinity, -.infinity])
    func notFinite(index: Int, value: Float) throws {
        var values = [Float](repeating: 1, count: 100_000)
        values[index] = value
        let folder = try TemporaryFolder()
        for type in [ElementType.f32, .f16, .bf16] {
            let path = try folder.write(Quantizer.bytes(values, as: type))
            let file = try ReadOnlyFile(path)
            let tensor = WeightTensor(
                name: "planted", shape: [100, 1000], type: type, file: file, bytes: 0..<file.count)
            #expect(throws: ModelError.notFinite(path: path, tensor: "planted", index: index)) { try tensor.floats() }
        }
    }

    @Test("a block with an infinite scale is rejected", arguments: blocks)
    func infiniteScale(type: ElementType, hexadecimal: String) throws {
        var block = Self.bytes(hexadecimal)
        block[0...1] = [0x00, 0x7c]
        #expect(throws: ModelError.self) { try Self.read(block, as: type, count: 32) }
    }
}
