import EngineBasics

/// The binary encoding of a sample.
package enum SampleEncoding: String, CaseIterable, Sendable {
    case s8, u8
    case s16le, s16be, s24le, s24be, s32le, s32be
    case f32le, f32be, f64le, f64be
    case alaw, mulaw

    package var bytesPerSample: Int {
        switch self {
        case .s8, .u8, .alaw, .mulaw: 1
        case .s16le, .s16be: 2
        case .s24le, .s24be: 3
        case .s32le, .s32be, .f32le, .f32be: 4
        case .f64le, .f64be: 8
        }
    }

    var isFloat: Bool {
        switch self {
        case .f32le, .f32be, .f64le, .f64be: true
        default: false
        }
    }

    /// Decodes samples to -1…1. Floating-point samples are returned unchanged, including NaN.
    ///
    /// 32-bit integers are reduced to 24 bits, the precision of `Float`; the final result has 16.
    ///
    /// - Parameters:
    ///   - bytes: complete samples; an incomplete one at the end is dropped.
    ///   - in16Bits: rounds 64-bit samples to 16 bits directly, which avoids rounding twice.
    package func samples(_ bytes: [UInt8], in16Bits: Bool = false) -> [Float] {
        let count = bytes.count / bytesPerSample
        var samples: [Float] = []
        if self != .s16le { samples.reserveCapacity(count) }
        switch self {
        case .u8: for byte in bytes { samples.append(Float(Int(byte) - 128) / 128) }
        case .s8: for byte in bytes { samples.append(Float(Int8(bitPattern: byte)) / 128) }
        case .alaw: for byte in bytes { samples.append(Float(Self.aLaw(byte)) / 32768) }
        case .mulaw: for byte in bytes { samples.append(Float(Self.muLaw(byte)) / 32768) }
        case .s16le: samples = SampleKernels.floats(ofLittle16: bytes)
        case .s16be:
            let span = bytes.span
            for index in 0..<count {
                let word = UInt16(span[2 * index + 1]) | UInt16(span[2 * index]) << 8
                samples.append(Float(Int16(bitPattern: word)) / 32768)
            }
        case .s24le, .s24be, .s32le, .s32be:
            for word in words(bytes, count) {
                samples.append(Float(Int32(bitPattern: UInt32(truncatingIfNeeded: word)) >> 8) / 8_388_608)
            }
        case .f32le, .f32be:
            for word in words(bytes, count) { samples.append(Float(bitPattern: UInt32(truncatingIfNeeded: word))) }
        case .f64le, .f64be:
            for word in words(bytes, count) { samples.append(Self.narrowed(Double(bitPattern: word), in16Bits)) }
        }
        return samples
    }

    /// Reads each sample's bytes as one number; 24-bit samples are shifted up to the sign of a 32-bit number.
    private func words(_ bytes: [UInt8], _ count: Int) -> [UInt64] {
        let width = bytesPerSample
        let isBigEndian = [.s24be, .s32be, .f32be, .f64be].contains(self)
        let shift: UInt64 = width == 3 ? 8 : 0
        let span = bytes.span
        return (0..<count).map { index in
            var word: UInt64 = 0
            for byte in 0..<width {
                word = word << 8 | UInt64(span[index * width + (isBigEndian ? byte : width - 1 - byte)])
            }
            return word << shift
        }
    }

    /// Narrows to `Float`; values too large for it stay finite.
    private static func narrowed(_ sample: Double, _ in16Bits: Bool) -> Float {
        if sample.magnitude <= 1 {
            return Float(in16Bits ? (sample * 32768).rounded(.toNearestOrEven) / 32768 : sample)
        }
        guard sample.isFinite else { return Float(sample) }
        return Float(min(max(sample, -Double(Float.greatestFiniteMagnitude)), Double(Float.greatestFiniteMagnitude)))
    }

    /// ITU-T G.711 A-law, 13 bits scaled to 16.
    private static func aLaw(_ byte: UInt8) -> Int {
        let code = Int(byte ^ 0x55)
        let exponent = (code & 0x70) >> 4
        let mantissa = (code & 0x0f) << 4
        let magnitude = exponent == 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1)
        return code & 0x80 != 0 ? magnitude : -magnitude
    }

    /// ITU-T G.711 µ-law, 14 bits scaled to 16.
    private static func muLaw(_ byte: UInt8) -> Int {
        let code = Int(~byte)
        let magnitude = (((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4)
        return code & 0x80 != 0 ? 0x84 - magnitude : magnitude - 0x84
    }
}
