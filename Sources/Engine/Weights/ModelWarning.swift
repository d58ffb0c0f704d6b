/// What is odd about a model that can be loaded all the same.
public enum ModelWarning: Hashable, Sendable {
    /// All matrices of the encoder are zero, so that it cannot hear anything.
    case zeroEncoder(path: FilePath)
}

extension ModelWarning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .zeroEncoder(let path): "\(path): the encoder's weights are all zero, this model cannot work"
        }
    }
}
