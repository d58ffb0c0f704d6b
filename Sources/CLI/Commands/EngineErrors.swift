/// Kept until its last caller lets errors propagate to `Main`.
enum EngineErrors {
    static func report(_ error: any Error) -> ErrorReport? { (error as? any ReportedError)?.report }
}
