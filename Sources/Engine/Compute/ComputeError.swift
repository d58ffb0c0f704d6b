/// Why the network cannot be computed on this machine.
public enum ComputeError: Error, Equatable, Sendable {
    case outOfMemory(bytes: Int)
    /// A library is not installed; `package` is the Debian package that contains it.
    case libraryMissing(name: String, package: String)
    /// A float32-only backend was asked for another compute type.
    case backendIsFloat32(name: String)
}

extension ComputeError: CustomStringConvertible {
    /// What is wrong, without advice.
    public var description: String {
        switch self {
        case .outOfMemory(let bytes): "cannot allocate \((bytes + (1 << 20) - 1) >> 20) MiB: not enough memory"
        case .libraryMissing(let name, _): "\(name) is not installed"
        case .backendIsFloat32(let name): "the \(name) backend only supports float32"
        }
    }
}
