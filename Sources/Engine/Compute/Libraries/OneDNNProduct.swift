#if HAS_ONEDNN
    import COneDNN

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
    struct OneDNNProduct: MatrixProduct {
        let name = "onednn"

        init() throws(ComputeError) { throw .backendNotBuilt(name: "oneDNN", package: "libdnnl-dev") }

        func multiply(
            m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
            transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
        ) {}
    }
#endif
