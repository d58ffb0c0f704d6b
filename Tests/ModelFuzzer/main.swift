// Fuzzes the model readers; scripts/fuzz.sh builds it with sanitizers and runs it.
//
// model-fuzzer [--executions N | --seconds N] [--seed N] [--formats A,B] [--save FOLDER]
//     Opens mutants of valid models in a child process. Models that crash it, take more than two seconds of processor
//     time or too much memory, or fail with an improper error are saved in FOLDER, minimized. Exit status 1 if there are
//     any.
// model-fuzzer open FILE|FOLDER
//     Opens one model and prints the result and how much memory it took.
// model-fuzzer work FOLDER SEED FIRST END SECONDS FORMATS
//     The child process: opens the mutants with the numbers FIRST ..< END in FOLDER.
import Foundation
import TestModels

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "open" where arguments.count == 2: try Opening.run(arguments[1])
    case "work" where arguments.count == 7: try Worker(arguments).run()
    default:
        let fuzzer = try Supervisor(Options(arguments))
        exit(try fuzzer.run() ? 0 : 1)
    }
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(error is Options.Problem ? 64 : 3)
}
