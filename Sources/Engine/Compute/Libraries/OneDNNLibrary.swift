#if HAS_ONEDNN
    import COneDNN
    import Glibc

    /// oneDNN, opened at its first use.
    ///
    /// A further function takes a line in `Sources/COneDNN/shim.h` (its type, from the library's own header), a constant
    /// here and a line in `init`.
    ///
    /// Invariant: the library stays open for the life of the process, so its functions do too.
    @safe
    package struct OneDNNLibrary: Sendable {
        let sgemm: dnnl_sgemm_function
        /// Threads of the library's OpenMP runtime for products of the calling thread; `nil` where it has no such
        /// runtime.
        let setThreads: (@convention(c) (Int32) -> Void)?
        private let versionTold: dnnl_version_function

        private static let opened = Result { () throws(ComputeError) in try OneDNNLibrary() }

        /// The library, opened once for good.
        static var shared: OneDNNLibrary {
            get throws(ComputeError) { try opened.get() }
        }

        private init() throws(ComputeError) {
            do throws(SharedLibrary.Missing) {
                let library = try SharedLibrary("libdnnl.so.\(DNNL_VERSION_MAJOR)")
                unsafe sgemm = try library.function("dnnl_sgemm")
                setThreads = try? library.function("omp_set_num_threads")
                unsafe versionTold = try library.function("dnnl_version")
            } catch {
                throw .libraryMissing(name: "oneDNN", package: "libdnnl\(DNNL_VERSION_MAJOR)")
            }
        }

        /// Version of the oneDNN that is installed.
        package static var version: String? {
            guard let version = unsafe (try? shared)?.versionTold() else { return nil }
            return unsafe "\(version.pointee.major).\(version.pointee.minor).\(version.pointee.patch)"
        }
    }

    /// oneDNN's float32 product.
    ///
    /// Invariant: `dnnl_sgemm` keeps no state between calls, so it may run on several threads; each calling thread is
    /// told once that its products use one thread, as the engine's own workers share out the parts.
    struct OneDNNProduct: MatrixProduct {
        let name = "onednn"
        private let library: OneDNNLibrary

        init() throws(ComputeError) {
            library = try OneDNNLibrary.shared
        }

        func multiply(
            m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
            transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
        ) {
            // The OpenMP runtime that the library uses keeps the number of threads per calling thread.
            library.setThreads?(1)
            let status = unsafe library.sgemm(
                CChar(UInt8(ascii: "N")), CChar(UInt8(ascii: transposedB ? "T" : "N")), dnnl_dim_t(m), dnnl_dim_t(n),
                dnnl_dim_t(k), 1, a, dnnl_dim_t(aStride), b, dnnl_dim_t(bStride), accumulate ? 1 : 0, c,
                dnnl_dim_t(cStride))
            precondition(status == dnnl_success, "dnnl_sgemm \(m) × \(n) × \(k) returned \(status.rawValue)")
        }
    }
#else
    /// This build has no oneDNN.
    package enum OneDNNLibrary {
        package static var version: String? { nil }
    }

    struct OneDNNProduct: MatrixProduct {
        let name = "onednn"

        init() throws(ComputeError) { throw .backendNotBuilt(name: "oneDNN", package: "libdnnl-dev") }

        func multiply(
            m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
            transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
        ) {}
    }
#endif

extension OneDNNLibrary {
    /// Environment variable that keeps oneDNN to older instructions; read at its first product.
    static let instructionSetVariable = "ONEDNN_MAX_CPU_ISA"

    /// oneDNN's name for an instruction set; `nil` leaves the choice to the library.
    static func kernels(for instructionSet: String) -> String? {
        ["baseline": "SSE41", "avx2": "AVX2"][instructionSet]
    }
}
