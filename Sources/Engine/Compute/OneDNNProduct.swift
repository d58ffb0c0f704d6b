#if HAS_ONEDNN
    import COneDNN
    import Glibc

    /// oneDNN's float32 product.
    ///
    /// Invariant: `dnnl_sgemm` keeps no state between calls, so it may run on several threads; each calling thread is
    /// told once that its products use one thread, as the engine's own workers share out the parts.
    struct OneDNNProduct: MatrixProduct {
        let name = "onednn"
        private let setThreads: (@convention(c) (Int32) -> Void)?

        init() throws(ComputeError) {
            // The OpenMP runtime that the library uses keeps the number of threads per calling thread.
            if let symbol = unsafe dlsym(nil, "omp_set_num_threads") {
                setThreads = unsafe unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Void).self)
            } else {
                setThreads = nil
            }
        }

        func multiply(
            m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
            transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
        ) {
            setThreads?(1)
            let status = unsafe dnnl_sgemm(
                CChar(UInt8(ascii: "N")), CChar(UInt8(ascii: transposedB ? "T" : "N")), dnnl_dim_t(m), dnnl_dim_t(n),
                dnnl_dim_t(k), 1, a, dnnl_dim_t(aStride), b, dnnl_dim_t(bStride), accumulate ? 1 : 0, c,
                dnnl_dim_t(cStride))
            precondition(status == dnnl_success, "dnnl_sgemm \(m) × \(n) × \(k) returned \(status.rawValue)")
        }
    }

    /// Version of the oneDNN that is loaded.
    package enum OneDNNLibrary {
        package static var version: String? {
            guard let version = unsafe dnnl_version() else { return nil }
            return unsafe "\(version.pointee.major).\(version.pointee.minor).\(version.pointee.patch)"
        }

        /// Heard only before the library's first product.
        static func limit(to instructionSet: String) {
            #if arch(x86_64)
                switch instructionSet {
                case "baseline": dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41)
                case "avx2": dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2)
                default: break
                }
            #endif
        }
    }
#else
    /// This build has no oneDNN.
    struct OneDNNProduct: MatrixProduct {
        let name = "onednn"

        init() throws(ComputeError) { throw .backendNotBuilt(name: "oneDNN", package: "libdnnl-dev") }

        func multiply(
            m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
            transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
        ) {}
    }

    package enum OneDNNLibrary {
        package static var version: String? { nil }

        static func limit(to instructionSet: String) {}
    }
#endif
