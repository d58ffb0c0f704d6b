/// A weight row by row, float32 as it is or float16.
final class PlainMatrix: PackedMatrix {
    enum Storage: Sendable {
        case full(Tensor)
        case half(HalfTensor)
    }

    let storage: Storage
    let outputs: Int
    let inputs: Int

    init(storage: Storage, outputs: Int, inputs: Int) {
        self.storage = storage
        self.outputs = outputs
        self.inputs = inputs
    }

    var isFull: Bool {
        if case .full = storage { true } else { false }
    }
}
