/// Names of temporaries: `.NAME.PROCESS.RANDOM.tmp`.
enum TemporaryName {
    static func make(for name: FilePath) -> FilePath {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        return FilePath(".").adding(name).adding(".\(DiskAccess.processID).\(random).tmp")
    }

    /// The name and the process of a temporary; `nil` for any other file.
    static func parts(of name: FilePath) -> (name: FilePath, process: Int)? {
        let dot = UInt8(ascii: ".")
        var pieces = name.bytes.split(separator: dot, omittingEmptySubsequences: false)
        guard pieces.count >= 5, pieces.removeFirst().isEmpty, pieces.removeLast().elementsEqual("tmp".utf8),
            let random = pieces.popLast(), UInt64(text(random), radix: 16) != nil,
            let digits = pieces.popLast(), let process = Int(text(digits)), process > 0
        else { return nil }
        return (FilePath(bytes: pieces.joined(separator: [dot])), process)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension FilePath {
    func adding(_ suffix: FilePath) -> FilePath { FilePath(bytes: bytes + suffix.bytes) }
}
