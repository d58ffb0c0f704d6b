import WhisperEngine

/// What the operating system tells of this machine.
enum Machine {
    /// This program's own file.
    static var executable: FilePath? { DiskAccess.linkTarget(of: FilePath("/proc/self/exe")) }

    static var processorName: String? { value(of: "model name", in: "/proc/cpuinfo") }

    /// Bytes.
    static var memory: (total: Int, available: Int)? {
        guard let total = kibibytes("MemTotal"), let available = kibibytes("MemAvailable") else { return nil }
        return (total * 1024, available * 1024)
    }

    static func kibibytes(_ name: String, in file: String = "/proc/meminfo") -> Int? {
        value(of: name, in: file).flatMap { $0.split(separator: " ").first }.flatMap { Int($0) }
    }

    /// Text behind the mark in the first line that begins with `name`.
    static func value(of name: String, in file: String, behind mark: String = ":") -> String? {
        guard case .success(let bytes) = FileSystem.contents(of: FilePath(file), atMost: 4 << 20) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(name) {
            guard let end = line.firstRange(of: mark)?.upperBound else { continue }
            return String(line[end...].drop { $0 == " " || $0 == "\t" })
        }
        return nil
    }
}
