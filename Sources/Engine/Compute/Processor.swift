import EngineBasics
import CKernels
import Glibc

/// The processor's cores and instruction sets.
package enum Processor {
    /// The number of cores available to this process: its affinity mask, limited by the container's quota; at least 1.
    package static var availableCores: Int {
        var count = Int(ck_allowed_cores())
        if count < 1 { count = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
        if let quota = containerQuota { count = min(count, Int(quota.rounded(.up))) }
        return max(1, count)
    }

    /// The instruction set that the engine's kernels use, one of `instructionSets`.
    package static var instructionSet: String { unsafe String(cString: ck_instruction_set()) }

    /// The environment variable that limits this program and its libraries to an older instruction set.
    package static let instructionSetVariable = "WHISPER_LOCAL_INSTRUCTION_SET"

    /// The instruction sets of this processor's architecture with their own kernels, oldest first; see CKernels.h.
    package static let instructionSets: [String] = {
        var names: [String] = []
        while let name = unsafe ck_instruction_set_name(names.count) { unsafe names.append(String(cString: name)) }
        return names
    }()

    /// Limits the whole process including its libraries to an instruction set. Must be called before any computation.
    ///
    /// - Parameter name: one of `instructionSets`.
    /// - Returns: false if the processor does not support it.
    package static func limit(to name: String) -> Bool {
        guard unsafe ck_limit_instruction_set(name) != 0 else { return false }
        if let type = OpenBLASLibrary.coreType(for: name) {
            unsafe setenv(OpenBLASLibrary.coreTypeVariable, type, 0)
        }
        return true
    }

    /// Runs `body` with another instruction set on the calling thread only, for testing all of them on one machine.
    ///
    /// - Parameter name: one of `instructionSets`.
    /// - Returns: `nil` if the processor does not support it.
    package static func with<R>(instructionSet name: String, _ body: () throws -> R) rethrows -> R? {
        guard unsafe ck_use_instruction_set(name) != 0 else { return nil }
        defer { ck_use_instruction_set(nil) }
        return try body()
    }

    /// The number of cores that the control group allows (`cpu.max`: quota and period in microseconds).
    private static var containerQuota: Double? {
        let fields = (SystemMemory.text(of: "/sys/fs/cgroup/cpu.max") ?? "").split { $0 == " " || $0 == "\n" }
        guard fields.count == 2, let quota = Double(fields[0]), let period = Double(fields[1]), period > 0 else {
            return nil
        }
        return quota / period
    }
}
