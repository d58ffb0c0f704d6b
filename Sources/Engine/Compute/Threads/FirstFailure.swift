import Synchronization

/// The error of the lowest-numbered part of an operation that failed, so that timing does not decide which is thrown.
final class FirstFailure<Failure: Error>: Sendable {
    private let first = Mutex<(part: Int, error: Failure)?>(nil)

    func record(_ error: Failure, in part: Int) {
        first.withLock { if part < $0?.part ?? Int.max { $0 = (part, error) } }
    }

    /// Throws the failure, if there was one.
    func check() throws(Failure) {
        if let error = first.withLock({ $0?.error }) { throw error }
    }
}
