import Foundation
import Glibc

/// Opens models within limits of time and memory; the process ends if a model exceeds them.
///
/// Invariant: the structures that system calls fill in live on the stack for the call.
package struct ModelTrial {
    private var target: ModelTarget
    /// The peak before the first mutant, in bytes.
    private let baseline: Int
    /// Larger models end the process, to try the fuzzer itself.
    private let trapSize = ProcessInfo.processInfo.environment["MODEL_FUZZER_TRAP"].flatMap(Int.init) ?? .max

    /// Processor time to open a model.
    package static let maxSeconds = 2
    /// The memory to open any model, in addition to a multiple of its size: what a complete vocabulary takes.
    private static let fixedBytes = 16 << 20
    private static let bytesPerByte = 24
    /// How far the process may grow in all.
    private static let maxBytes = 64 << 20
    /// AddressSanitizer surrounds and quarantines allocations, and reserves terabytes.
    private static let hasSanitizer = unsafe dlsym(nil, "__asan_init") != nil

    /// - Parameters:
    ///   - target: opens the models.
    ///   - originals: valid models that are opened before memory is limited, so that caches are filled.
    package init(_ target: ModelTarget, originals: [ModelFiles]) throws {
        var target = target
        for original in originals {
            let outcome = try target.open(original)
            guard outcome.depth.rawValue >= ModelTarget.Outcome.Depth.tensors.rawValue else {
                throw ModelTarget.Violation(description: "a valid model is rejected: \(outcome)")
            }
        }
        self.target = target
        baseline = Self.peakBytes
        if !Self.hasSanitizer { try Self.limitMemory() }
    }

    /// Opens a model and reads its weights.
    package mutating func run(_ model: ModelFiles) throws -> (outcome: ModelTarget.Outcome, bytes: Int) {
        precondition(model.size <= trapSize, "trap of \(trapSize) bytes")
        let before = Self.peakBytes
        Self.limitTime(Self.maxSeconds)
        let outcome = try target.open(model)
        Self.limitTime(0)
        let after = Self.peakBytes, factor = Self.hasSanitizer ? 4 : 1
        if after - before > factor * (Self.fixedBytes + Self.bytesPerByte * model.size)
            || after - baseline > factor * Self.maxBytes
        {
            throw ModelTarget.Violation(
                description: "\((after - before) >> 10) KiB of memory for \(model.size) bytes, "
                    + "\((after - baseline) >> 10) KiB in all")
        }
        return (outcome, after - before)
    }

    /// The largest size of the process so far.
    private static var peakBytes: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss << 10
    }

    /// Makes allocations fail that would exceed `maxBytes`, also those that are never touched.
    private static func limitMemory() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmData:") } ?? ""
        let kilobytes = line.split(whereSeparator: \.isWhitespace).compactMap { UInt($0) }.first ?? 0
        let bytes = kilobytes << 10 + UInt(maxBytes)
        var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0 else {
            throw ModelTarget.Violation(description: "cannot limit the memory")
        }
    }

    /// Ends the process with SIGPROF after this much more processor time; 0 cancels.
    private static func limitTime(_ seconds: Int) {
        var timer = itimerval()
        timer.it_value.tv_sec = seconds
        unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    }
}
