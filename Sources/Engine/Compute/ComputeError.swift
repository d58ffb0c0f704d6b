/// What can go wrong with the machine that computes.
package enum ComputeError: Error, Equatable, Sendable {
    case outOfMemory(bytes: Int)
    case libraryMissing(name: String, package: String)
    case backendNotBuilt(name: String, package: String)
    /// A backend that computes in no other format was asked to.
    case backendIsFloat32(name: String)
    case libraryFailed(name: String, operation: String, status: Int)
}

extension ComputeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .outOfMemory(let bytes):
            "not enough memory for a block of \((bytes + (1 << 20) - 1) >> 20) MiB"
        case .libraryMissing(let name, let package):
            "\(name) is not installed; `apt install \(package)` brings it"
        case .backendNotBuilt(let name, let package):
            "this program was built without \(name); install \(package) and build again, or use --backend openblas"
        case .backendIsFloat32(let name):
            "backend \(name) computes in float32 alone; use --compute-type float32 or --backend auto"
        case .libraryFailed(let name, let operation, let status):
            "\(name) failed in \(operation) with status \(status)"
        }
    }
}
