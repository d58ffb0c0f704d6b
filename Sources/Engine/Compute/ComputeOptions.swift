/// Which library multiplies matrices.
public enum BackendChoice: String, Sendable, CaseIterable {
    /// oneDNN where built in, else OpenBLAS.
    case auto
    case openblas
    case onednn
    /// Plain loops, the yardstick of the others; slow.
    case reference
}

/// The number format that weights and products use.
public enum ComputeType: String, Sendable, CaseIterable {
    /// The fastest that this processor and build offer without a loss that a user would notice.
    case auto
    /// The reference's numbers.
    case float32
    case bfloat16
    /// 8-bit whole numbers with a scale for each output of a weight and each row of the input.
    case int8
}

/// How the network is computed.
public struct ComputeOptions: Sendable, Hashable {
    public var backend: BackendChoice = .auto
    public var computeType: ComputeType = .auto
    /// `nil`: one for each core this process may use.
    public var threads: Int?

    public init(backend: BackendChoice = .auto, computeType: ComputeType = .auto, threads: Int? = nil) {
        self.backend = backend
        self.computeType = computeType
        self.threads = threads
    }

    var threadCount: Int { threads ?? Processor.availableCores }

    package func makeBackend() throws -> any ComputeBackend {
        let threads = threadCount
        let type = computeType == .auto ? ComputeType.float32 : computeType
        switch backend {
        case .reference: return ReferenceBackend()
        case .openblas: return KernelBackend(product: try OpenBLASProduct(), threads: threads, computeType: type)
        case .onednn: return KernelBackend(product: try OneDNNProduct(), threads: threads, computeType: type)
        case .auto:
            if let onednn = try? OneDNNProduct() {
                return KernelBackend(product: onednn, threads: threads, computeType: type)
            }
            return KernelBackend(product: try OpenBLASProduct(), threads: threads, computeType: type)
        }
    }
}
