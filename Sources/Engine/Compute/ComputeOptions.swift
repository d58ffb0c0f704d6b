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

extension ComputeType {
    /// Whether products of many rows are faster so than in float32, on this processor.
    package var isAvailable: Bool { self == .auto || self == .float32 || TileKind(self) != nil }

    /// The type that is meant, never `auto`: the reference's numbers come before speed.
    package var resolved: ComputeType { self == .auto ? .float32 : self }
}

/// How the network is computed.
public struct ComputeOptions: Sendable, Hashable {
    public var backend: BackendChoice = .auto
    public var computeType: ComputeType = .auto
    /// `nil`: one for each core this process may use.
    public var threads: Int?
    /// For which memory must be there when a model is loaded.
    public var decoding = DecodingRoom()

    public init(backend: BackendChoice = .auto, computeType: ComputeType = .auto, threads: Int? = nil) {
        self.backend = backend
        self.computeType = computeType
        self.threads = threads
    }

    var threadCount: Int { threads ?? Processor.availableCores }

    package func makeBackend() throws -> any ComputeBackend {
        if backend == .reference {
            guard computeType == .auto || computeType == .float32 else {
                throw ComputeError.backendIsFloat32(name: backend.rawValue)
            }
            return ReferenceBackend()
        }
        let type = computeType.resolved
        // A library that was asked for by name multiplies all that is float32. Where the processor lacks the
        // instructions for many rows, these are float32; a token's few rows gain everywhere.
        let tiles = type == .float32 && backend != .auto ? nil : TileKind(type) ?? TileKind(.float32)
        return KernelBackend(product: try product, threads: threadCount, computeType: type, tiles: tiles)
    }

    private var product: any MatrixProduct {
        get throws {
            switch backend {
            case .onednn: return try OneDNNProduct()
            case .auto: if let onednn = try? OneDNNProduct() { return onednn }
            default: break
            }
            return try OpenBLASProduct()
        }
    }
}

/// What is decoded at the same time, as far as memory depends on it.
public struct DecodingRoom: Sendable, Hashable {
    /// Windows side by side.
    public var windows: Int
    /// Beams or samples of each window.
    public var rowsPerWindow: Int

    /// - Parameter rowsPerWindow: 5 are the usual beam search.
    public init(windows: Int = 1, rowsPerWindow: Int = 5) {
        self.windows = max(1, windows)
        self.rowsPerWindow = max(1, rowsPerWindow)
    }
}
