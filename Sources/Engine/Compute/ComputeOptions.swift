/// The number format of weights and products.
public enum ComputeType: String, Sendable, CaseIterable {
    /// The format that reproduces the reference's results: float32.
    case auto
    /// The reference's format.
    case float32
    case bfloat16
    /// 8-bit integers with one scale per weight output and per input row.
    case int8
}

extension ComputeType {
    /// Whether this processor supports the format without falling back to float32 for many-row products.
    package var isAvailable: Bool { self == .auto || self == .float32 || TileKind(self) != nil }

    /// The concrete format; `auto` is float32, because matching the reference takes precedence over speed.
    package var resolved: ComputeType { self == .auto ? .float32 : self }
}

/// Options for computing the network.
public struct ComputeOptions: Sendable, Hashable {
    /// The library that multiplies matrices.
    public enum Backend: String, Sendable, CaseIterable {
        /// oneDNN if available, otherwise OpenBLAS.
        case auto
        case openblas
        case onednn
        /// Plain loops, the reference for testing the others; slow and float32 only.
        case reference
    }

    public var backend: Backend = .auto
    public var computeType: ComputeType = .auto
    /// The number of threads; `nil` means one per core available to this process.
    public var threads: Int?
    /// The decoding capacity whose memory is checked for when a model is loaded.
    package var decoding = DecodingCapacity()

    public init(backend: Backend = .auto, computeType: ComputeType = .auto, threads: Int? = nil) {
        self.backend = backend
        self.computeType = computeType
        self.threads = threads
    }

    var threadCount: Int { threads ?? Processor.availableCores }

    /// - Throws: `ComputeError` if a library is missing or the backend does not support the compute type.
    package func makeBackend() throws -> any ComputeBackend {
        if backend == .reference {
            guard computeType == .auto || computeType == .float32 else {
                throw ComputeError.backendIsFloat32(name: backend.rawValue)
            }
            return ReferenceBackend()
        }
        let type = computeType.resolved
        // A library requested by name computes all float32 products. If the processor has no kernels for the type,
        // many-row products are computed in float32; few-row products use the type everywhere.
        let own = type == .float32 ? nil : TileKind(type)
        let tiles = own ?? (backend == .auto ? TileKind(.float32) : nil)
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

/// How much is decoded in parallel, which determines memory use.
package struct DecodingCapacity: Sendable, Hashable {
    /// The number of windows decoded together.
    package var windows: Int
    /// The number of beams or samples per window.
    package var rowsPerWindow: Int

    /// - Parameter rowsPerWindow: 5 is the usual beam size.
    package init(windows: Int = 1, rowsPerWindow: Int = 5) {
        self.windows = max(1, windows)
        self.rowsPerWindow = max(1, rowsPerWindow)
    }
}
