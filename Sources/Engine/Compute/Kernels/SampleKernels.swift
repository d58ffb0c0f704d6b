import CKernels

/// Loops over samples, in the widest registers there are.
///
/// Invariant: every pointer comes from an array's `withUnsafe…` and is used only inside its bounds.
package enum SampleKernels {
    /// Appends samples of -1…1 as the nearest multiples of 1/32768, half to even; NaN is 0.
    package static func append(_ samples: [Float], to words: inout [Int16]) {
        let old = words.count
        words.append(contentsOf: repeatElement(0, count: samples.count))
        unsafe samples.withUnsafeBufferPointer { from in
            unsafe words.withUnsafeMutableBufferPointer { to in
                guard let start = from.baseAddress, let place = to.baseAddress else { return }
                unsafe ck_samples_to_16(start, place + old, from.count)
            }
        }
    }

    /// Samples from 16-bit numbers, lower byte first; an incomplete one at the end is dropped.
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

    /// Numbers to multiples of 1/32768 in -1…1, rounded to the nearest (half to even) or down.
    package static func quantise(_ samples: inout [Float], down: Bool) {
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            unsafe ck_quantise(start, samples.count, down ? 1 : 0)
        }
    }

    /// Widens `least` and `greatest` to the numbers' range.
    package static func extremes(of samples: [Float], least: inout Float, greatest: inout Float) {
        unsafe samples.withUnsafeBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            unsafe ck_extremes(start, samples.count, &least, &greatest)
        }
    }
}
