import Glibc

/// The opened OpenBLAS library and what it says of itself.
package struct OpenBLASLibrary: Sendable {
    /// Opened at first use, for good.
    package static let shared = OpenBLASLibrary()

    /// Environment variable that chooses the kernels before the library is loaded.
    package static let coreTypeVariable = "OPENBLAS_CORETYPE"

    /// Set to `own`, this leaves the choice of kernels to OpenBLAS, for comparison.
    package static let choiceVariable = "WHISPER_LOCAL_OPENBLAS_CORE"

    /// The core type for an instruction set; `nil` leaves the choice as it is.
    static func kernels(for instructionSet: String) -> String? {
        ["baseline": "PRESCOTT", "avx2": "HASWELL"][instructionSet]
    }

    /// `nil` where it is not installed.
    let library: SharedLibrary?
    /// Whether this program chose the core type (the user had not).
    package let coreTypeChosenHere: Bool

    private init() {
        let unset = unsafe getenv(Self.coreTypeVariable) == nil
        let ownChoice = unsafe getenv(Self.choiceVariable).map { unsafe String(cString: $0) } == "own"
        let choose = unset && !ownChoice && Processor.hasAVX512
        if choose { unsafe setenv(Self.coreTypeVariable, "SKYLAKEX", 0) }
        library = try? SharedLibrary("libopenblas.so.0", "libopenblas.so")
        // Children of this process choose for themselves.
        if choose { unsafe unsetenv(Self.coreTypeVariable) }
        coreTypeChosenHere = choose
        // The engine's own workers share out the parts; the library's threads would fight them for the cores.
        let setThreads = try? library?.function("openblas_set_num_threads", as: (@convention(c) (Int32) -> Void).self)
        setThreads?(1)
    }

    package var isInstalled: Bool { library != nil }

    /// Name of the kernels in use, such as `SkylakeX` or `Haswell`.
    package var coreName: String? { text(of: "openblas_get_corename") }

    /// Version and build options.
    package var configuration: String? { text(of: "openblas_get_config") }

    /// Speed of a product of 768 × 768 float32 matrices on one core, the best of several, in 10⁹ operations a second.
    package func measuredGigaflops() throws -> Double {
        let n = 768
        let product = try OpenBLASProduct()
        let a = try Tensor([Float](repeating: 0.5, count: n * n)), c = try Tensor(count: n * n)
        let best = (0..<8).map { _ in
            ContinuousClock().measure {
                unsafe product.multiply(
                    m: n, n: n, k: n, a: a.base, aStride: n, b: a.base, bStride: n, transposedB: true,
                    accumulate: false, c: c.base, cStride: n)
            }
        }.min()
        guard let best, best > .zero else { return 0 }
        return 2 * Double(n * n * n) / (best / .nanoseconds(1))
    }

    private func text(of function: String) -> String? {
        typealias Text = @convention(c) () -> UnsafePointer<CChar>?
        guard let call = unsafe try? library?.function(function, as: Text.self) else { return nil }
        guard let text = unsafe call() else { return nil }
        return unsafe String(cString: text)
    }
}
