public import EngineBasics

/// The number format of weights and products.
public enum ComputeType: String, Sendable, CaseIterable {
    /// int16, or float32 where int16 would not be faster.
    case auto
    /// The reference's format, for identical results.
    case float32
    case bfloat16
    /// 16-bit integers with one scale per weight output and per input row: as fast as bfloat16, with a third of its error,
    /// on x86-64. ARM has no kernels for it: its products of 16-bit integers are no faster than those of float32.
    case int16
    /// 8-bit integers with one scale per weight output and per input row.
    case int8
}

extension ComputeType {
    /// Whether this processor supports the format without falling back to float32 for many-row products.
    package var isAvailable: Bool { self == .auto || TileKind(self) != nil }

    /// The concrete format on this processor. `auto` is not int8, which is further from float32's words (docs/words.md).
    package var resolved: ComputeType {
        guard self == .auto else { return self }
        return Self.int16.isAvailable ? .int16 : .float32
    }
}

/// Options for computing the network.
public struct ComputeOptions: Sendable, Hashable {
    /// The library that multiplies matrices.
    public enum Backend: String, Sendable, CaseIterable {
        /// The engine's kernels.
        case auto
        case openblas
        /// Plain loops, the reference for testing the others; slow and float32 only.
        case reference
    }

    public var backend: Backend = .auto
    public var computeType: ComputeType = .auto
    /// The number of threads; `nil` means one per core available to this process.
    public var threads: Int?
    /// A folder in which processes of this user share the packed weights of the models they load, so that only one copy
    /// is in memory; created if necessary. The first process stores the weights, the others map the file. With `nil`,
    /// the default, every process has its own copy, and so it does if the folder cannot be used: on a file server, for
    /// example, or on a full disk.
    public var packedWeights: FilePath?
    /// The decoding capacity whose memory is checked for when a model is loaded.
    package var decoding = DecodingCapacity()
    /// What a `MeasuringBackend` measures in; `nil` for another backend.
    package var measures: Stopwatch?

    public init(backend: Backend = .auto, computeType: ComputeType = .auto, threads: Int? = nil) {
        self.backend = backend
        self.computeType = computeType
        self.threads = threads
    }

    package var threadCount: Int { threads ?? Processor.availableCores }

    /// The concrete format. A library requested by name computes all products in float32 unless a type is requested, too.
    package var resolvedType: ComputeType { computeType == .auto && backend != .auto ? .float32 : computeType.resolved }

    /// - Throws: `ComputeError` if a library is missing or the backend does not support the compute type.
    package func makeBackend() throws -> any ComputeBackend {
        if backend == .reference {
            guard computeType == .auto || computeType == .float32 else {
                throw ComputeError.backendIsFloat32(name: backend.rawValue)
            }
            return ReferenceBackend()
        }
        let type = resolvedType
        // If the processor has no kernels for the type, many-row products are computed in float32; few-row products use the
        // type everywhere.
        let own = type == .float32 ? nil : TileKind(type)
        let tiles = own ?? (backend == .auto ? TileKind(.float32) : nil)
        let backend = KernelBackend(product: try product, threads: threadCount, computeType: type, tiles: tiles)
        return measures.map { MeasuringBackend(backend, $0) } ?? backend
    }

    private var product: any MatrixProduct {
        get throws {
            // OpenBLAS is opened only on request: that takes longer than a short recording.
            if backend == .auto, let own = TileProduct() { return own }
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
