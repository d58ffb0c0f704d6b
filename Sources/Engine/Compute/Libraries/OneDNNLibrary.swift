import EngineBasics

#if HAS_ONEDNN
    import COneDNN
    import Glibc

    /// oneDNN, opened on first use.
    ///
    /// Every function has a line in `Sources/COneDNN/shim.h` (its type, taken from the library's header), a property
    /// here and a line in `init`.
    ///
    /// Invariant: the library is never closed, so its functions stay valid for the life of the process.
    @safe
    package struct OneDNNLibrary: Sendable {
        let sgemm: dnnl_sgemm_function
        /// Sets the number of OpenMP threads for products of the calling thread; `nil` without an OpenMP runtime.
        let setThreads: (@convention(c) (Int32) -> Void)?
        private let getVersion: dnnl_version_function

        private static let opened = Result { () throws(ComputeError) in try OneDNNLibrary() }

        /// The library.
        ///
        /// - Throws: `ComputeError.libraryMissing`.
        static var shared: OneDNNLibrary {
            get throws(ComputeError) { try opened.get() }
        }

        private init() throws(ComputeError) {
            do throws(SharedLibrary.Missing) {
                let library = try SharedLibrary("libdnnl.so.\(DNNL_VERSION_MAJOR)")
                unsafe sgemm = try library.function("dnnl_sgemm")
                setThreads = try? library.function("omp_set_num_threads")
                unsafe getVersion = try library.function("dnnl_version")
            } catch {
                throw .libraryMissing(name: "oneDNN", package: "libdnnl\(DNNL_VERSION_MAJOR)")
            }
        }

        /// The installed version.
        package static var version: String? {
            guard let version = unsafe (try? shared)?.getVersion() else { return nil }
            return unsafe "\(version.pointee.major).\(version.pointee.minor).\(version.pointee.patch)"
        }
    }

    /// oneDNN's float32 matrix product.
    ///
    /// Invariant: `dnnl_sgemm` has no state between calls, so several threads may call it; its products are
    /// single-threaded, because the engine's workers already run in parallel.
    struct OneDNNProduct: MatrixProduct {
        let name = "onednn"
        private let library: OneDNNLibrary

        init() throws(ComputeError) {
            library = try OneDNNLibrary.shared
        }

        package func multiply(
            m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
            transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
        ) {
            // OpenMP stores the number of threads per calling thread.
            library.setThreads?(1)
            let status = unsafe library.sgemm(
                CChar(UInt8(ascii: "N")), CChar(UInt8(ascii: transposedB ? "T" : "N")), dnnl_dim_t(m), dnnl_dim_t(n),
                dnnl_dim_t(k), 1, a, dnnl_dim_t(aStride), b, dnnl_dim_t(bStride), accumulate ? 1 : 0, c,
                dnnl_dim_t(cStride))
            precondition(status == dnnl_success, "dnnl_sgemm \(m) × \(n) × \(k) returned \(status.rawValue)")
        }
    }
#else
    /// Stand-ins for builds without oneDNN.
    package enum OneDNNLibrary {
        package static var version: String? { nil }
    }

    struct OneDNNProduct: MatrixProduct {
        let name = "onednn"

        init() throws(ComputeError) { throw .backendNotBuilt(name: "oneDNN", package: "libdnnl-dev") }

        package func multiply(
            m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
            transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
        ) {}
    }
#endif

extension OneDNNLibrary {
    /// The environment variable that limits oneDNN to an older instruction set; read at the first product.
    static let instructionSetVariable = "ONEDNN_MAX_CPU_ISA"

    /// oneDNN's name for an instruction set of x86-64; `nil` if the library may choose.
    static func kernels(for instructionSet: String) -> String? {
        #if arch(x86_64)
            [
                "baseline": "SSE41", "avx2": "AVX2", "avxvnni": "AVX2_VNNI", "avx512": "AVX512_CORE",
                "avx512vnni": "AVX512_CORE_VNNI",
            ][instructionSet]
        #else
            nil
        #endif
    }
}
