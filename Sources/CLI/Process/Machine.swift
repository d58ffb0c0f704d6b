import WhisperEngine

/// This machine and this program, as the operating system describes them in `/proc`.
enum Machine {
    /// The path of this program's executable.
    static var executable: FilePath? { DiskAccess.linkTarget(of: FilePath("/proc/self/exe")) }

    static var processorName: String? { value(of: "model name", in: "/proc/cpuinfo") }

    /// In bytes.
    static var memory: (total: Int, available: Int)? {
        guard let total = kibibytes("MemTotal"), let available = kibibytes("MemAvailable") else { return nil }
        return (total * 1024, available * 1024)
    }

    private static func kibibytes(_ name: String) -> Int? {
        value(of: name, in: "/proc/meminfo").flatMap { $0.split(separator: " ").first }.flatMap { Int($0) }
    }

    /// The text after the colon in the first line that begins with `name`.
    private static func value(of name: String, in file: String) -> String? {
        guard case .success(let bytes) = FileSystem.contents(of: FilePath(file), atMost: 4 << 20) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(name) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            return String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
        }
        return nil
    }
}
