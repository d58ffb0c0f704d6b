import Foundation
import TestModels

/// Counts of executions by format and depth.
///
/// The child writes them to a file after each execution, so that they outlive it.
struct Tally {
    /// The number of the mutant that is being opened.
    var index = 0
    private var counts = [Int](repeating: 0, count: ModelFiles.Format.allCases.count * depths.count)

    static let depths = ModelTarget.Outcome.Depth.allCases
    private static let formats = ModelFiles.Format.allCases

    init() {}

    /// Reads the counts from a child's file.
    init(_ url: URL) throws {
        let numbers = unsafe try Data(contentsOf: url).withUnsafeBytes { unsafe Array($0.bindMemory(to: Int.self)) }
        guard numbers.count == counts.count + 1 else { return }
        index = numbers[0]
        counts = Array(numbers[1...])
    }

    private static func slot(_ format: ModelFiles.Format, _ depth: ModelTarget.Outcome.Depth) -> Int {
        (formats.firstIndex(of: format) ?? 0) * depths.count + depth.rawValue
    }

    mutating func count(_ format: ModelFiles.Format, _ depth: ModelTarget.Outcome.Depth) {
        counts[Self.slot(format, depth)] += 1
    }

    func write(to descriptor: Int32) {
        let numbers = [index] + counts
        unsafe numbers.withUnsafeBytes { _ = unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    mutating func add(_ other: Tally) { for index in counts.indices { counts[index] += other.counts[index] } }

    var total: Int { counts.reduce(0, +) }

    /// One line for each format: `ggml 1000 executions: 10 container, 20 header, 30 tensors, 40 loaded`.
    func lines(_ formats: [ModelFiles.Format]) -> [String] {
        formats.map { format in
            let numbers = Self.depths.map { counts[Self.slot(format, $0)] }
            let parts = zip(Self.depths, numbers).map { "\($1) \($0)" }
            return "\(format.rawValue) \(numbers.reduce(0, +)) executions: " + parts.joined(separator: ", ")
        }
    }
}
