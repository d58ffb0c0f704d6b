import CKernels

/// Vectorized loops over samples.
///
/// Invariant: every pointer comes from an array's `withUnsafe…` and is used only inside the array's bounds.
package enum SampleKernels {
    /// Appends samples in -1…1 as 16-bit integers, rounded to nearest even and clamped; NaN becomes 0.
    package static func append(_ samples: [Float], to words: inout [Int16]) {
        let old = words.count
        words.append(contentsOf: repeatElement(0, count: samples.count))
        unsafe samples.withUnsafeBufferPointer { from in
            unsafe words.withUnsafeMutableBufferPointer { to in
                guard let start = from.baseAddress, let target = to.baseAddress else { return }
                unsafe ck_samples_to_16(start, target + old, from.count)
            }
        }
    }

    /// Converts 16-bit little-endian samples to floats in -1…1; an incomplete sample at the end is dropped.
    package static func floats(ofLittle16 bytes: [UInt8]) -> [Float] {
        let count = bytes.count / 2
        return unsafe [Float](unsafeUninitializedCapacity: count) { out, filled in
            unsafe bytes.withUnsafeBytes { from in
                #if _endian(little)
                    if let start = from.baseAddress, let to = out.baseAddress {
                        unsafe ck_samples_from_16(start, to, count)
                    }
                #else
                    for index in 0..<count {
                        let word = unsafe UInt16(from[2 * index]) | UInt16(from[2 * index + 1]) << 8
                        unsafe out[index] = Float(Int16(bitPattern: word)) / 32768
                    }
                #endif
            }
            filled = count
        }
    }

    /// Rounds samples to multiples of 1/32768 in -1…1, to nearest even or down; NaN becomes 0.
    package static func quantize(_ samples: inout [Float], down: Bool) {
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            unsafe ck_quantize(start, samples.count, down ? 1 : 0)
        }
    }

    /// Extends the range from `minimum` to `maximum` to include all samples; NaN is ignored.
    package static func extremes(of samples: [Float], minimum: inout Float, maximum: inout Float) {
        unsafe samples.withUnsafeBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            unsafe ck_extremes(start, samples.count, &minimum, &maximum)
        }
    }
}
