import WhisperEngine

/// What the choice of OpenBLAS's kernels is worth on this machine.
///
/// The kernels can be chosen only before the library is loaded, so each choice is measured in a process of its own.
enum KernelChoice {
    /// Set in the measuring process: it prints kernels and speed, nothing else.
    private static let variable = "WHISPER_LOCAL_MEASURE_OPENBLAS"

    static func isMeasuring(_ environment: ProcessEnvironment) -> Bool { environment.bytes(variable) != nil }

    /// The measuring process's answer: name of the kernels, a space, 10⁹ operations a second.
    static func measurement() throws -> String {
        let library = OpenBLASLibrary.shared
        return "\(library.coreName ?? "unknown") \(Int(try library.measuredGigaflops().rounded()))\n"
    }

    /// A line for `doctor`, `nil` where a measurement failed.
    ///
    /// - Parameter given: the user's own choice, if any.
    static func described(given: String?) -> String? {
        guard let own = measured(["\(OpenBLASLibrary.choiceVariable)=own"]), let ours = measured([]) else { return nil }
        var parts = ["\(own.speed) with OpenBLAS's own choice (\(own.kernels))"]
        func add(_ what: String, _ other: (kernels: String, speed: Int)) {
            let ratio = (Double(other.speed) / Double(max(1, own.speed)) * 100).rounded() / 100
            parts.append("\(other.speed) with \(what) (\(other.kernels)), \(ratio) times that")
        }
        if ours.kernels != own.kernels { add("this program's", ours) }
        let variable = OpenBLASLibrary.coreTypeVariable
        if let given, let users = measured(["\(variable)=\(given)"]) { add("yours", users) }
        return "GFLOPS on one core: " + parts.joined(separator: "; ")
    }

    private static func measured(_ environment: [String]) -> (kernels: String, speed: Int)? {
        let words = ChildProcess.output(["doctor"], environment: ["\(variable)=1"] + environment)?
            .split { $0 == " " || $0 == "\n" }
        guard let words, words.count == 2, let speed = Int(words[1]) else { return nil }
        return (String(words[0]), speed)
    }
}
