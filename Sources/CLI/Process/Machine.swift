import Glibc
import WhisperEngine

/// This machine, as the operating system describes it in `/proc`.
enum Machine {
    static var processorName: String? {
        guard case .success(let bytes) = FileSystem.contents(of: FilePath("/proc/cpuinfo"), atMost: 4 << 20) else {
            return nil
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("model name") && $0.contains(":") }) else { return nil }
        return String(line.drop { $0 != ":" }.dropFirst().drop { $0 == " " || $0 == "\t" })
    }

    /// Whether this program may make keyboards of its own, with the kernel's `uinput`.
    static var mayMakeKeyboards: Bool { unsafe access("/dev/uinput", W_OK) == 0 }
}
