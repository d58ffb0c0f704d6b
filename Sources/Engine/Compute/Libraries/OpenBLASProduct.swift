import COpenBLAS

/// OpenBLAS, opened at run time.
///
/// OpenBLAS 0.3.21 does not know processors newer than itself and then takes its AVX2 kernels. The core type can only
/// be chosen by an environment variable that is read when the library is loaded, so the library is opened here, after
/// the variable has been set.
///
/// Invariant: the library stays open for the life of the process, so its functions do too; with one thread of its own
/// it may be called from several threads at once.
@safe
struct OpenBLASProduct: MatrixProduct {
    private typealias Multiply =
        @convention(c) (
            UInt32, UInt32, UInt32, Int32, Int32, Int32, Float, UnsafePointer<Float>?, Int32, UnsafePointer<Float>?,
            Int32, Float, UnsafeMutablePointer<Float>?, Int32
        ) -> Void

    let name = "openblas"
    private let sgemm: Multiply

    init() throws(ComputeError) {
        guard let found = unsafe try? OpenBLASLibrary.shared.library?.function("cblas_sgemm", as: Multiply.self) else {
            throw .libraryMissing(name: "OpenBLAS", package: "libopenblas0-pthread")
        }
        unsafe sgemm = found
    }

    func multiply(
        m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
        transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
    ) {
        unsafe sgemm(
            CblasRowMajor.rawValue, CblasNoTrans.rawValue, transposedB ? CblasTrans.rawValue : CblasNoTrans.rawValue,
            Int32(m), Int32(n), Int32(k), 1, a, Int32(aStride), b, Int32(bStride), accumulate ? 1 : 0, c,
            Int32(cStride))
    }
}
