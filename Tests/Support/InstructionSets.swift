import EngineCompute

package enum InstructionSets {
    /// Those that this processor supports.
    package static let all = Processor.instructionSets.filter { Processor.with(instructionSet: $0) { true } ?? false }

    package struct Unsupported: Error { let set: String }

    /// Calls `body` with an instruction set for this thread only.
    package static func limited<R>(to set: String, _ body: () throws -> R) throws -> R {
        let result = try Processor.with(instructionSet: set) {
            guard Processor.instructionSet == set else { throw Unsupported(set: set) }
            return try body()
        }
        guard let result else { throw Unsupported(set: set) }
        return result
    }
}
