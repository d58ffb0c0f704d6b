import COpenBLAS
import Glibc

/// The opened OpenBLAS library and what it says of itself.
@safe
package struct OpenBLASLibrary: @unchecked Sendable {
    /// Opened at first use, for good.
    package static let shared = OpenBLASLibrary()

    /// Environment variable that chooses the kernels before the library is loaded.
    package static let coreTypeVariable = "OPENBLAS_CORETYPE"

    private let handle: UnsafeMutableRawPointer?
    /// Whether this program chose the core type (the user had not).
    package let coreTypeChosenHere: Bool

    private init() {
        let unset = unsafe getenv(Self.coreTypeVariable) == nil
        let choose = unset && Processor.hasAVX512
        if choose { unsafe setenv(Self.coreTypeVariable, "SKYLAKEX", 0) }
        var opened: UnsafeMutableRawPointer?
        for name in ["libopenblas.so.0", "libopenblas.so"] where unsafe opened == nil {
            unsafe opened = dlopen(name, RTLD_NOW | RTLD_LOCAL)
        }
        // Children of this process choose for themselves.
        if choose { unsafe unsetenv(Self.coreTypeVariable) }
        unsafe handle = opened
        coreTypeChosenHere = choose
        if let symbol = unsafe symbol("openblas_set_num_threads") {
            // The engine's own workers share out the parts; the library's threads would fight them for the cores.
            let setThreads = unsafe unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Void).self)
            setThreads(1)
        }
    }

    func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        guard let handle = unsafe handle else { return nil }
        return unsafe dlsym(handle, name)
    }

    package var isInstalled: Bool { unsafe handle != nil }

    /// Name of the kernels in use, such as `SkylakeX` or `Haswell`.
    package var coreName: String? { text(of: "openblas_get_corename") }

    /// Version and build options.
    package var configuration: String? { text(of: "openblas_get_config") }

    private func text(of function: String) -> String? {
        guard let symbol = unsafe symbol(function) else { return nil }
        let call = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>?).self)
        guard let text = unsafe call() else { return nil }
        return unsafe String(cString: text)
    }
}
