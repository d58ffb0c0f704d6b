import Glibc
import WhisperEngine

/// This machine, as the operating system describes it in `/proc`.
package enum Machine {
    static var processorName: String? {
        text(of: "/proc/cpuinfo").flatMap(processorName)
            // A board, such as a Raspberry Pi.
            ?? text(of: "/proc/device-tree/model").map { $0.split(separator: "\0").joined() }
    }

    private static func text(of path: String) -> String? {
        guard case .success(let bytes) = FileSystem.contents(of: FilePath(path), atMost: 4 << 20) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The name in a text like `/proc/cpuinfo`. Kernels for ARM give numbers there: those of ARM's own cores are named, each
    /// kind once, as some processors have several.
    package static func processorName(_ text: String) -> String? {
        func values(_ key: String) -> [String] {
            text.split(separator: "\n").filter { $0.hasPrefix(key) && $0.contains(":") }.map { line in
                String(line.drop { $0 != ":" }.dropFirst().drop { $0 == " " || $0 == "\t" })
            }
        }
        if let name = values("model name").first { return name }
        guard Set(values("CPU implementer")) == ["0x41"] else { return nil }
        let names = values("CPU part").map { armCores[$0] ?? "ARM core \($0)" }
        return names.isEmpty ? nil : Set(names).sorted().joined(separator: " and ")
    }

    /// ARM's cores by the part number of their main ID register.
    private static let armCores = [
        "0xd03": "Cortex-A53", "0xd04": "Cortex-A35", "0xd05": "Cortex-A55", "0xd07": "Cortex-A57",
        "0xd08": "Cortex-A72", "0xd09": "Cortex-A73", "0xd0a": "Cortex-A75", "0xd0b": "Cortex-A76",
        "0xd0c": "Neoverse N1", "0xd0d": "Cortex-A77", "0xd40": "Neoverse V1", "0xd41": "Cortex-A78",
        "0xd44": "Cortex-X1", "0xd46": "Cortex-A510", "0xd47": "Cortex-A710", "0xd48": "Cortex-X2",
        "0xd49": "Neoverse N2", "0xd4d": "Cortex-A715", "0xd4e": "Cortex-X3", "0xd4f": "Neoverse V2",
        "0xd80": "Cortex-A520", "0xd81": "Cortex-A720", "0xd82": "Cortex-X4",
    ]

    /// Whether this program may make keyboards of its own, with the kernel's `uinput`.
    static var mayMakeKeyboards: Bool { unsafe access("/dev/uinput", W_OK) == 0 }
}
