package import EngineWeights
package import TestModels

/// Quantizes like whisper.cpp's reference code: in float32, with the inverse of the unrounded scale, and stored scales
/// rounded to nearest even.
package enum Quantizer {
    /// The numbers of tensor types in ggml files.
    package static let numbers: [ElementType: Int] = [
        .f32: 0, .f16: 1, .q4_0: 2, .q4_1: 3, .q5_0: 6, .q5_1: 7, .q8_0: 8, .bf16: 30,
    ]
    /// The file types in the header; quantized ones are of version 2.
    package static let fileTypes: [ElementType: Int] = [
        .f32: 0, .f16: 1, .q4_0: 2002, .q4_1: 2003, .q8_0: 2007, .q5_0: 2008, .q5_1: 2009, .bf16: 24,
    ]

    package static func bytes(_ values: [Float], as type: ElementType) -> [UInt8] {
        switch type {
        case .f32: values.flatMap { little($0.bitPattern) }
        case .f16: values.flatMap(half)
        case .bf16: values.flatMap { little(UInt16(truncatingIfNeeded: roundedBits($0) >> 16)) }
        default:
            stride(from: 0, to: values.count, by: 32).flatMap { block(Array(values[$0..<($0 + 32)]), as: type) }
        }
    }

    /// The values of a block by the definition of its type.
    package static func values(ofBlock block: [UInt8], as type: ElementType) -> [Float] {
        func half(_ at: Int) -> Float { Float(Float16(bitPattern: UInt16(block[at]) | UInt16(block[at + 1]) << 8)) }
        let d = half(0)
        if type == .q8_0 { return (0..<32).map { Float(Int8(bitPattern: block[2 + $0])) * d } }
        let hasMinimum = type == .q4_1 || type == .q5_1, hasFifth = type == .q5_0 || type == .q5_1
        let m = hasMinimum ? half(2) : 0
        let fifthAt = hasMinimum ? 4 : 2
        let fifth = hasFifth ? (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[fifthAt + $1]) << (8 * $1) } : 0
        let quants = block[(fifthAt + (hasFifth ? 4 : 0))...].map { Int($0) }
        return (0..<32).map { e in
            let q = (e < 16 ? quants[e] & 15 : quants[e - 16] >> 4) + (fifth >> UInt32(e) & 1 == 1 ? 16 : 0)
            return hasMinimum ? Float(q) * d + m : Float(q - (hasFifth ? 16 : 8)) * d
        }
    }

    private static func block(_ x: [Float], as type: ElementType) -> [UInt8] {
        switch type {
        case .q4_0: signed(x, levels: 16)
        case .q5_0: signed(x, levels: 32)
        case .q4_1: ranged(x, levels: 16)
        case .q5_1: ranged(x, levels: 32)
        default: wide(x)
        }
    }

    /// Q4_0 and Q5_0: the element of largest magnitude maps to 0.
    private static func signed(_ x: [Float], levels: Int) -> [UInt8] {
        var greatest: Float = 0
        for value in x where abs(value) > abs(greatest) { greatest = value }
        let middle = Float(levels / 2)
        let d = greatest / -middle
        let inverse: Float = d != 0 ? 1 / d : 0
        return half(d) + pack(x.map { min(levels - 1, Int($0 * inverse + (middle + 0.5))) }, levels: levels)
    }

    /// Q4_1 and Q5_1: the range from minimum to maximum.
    private static func ranged(_ x: [Float], levels: Int) -> [UInt8] {
        let minimum = x.min() ?? 0, maximum = x.max() ?? 0
        let d = (maximum - minimum) / Float(levels - 1)
        let inverse: Float = d != 0 ? 1 / d : 0
        return half(d) + half(minimum)
            + pack(x.map { min(levels - 1, Int(($0 - minimum) * inverse + 0.5)) }, levels: levels)
    }

    private static func wide(_ x: [Float]) -> [UInt8] {
        let d = (x.map(abs).max() ?? 0) / 127
        let inverse: Float = d != 0 ? 1 / d : 0
        return half(d)
            + x.map { UInt8(bitPattern: Int8(($0 * inverse).rounded(.toNearestOrAwayFromZero))) }
    }

    /// Fifth bits, if any, then nibbles: byte j has elements j and j + 16.
    private static func pack(_ q: [Int], levels: Int) -> [UInt8] {
        let fifth = (0..<32).reduce(UInt32(0)) { $0 | UInt32(q[$1] >> 4) << UInt32($1) }
        return (levels == 32 ? little(fifth) : []) + (0..<16).map { UInt8(q[$0] & 15 | (q[$0 + 16] & 15) << 4) }
    }

    private static func half(_ value: Float) -> [UInt8] { little(Float16(value).bitPattern) }

    private static func roundedBits(_ value: Float) -> UInt32 {
        let bits = value.bitPattern
        return bits &+ 0x7fff &+ (bits >> 16 & 1)
    }

    private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        (0..<(T.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
    }
}

extension GGMLContents {
    /// The same model in another format, converted like whisper.cpp's quantizer: only two-dimensional matrices without
    /// positional embeddings and biases; convolutions are float16 except in float32 files.
    package func converted(to type: ElementType) -> GGMLContents {
        var result = self
        result.header[10] = Quantizer.fileTypes[type] ?? 0
        for index in records.indices where records[index].type == 1 {
            if records[index].sizes.count == 3 && type != .f32 { continue }
            result.records[index].type = Quantizer.numbers[type] ?? 0
            result.records[index].data = Quantizer.bytes(Self.halves(records[index].data), as: type)
        }
        return result
    }

    package static func halves(_ data: [UInt8]) -> [Float] {
        stride(from: 0, to: data.count, by: 2).map {
            Float(Float16(bitPattern: UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8))
        }
    }
}
