import CKernels
import Glibc

/// Computes log-mel frames of 400 samples every 160 samples: Hann window, power spectrum, mel bands, logarithm.
package final class LogMelKernel: Sendable {
    let bands: Int
    private let window: [Double]
    private let cosines: [Double]
    private let sines: [Double]
    private let bandFirst: [Int32]
    private let bandCount: [Int32]
    private let weights: [Float]

    /// - Parameter filters: one row of 201 weights per band.
    package init(filters: [[Float]]) {
        bands = filters.count
        let angles = (0..<400).map { 2 * Double.pi * Double($0) / 400 }
        window = angles.map { 0.5 - 0.5 * Glibc.cos($0) }
        cosines = angles.map { Glibc.cos($0) }
        sines = angles.map { Glibc.sin($0) }
        let spans = filters.map { row -> Range<Int> in
            guard let first = row.firstIndex(where: { $0 != 0 }), let last = row.lastIndex(where: { $0 != 0 }) else {
                return 0..<0
            }
            return first..<(last + 1)
        }
        bandFirst = spans.map { Int32($0.lowerBound) }
        bandCount = spans.map { Int32($0.count) }
        weights = zip(filters, spans).flatMap { Array($0[$1]) }
    }

    /// Returns log10 of the mel power, at least -10, as `[frames, bands]`.
    ///
    /// - Parameter samples: at least 160 · (frames − 1) + 400 samples, starting with the first of frame 0.
    package func logMel(_ samples: [Float], frames: Int) -> [Float] {
        guard frames > 0 else { return [] }
        precondition(samples.count >= 160 * (frames - 1) + 400, "\(samples.count) samples for \(frames) frames")
        return unsafe [Float](unsafeUninitializedCapacity: frames * bands) { out, count in
            unsafe window.withUnsafeBufferPointer { window in
                unsafe cosines.withUnsafeBufferPointer { cosines in
                    unsafe sines.withUnsafeBufferPointer { sines in
                        unsafe bandFirst.withUnsafeBufferPointer { first in
                            unsafe bandCount.withUnsafeBufferPointer { spans in
                                unsafe weights.withUnsafeBufferPointer { weights in
                                    var tables = unsafe ck_mel_tables(
                                        window: window.baseAddress, cosines: cosines.baseAddress,
                                        sines: sines.baseAddress, band_first: first.baseAddress,
                                        band_count: spans.baseAddress, weights: weights.baseAddress, bands: bands)
                                    unsafe samples.withUnsafeBufferPointer {
                                        unsafe ck_log_mel($0.baseAddress, frames, &tables, out.baseAddress)
                                    }
                                }
                            }
                        }
                    }
                }
            }
            count = frames * bands
        }
    }
}
