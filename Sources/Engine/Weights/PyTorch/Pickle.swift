/// A value in a pickle. Composite values are indices into the arrays of their `Pickle`, so that values which contain each
/// other need no references.
enum PickleValue {
    case none
    case bool(Bool)
    case int(Int)
    case float(Double)
    case text(String)
    case global(PickleGlobal)
    case tuple(Int)
    case list(Int)
    case dictionary(Int)
    case storage(Int)
    case tensor(Int)

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var int: Int? { if case .int(let int) = self { int } else { nil } }
    /// An integer that is not negative.
    var count: Int? { int.flatMap { $0 >= 0 ? $0 : nil } }
}

/// The Python names that weight files may refer to. They are only recognized: nothing is imported or called.
enum PickleGlobal: Equatable {
    case orderedDictionary
    case rebuildTensor
    case rebuildParameter
    case storage(PickleStorage.Element)
    /// One of the names that are skipped.
    case other

    /// `nil` for all other names.
    init?(module: String, name: String) {
        switch (module, name) {
        case ("collections", "OrderedDict"): self = .orderedDictionary
        case ("torch._utils", "_rebuild_tensor_v2"): self = .rebuildTensor
        case ("torch._utils", "_rebuild_parameter"): self = .rebuildParameter
        case ("torch", _):
            guard let element = PickleStorage.Element(rawValue: name) else { return nil }
            self = .storage(element)
        default: return nil
        }
    }
}

/// A reference to the bytes of one or more tensors, stored next to the pickle.
struct PickleStorage {
    let element: Element
    /// The name of its entry in the archive, without the folder.
    let key: String
    /// The number of elements.
    let count: Int

    /// PyTorch's storage classes.
    enum Element: String {
        case float32 = "FloatStorage"
        case float16 = "HalfStorage"
        case bfloat16 = "BFloat16Storage"
        case float64 = "DoubleStorage"
        case int64 = "LongStorage"
        case int32 = "IntStorage"
        case int16 = "ShortStorage"
        case int8 = "CharStorage"
        case uint8 = "ByteStorage"
        case bool = "BoolStorage"

        /// `nil` for types that weights do not have.
        var weightType: ElementType? {
            switch self {
            case .float32: .f32
            case .float16: .f16
            case .bfloat16: .bf16
            case .float64: .f64
            default: nil
            }
        }
    }
}

/// A view of a storage. Offset and strides count elements; strides are not yet validated.
struct PickleTensor {
    /// Its index in `Pickle.storages`.
    let storage: Int
    let offset: Int
    let sizes: [Int]
    let strides: [Int]
}

/// An unpickled value and the arrays that its parts refer to.
struct Pickle {
    var root = PickleValue.none
    var tuples: [[PickleValue]] = []
    var lists: [[PickleValue]] = []
    var dictionaries: [[(key: PickleValue, value: PickleValue)]] = []
    var storages: [PickleStorage] = []
    var tensors: [PickleTensor] = []

    /// The members of a dictionary in their order, a key possibly several times; `nil` if `value` is not a dictionary.
    func members(_ value: PickleValue) -> [(key: PickleValue, value: PickleValue)]? {
        if case .dictionary(let index) = value { dictionaries[index] } else { nil }
    }

    func items(_ value: PickleValue) -> [PickleValue]? {
        if case .tuple(let index) = value { tuples[index] } else { nil }
    }

    /// The integers of a tuple; `nil` if `value` is anything else.
    func integers(_ value: PickleValue) -> [Int]? {
        guard let items = items(value) else { return nil }
        let integers = items.compactMap(\.int)
        return integers.count == items.count ? integers : nil
    }
}
