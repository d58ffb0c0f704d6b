import EngineBasics
import COpenBLAS
import Glibc

/// OpenBLAS, opened on first use.
///
/// OpenBLAS chooses its kernels by the processor's family and model. For processors newer than itself it may fall back to
/// kernels without AVX, which have less than half the speed. The core type can only be chosen by an environment variable that
/// is read when the library is loaded, so the library is opened at run time, after the variable has been set.
package struct OpenBLASLibrary: Sendable {
    /// The library, never closed.
    package static let shared = OpenBLASLibrary()

    /// The environment variable that chooses the kernels when the library is loaded.
    package static let coreTypeVariable = "OPENBLAS_CORETYPE"

    /// The environment variable that, set to `own`, leaves the choice of kernels to OpenBLAS, for comparison.
    package static let choiceVariable = "WHISPER_LOCAL_OPENBLAS_CORE"

    /// The fastest core type that needs no more than an instruction set; `nil` if OpenBLAS may choose. For float32, kernels
    /// for later processors of x86-64 do not differ.
    package static func coreType(for instructionSet: String) -> String? { coreTypes[instructionSet] }

    #if arch(arm64)
        private static let coreTypes = ["baseline": "ARMV8", "dotprod": "NEOVERSEN1"]
        /// OpenBLAS's own choice is not measured on ARM.
        private static let hasBetterChoice = false
    #else
        private static let coreTypes = [
            "baseline": "PRESCOTT", "avx2": "HASWELL", "avxvnni": "HASWELL", "avx512": "SKYLAKEX",
            "avx512vnni": "SKYLAKEX", "avx512bf16": "SKYLAKEX",
        ]
        /// OpenBLAS knows all processors without AVX2, and has faster kernels for some of them.
        private static let hasBetterChoice = Processor.instructionSet != "baseline"
    #endif

    /// `nil` if OpenBLAS is not installed.
    let library: SharedLibrary?
    /// Whether this program chose the core type because the user had not.
    package let coreTypeChosenHere: Bool

    private init() {
        let unset = unsafe getenv(Self.coreTypeVariable) == nil
        let ownChoice = unsafe getenv(Self.choiceVariable).map { unsafe String(cString: $0) } == "own"
        let type = Self.hasBetterChoice ? Self.coreType(for: Processor.instructionSet) : nil
        let choose = unset && !ownChoice && type != nil
        if choose, let type { unsafe setenv(Self.coreTypeVariable, type, 0) }
        library = try? SharedLibrary("libopenblas.so.0", "libopenblas.so")
        // Child processes choose for themselves.
        if choose { unsafe unsetenv(Self.coreTypeVariable) }
        coreTypeChosenHere = choose
        // The engine's workers already run in parallel; the library's threads would compete with them for the cores.
        let setThreads = try? library?.function("openblas_set_num_threads", as: (@convention(c) (Int32) -> Void).self)
        setThreads?(1)
    }

    package var isInstalled: Bool { library != nil }

    /// The name of the kernels in use, such as `SkylakeX` or `Haswell`.
    package var coreName: String? { text(of: "openblas_get_corename") }

    /// The version and build options.
    package var configuration: String? { text(of: "openblas_get_config") }

    private func text(of function: String) -> String? {
        typealias Text = @convention(c) () -> UnsafePointer<CChar>?
        guard let call = unsafe try? library?.function(function, as: Text.self) else { return nil }
        guard let text = unsafe call() else { return nil }
        return unsafe String(cString: text)
    }
}

/// OpenBLAS's float32 matrix product.
///
/// Invariant: the library is never closed, so its functions stay valid; limited to one thread of its own, it may be
/// called from several threads at once.
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
        guard let function = unsafe try? OpenBLASLibrary.shared.library?.function("cblas_sgemm", as: Multiply.self)
        else {
            throw .libraryMissing(name: "OpenBLAS", package: "libopenblas0-pthread")
        }
        unsafe sgemm = function
    }

    package func multiply(
        m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
        transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
    ) {
        unsafe sgemm(
            CblasRowMajor.rawValue, CblasNoTrans.rawValue, transposedB ? CblasTrans.rawValue : CblasNoTrans.rawValue,
            Int32(m), Int32(n), Int32(k), 1, a, Int32(aStride), b, Int32(bStride), accumulate ? 1 : 0, c,
            Int32(cStride))
    }
}
