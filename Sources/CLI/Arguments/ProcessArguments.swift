// Invariant: the C argument vector holds `argc` pointers to texts that end with a zero and live as long as the
// process; they are copied here once and never written.

/// The words of the command line as bytes: file names need not be UTF-8, and `CommandLine.arguments` repairs what is
/// not.
enum ProcessArguments {
    /// Without the program's own name.
    static var words: [[UInt8]] {
        let count = Int(CommandLine.argc)
        guard count > 1 else { return [] }
        return (1..<count).compactMap { index in
            guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe bytes(of: word)
        }
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
        var bytes: [UInt8] = []
        var at = 0
        while unsafe text[at] != 0 {
            bytes.append(UInt8(bitPattern: unsafe text[at]))
            at += 1
        }
        return bytes
    }
}
