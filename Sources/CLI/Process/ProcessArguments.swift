// Invariants: the C argument vector holds `argc` pointers to zero-terminated strings that live as long as the process;
// they are copied here once and never written. The kernel stores the arguments one after another, directly followed by
// the strings of the environment.
import Glibc

/// The command-line arguments as bytes: file names need not be UTF-8, and `CommandLine.arguments` replaces what is not.
enum ProcessArguments {
    /// Without the program's name.
    static var all: [[UInt8]] { Array(withName.dropFirst()) }

    /// The name under which the program was started, possibly with its folder.
    static var name: [UInt8] { withName.first ?? [] }

    private static var withName: [[UInt8]] {
        let count = Int(CommandLine.argc)
        // Swift reads them from /proc, which may not be mounted.
        guard count > 0 else { return inMemory }
        return (0..<count).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe bytes(of: argument)
        }
    }

    /// All arguments including the program's name, read from its address up to the environment.
    private static var inMemory: [[UInt8]] {
        guard let name = unsafe dlsym(nil, "program_invocation_name"), let environment = unsafe dlsym(nil, "environ"),
            var argument = unsafe name.load(as: UnsafePointer<CChar>?.self),
            let variables = unsafe environment.load(as: UnsafePointer<UnsafePointer<CChar>?>?.self),
            let end = unsafe variables.pointee
        else { return [] }
        var arguments: [[UInt8]] = []
        while unsafe argument < end {
            let bytes = unsafe bytes(of: argument)
            arguments.append(bytes)
            unsafe argument += bytes.count + 1
        }
        return arguments
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = 0
        while unsafe text[index] != 0 {
            bytes.append(UInt8(bitPattern: unsafe text[index]))
            index += 1
        }
        return bytes
    }
}
