import Foundation
import TestModels

/// Runs the child process, starts it again after each crash, and saves what ended it.
struct Supervisor {
    private let options: Options
    private let scratch: URL

    /// Stops after this many crashers.
    private static let maxCrashers = 20

    init(_ options: Options) throws {
        self.options = options
        let memory = URL(filePath: "/dev/shm")
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        scratch = parent.appending(path: "model-fuzzer-\(getpid())")
    }

    /// - Returns: whether no model crashed the readers.
    func run() throws -> Bool {
        try FileManager.default.createDirectory(
            at: scratch.appending(path: Worker.modelName), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let start = ContinuousClock.now, end = options.executions ?? .max
        var tally = Tally(), crashers = 0, next = 0
        while next < end, crashers < Self.maxCrashers {
            let left = options.seconds.map { $0 - Int((ContinuousClock.now - start).components.seconds) }
            if let left, left <= 0 { break }
            let end = try work(from: next, to: end, seconds: left ?? 0)
            let done = try Tally(scratch.appending(path: Worker.progressName))
            tally.add(done)
            guard let end else { break }
            if done.index < 0 { throw Options.Problem(description: "the child did not start: \(end)") }
            crashers += 1
            try save(done.index, end)
            next = done.index + 1
        }
        let seconds = max(1, Int((ContinuousClock.now - start).components.seconds))
        for line in tally.lines(options.formats) { print(line) }
        print(
            "\(tally.total) executions in \(seconds) s, \(tally.total / seconds) per second, seed \(options.seed), "
                + "\(crashers) crashers")
        return crashers == 0
    }

    /// Runs a child.
    ///
    /// - Returns: how it ended, `nil` if it finished.
    private func work(from first: Int, to end: Int, seconds: Int) throws -> Child.End? {
        let formats = options.formats.map(\.rawValue).joined(separator: ",")
        return try Child.run(
            ["work", scratch.path, "\(options.seed)", "\(first)", "\(end)", "\(seconds)", formats], in: scratch)
    }

    /// Saves the model that ended the child, and minimizes it.
    private func save(_ index: Int, _ end: Child.End) throws {
        let model = try ModelMutator().mutant(
            options.formats[index % options.formats.count], seed: options.seed, index: index)
        let folder = options.crashers.appending(path: "seed-\(options.seed)-\(index)")
        print("mutant \(index): \(end.summary); saved in \(folder.path)")
        try write(model, to: folder.appending(path: "original"))
        var minimizer = Minimizer(scratch: scratch)
        let minimized = try minimizer.minimize(model, end)
        try write(minimized, to: folder.appending(path: "minimized"))
        // Once more, to see where it happens.
        let again = try Child.run(
            ["open", folder.appending(path: "original").path], in: scratch,
            environment: ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no"])
        try Data("seed \(options.seed), mutant \(index)\n\(end.summary)\n\(again?.error ?? end.error)".utf8)
            .write(to: folder.appending(path: "cause.txt"))
    }

    private func write(_ model: ModelFiles, to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in model.files { try Data(file.bytes).write(to: folder.appending(path: file.name)) }
    }
}

/// This program as a child process.
enum Child {
    /// How a child ended that did not finish.
    struct End: Equatable {
        /// The exit status, or 128 + N after signal N.
        let status: Int
        let error: String

        var summary: String {
            switch status {
            case 128 + Int(SIGPROF): "took more than 2 s of processor time"
            case 128...: "ended by signal \(status - 128)"
            default: "exit status \(status): \(error.split(separator: "\n").first ?? "")"
            }
        }
    }

    /// Recording the stacks of allocations would take half of the time.
    private static let sanitizerOptions = [
        "quarantine_size_mb=1", "thread_local_quarantine_size_kb=64", "max_allocation_size_mb=128",
        "malloc_context_size=0", "max_malloc_fill_size=0", "detect_leaks=0", "exitcode=99",
    ].joined(separator: ":")

    static func run(
        _ arguments: [String], in scratch: URL, environment: [String: String] = ["SWIFT_BACKTRACE": "enable=no"]
    ) throws -> End? {
        let log = scratch.appending(path: "stderr")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardError = try FileHandle(forWritingTo: log)
        process.standardOutput = FileHandle.nullDevice
        process.environment = ProcessInfo.processInfo.environment.merging([
            "ASAN_OPTIONS": Self.sanitizerOptions
        ]) { $1 }.merging(environment) { $1 }
        try process.run()
        process.waitUntilExit()
        let isSignal = process.terminationReason == .uncaughtSignal
        if !isSignal, process.terminationStatus == 0 { return nil }
        let error = try String(decoding: Data(contentsOf: log).prefix(20_000), as: UTF8.self)
        return End(status: Int(process.terminationStatus) + (isSignal ? 128 : 0), error: error)
    }
}

/// Makes a crashing model smaller as long as it ends the child in the same way.
struct Minimizer {
    private let folder: URL
    private let scratch: URL
    private var triesLeft = 200

    init(scratch: URL) {
        self.scratch = scratch
        folder = scratch.appending(path: "minimized")
    }

    mutating func minimize(_ model: ModelFiles, _ end: Child.End) throws -> ModelFiles {
        var model = model
        for index in model.files.indices.reversed() where model.files.count > 1 {
            var smaller = model
            smaller.files.remove(at: index)
            if try isSame(smaller, end) { model = smaller }
        }
        for index in model.files.indices {
            var size = model.files[index].bytes.count / 2
            while size > 0, triesLeft > 0 {
                var at = 0
                while at < model.files[index].bytes.count, triesLeft > 0 {
                    var smaller = model
                    let upper = min(at + size, smaller.files[index].bytes.count)
                    smaller.files[index].bytes.removeSubrange(at..<upper)
                    if try isSame(smaller, end) { model = smaller } else { at += size }
                }
                size /= 2
            }
        }
        return model
    }

    private mutating func isSame(_ model: ModelFiles, _ end: Child.End) throws -> Bool {
        triesLeft -= 1
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in model.files { try Data(file.bytes).write(to: folder.appending(path: file.name)) }
        return try Child.run(["open", folder.path], in: scratch)?.status == end.status
    }
}
