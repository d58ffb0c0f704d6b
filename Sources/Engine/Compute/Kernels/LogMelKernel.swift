import CKernels
import Glibc

/// Computes log-mel frames: window, power spectrum, bands, logarithm.
package final class LogMelKernel: Sendable {
    /// What keeps the logarithm of silence finite.
    package enum Floor: Sendable {
        /// Lower powers of a band count as this one.
        case least(Float)
        /// A number above 0 that is added to all powers.
        case added(Float)
    }

    /// Samples per frame.
    package static let frameLength = 400

    private let points: Int
    private let hop: Int
    private let floor: Floor
    private let bands: Int
    private let window: [Double]
    private let cosines: [Double]
    private let sines: [Double]
    private let bandFirst: [Int32]
    private let bandCount: [Int32]
    private let weights: [Float]

    /// - Parameters:
    ///   - window: the factors of the samples of a frame.
    ///   - hop: samples between frames.
    ///   - points: of the Fourier transform, 400 or 512; a frame is padded with zeros.
    ///   - filters: for each band, the weights of the bins from 0 to half the sampling rate: `points / 2 + 1`.
    package init(window: [Double], hop: Int, points: Int, filters: [[Float]], floor: Floor) {
        precondition(
            window.count == Self.frameLength && hop > 0 && [400, 512].contains(points)
                && filters.allSatisfy { $0.count == points / 2 + 1 },
            "a window of \(window.count) samples every \(hop), \(points) points and \(filters.first?.count ?? 0) bins")
        self.window = window
        self.hop = hop
        self.points = points
        self.floor = floor
        bands = filters.count
        let angles = (0..<points).map { 2 * Double.pi * Double($0) / Double(points) }
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

    /// Multiplications and additions of a frame, with the usual count for a Fourier transform of real numbers; logarithms
    /// are not counted.
    package var operations: Int {
        let transform = 2.5 * Double(points) * log2(Double(points))
        return Self.frameLength + Int(transform.rounded()) + 3 * (points / 2 + 1) + 2 * weights.count
    }

    /// Returns log10 of the power of the bands, as `[frames, bands]`.
    ///
    /// - Parameter samples: at least hop · (frames − 1) + `frameLength` samples, starting with the first of frame 0.
    package func logMel(_ samples: [Float], frames: Int) -> [Float] {
        guard frames > 0 else { return [] }
        precondition(
            samples.count >= hop * (frames - 1) + Self.frameLength, "\(samples.count) samples for \(frames) frames")
        let (added, least): (Float, Float) =
            switch floor {
            case .least(let power): (0, power)
            case .added(let power): (power, power)
            }
        return unsafe [Float](unsafeUninitializedCapacity: frames * bands) { out, count in
            unsafe window.withUnsafeBufferPointer { window in
                unsafe cosines.withUnsafeBufferPointer { cosines in
                    unsafe sines.withUnsafeBufferPointer { sines in
                        unsafe bandFirst.withUnsafeBufferPointer { first in
                            unsafe bandCount.withUnsafeBufferPointer { spans in
                                unsafe weights.withUnsafeBufferPointer { weights in
                                    var tables = unsafe ck_mel_tables(
                                        points: points, window: window.baseAddress, cosines: cosines.baseAddress,
                                        sines: sines.baseAddress, band_first: first.baseAddress,
                                        band_count: spans.baseAddress, weights: weights.baseAddress, bands: bands,
                                        hop: hop, added: added, least: least)
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
