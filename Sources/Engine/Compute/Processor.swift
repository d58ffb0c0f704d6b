import CKernels
import Glibc

/// What the machine offers.
package enum Processor {
    /// Cores this process may run on: its affinity, no more than the container's quota, at least 1.
    package static var availableCores: Int {
        var count = Int(ck_allowed_cores())
        if count < 1 { count = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
        if let quota = containerQuota { count = min(count, Int(quota.rounded(.up))) }
        return max(1, count)
    }

    /// "avx512", "avx2" or "baseline": what the engine's own kernels use.
    package static var instructionSet: String { unsafe String(cString: ck_instruction_set()) }

    /// Environment variable that keeps this program and its libraries to older instructions than the processor's.
    package static let instructionSetVariable = "WHISPER_LOCAL_INSTRUCTION_SET"

    /// All that have kernels of their own, the oldest first.
    package static let instructionSets = ["baseline", "avx2", "avx512"]

    /// Keeps the whole process, its libraries included, to an instruction set; to be called before anything computes.
    ///
    /// - Parameter name: one of `instructionSets`.
    /// - Returns: false where the processor lacks it.
    package static func limit(to name: String) -> Bool {
        guard unsafe ck_limit_instruction_set(name) != 0 else { return false }
        if let kernels = OneDNNLibrary.kernels(for: name) {
            unsafe setenv(OneDNNLibrary.instructionSetVariable, kernels, 0)
        }
        if let kernels = OpenBLASLibrary.kernels(for: name) {
            unsafe setenv(OpenBLASLibrary.coreTypeVariable, kernels, 0)
        }
        return true
    }

    /// Runs `body` with another instruction set on this thread alone, so that each can be tested where all are there.
    ///
    /// - Parameter name: as `instructionSet`.
    /// - Returns: `nil` where the processor lacks it.
    package static func with<R>(instructionSet name: String, _ body: () throws -> R) rethrows -> R? {
        guard unsafe ck_use_instruction_set(name) != 0 else { return nil }
        defer { ck_use_instruction_set(nil) }
        return try body()
    }

    /// Whether OpenBLAS's kernels for AVX-512 processors run here (F, BW, DQ and VL).
    package static var hasAVX512: Bool { instructionSet == "avx512" }

    /// Cores a control group allows (`cpu.max`: quota and period in microseconds).
    private static var containerQuota: Double? {
        guard let file = unsafe fopen("/sys/fs/cgroup/cpu.max", "r") else { return nil }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard unsafe fgets(&line, 64, file) != nil else { return nil }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split { $0 == " " || $0 == "\n" }
        guard fields.count == 2, let quota = Double(fields[0]), let period = Double(fields[1]), period > 0 else {
            return nil
        }
        return quota / period
    }
}
