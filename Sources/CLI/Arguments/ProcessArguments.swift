// Invariant: the C argument vector holds `argc` pointers to texts that end with a zero and live as long as the
// process; they are copied here once and never written. The kernel lays the words down one behind the other, and the
// environment's texts right behind them.
import Glibc

/// The words of the command line as bytes: file names need not be UTF-8, and `CommandLine.arguments` repairs what is
/// not.
enum ProcessArguments {
    /// Without the program's own name.
    static var words: [[UInt8]] {
        let count = Int(CommandLine.argc)
        // Swift asks /proc for them, which need not be there.
        guard count > 0 else { return Array(wordsInMemory.dropFirst()) }
        return (1..<count).compactMap { index in
            guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe bytes(of: word)
        }
    }

    /// All words, the program's name included, read from where it stands up to the environment.
    private static var wordsInMemory: [[UInt8]] {
        guard let name = unsafe dlsym(nil, "program_invocation_name"), let environment = unsafe dlsym(nil, "environ"),
            var word = unsafe name.load(as: UnsafePointer<CChar>?.self),
            let variables = unsafe environment.load(as: UnsafePointer<UnsafePointer<CChar>?>?.self),
            let end = unsafe variables.pointee
        else { return [] }
        var words: [[UInt8]] = []
        while unsafe word < end {
            words.append(unsafe bytes(of: word))
            unsafe word += words[words.count - 1].count + 1
        }
        return words
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
