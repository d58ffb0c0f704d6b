import Foundation
import Testing

@Suite("Quantization")
struct QuantizationTests {
    static let quantized: [ElementType] = [.q4_0, .q4_1, .q5_0, .q5_1, .q8_0]
    static let backend = ComputeOptions.Backend.openblas

    private static func encoded(_ values: [Float], as type: ElementType) throws -> [UInt8] {
        try Tensor(values).encoded(0..<values.count, as: type).bytes
    }

    @Test("the vector is encoded as by whisper.cpp's reference code", arguments: NumberFormatTests.blocks)
    func vector(type: ElementType, hexadecimal: String) throws {
        #expect(try Self.encoded(NumberFormatTests.vector, as: type) == NumberFormatTests.bytes(hexadecimal))
    }

    @Test(
        "blocks of every kind are encoded as by whisper.cpp's library, bit for bit",
        arguments: quantized + [.f16, .bf16])
    func golden(type: ElementType) throws {
        let values = try Fixtures.floats("quantization/values.f32")
        let expected = [UInt8](try Data(contentsOf: Fixtures.url("quantization/\(type.rawValue.lowercased()).bin")))
        let bytes = try Self.encoded(values, as: type)
        #expect(expected.count == values.count / type.blockLength * type.blockBytes)
        for at in stride(from: 0, to: expected.count, by: type.blockBytes) {
            let block = Array(bytes[at..<(at + type.blockBytes)])
            #expect(block == Array(expected[at..<(at + type.blockBytes)]), "block \(at / type.blockBytes)")
        }
    }

    /// Blocks of magnitudes from 1e-4 to 1e4: dense, sparse, constant and of few distinct values.
    private static func blocks(_ count: Int) -> [Float] {
        (0..<count).flatMap { block -> [Float] in
            let units = PlantedNumbers.units(91, [block], count: 33)
            let magnitude = Float(exp(units[32] * 18.4 - 9.2))
            return units[..<32].map { unit in
                let value = (Float(unit) - 0.5) * magnitude
                return switch block % 5 {
                case 0: unit < 0.8 ? 0 : value
                case 1: (value / magnitude * 8).rounded() * magnitude
                case 2 where block % 3 == 0: magnitude
                default: value
                }
            }
        }
    }

    @Test(
        "4505 blocks are encoded as by a plain implementation, and the error is that of their values",
        arguments: quantized)
    func plain(type: ElementType) throws {
        let values = Self.blocks(4505)
        let found = try Tensor(values).encoded(0..<values.count, as: type)
        #expect(found.bytes == Quantizer.bytes(values, as: type))
        let decoded = stride(from: 0, to: found.bytes.count, by: type.blockBytes).flatMap {
            Quantizer.values(ofBlock: Array(found.bytes[$0..<($0 + type.blockBytes)]), as: type)
        }
        let differences = zip(decoded, values).map { abs(Double($0) - Double($1)) }
        #expect(found.error.count == values.count)
        #expect(found.error.largest == differences.max())
        let squares = differences.reduce(0) { $0 + $1 * $1 }
        #expect(abs(found.error.rootMeanSquare / (squares / Double(values.count)).squareRoot() - 1) < 1e-9)
    }

    @Test(
        "threads and the position in the tensor change neither bytes nor error",
        arguments: quantized + [.f32, .f16, .bf16])
    func threads(type: ElementType) throws {
        let values = Self.blocks(10_000)
        let alone = try Tensor(values).encoded(0..<values.count, as: type)
        let backend = try ComputeOptions(backend: Self.backend, threads: 3).makeBackend()
        let tensor = try Tensor([Float](repeating: 7, count: 64) + values + [7])
        let shared = try tensor.encoded(64..<(64 + values.count), as: type, by: backend)
        #expect(shared.bytes == alone.bytes)
        #expect(shared.error == alone.error)
    }

    @Test("floating-point formats keep what they can represent", arguments: [ElementType.f32, .f16, .bf16])
    func exact(type: ElementType) throws {
        func value(_ pattern: UInt16) -> Float {
            type == .bf16 ? Float(bitPattern: UInt32(pattern) << 16) : Float(Float16(bitPattern: pattern))
        }
        let patterns = (0...UInt16.max).filter { value($0).isFinite }
        let values = patterns.map(value)
        let encoded = try Tensor(values).encoded(0..<values.count, as: type)
        #expect(encoded.error.largest == 0)
        let little = patterns.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let expected = type == .f32 ? Quantizer.bytes(values, as: .f32) : little
        #expect(encoded.bytes == expected)
    }

    static let extremes: [(ElementType, Float, Bool)] = [
        (.f16, 65_520, true), (.f16, 65_519, false), (.bf16, .greatestFiniteMagnitude, true),
        (.bf16, 3.3895e38, false), (.f32, .greatestFiniteMagnitude, false), (.q8_0, 8_321_040, true),
        (.q8_0, 8_318_500, false), (.q4_0, -524_160, true), (.q5_0, 1_048_320, true),
        (.q4_1, 983_100, true), (.q4_1, -65_520, true), (.q5_1, 2_031_740, true),
        (.q5_1, .greatestFiniteMagnitude, true),
    ]

    @Test("a number or scale that is too large for the format is reported with its index", arguments: extremes)
    func range(type: ElementType, value: Float, isTooLarge: Bool) throws {
        for index in [0, 37, 70_000, 131_071] {
            var values = [Float](repeating: 0.5, count: 131_072)
            values[index] = value
            let tensor = try Tensor(values)
            if isTooLarge {
                let reported = index / type.blockLength * type.blockLength
                #expect(throws: Tensor.RangeError(index: reported)) {
                    try tensor.encoded(0..<values.count, as: type)
                }
            } else {
                #expect(try tensor.encoded(0..<values.count, as: type).bytes.isEmpty == false)
            }
        }
    }
}
