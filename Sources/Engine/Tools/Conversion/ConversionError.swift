package import EngineBasics
package import EngineWeights

/// Why a model cannot be converted to a number format.
package enum ConversionError: Error, Equatable, Sendable {
    case exists(FilePath)
    /// whisper.cpp's format cannot hold the model.
    case noRoom(path: FilePath)
    /// The rows of a matrix cannot be divided into blocks.
    case oddRow(path: FilePath, tensor: String, row: Int, type: ElementType)
    /// A weight, or the scale of the block of 32 weights that starts there, is too large for the format.
    case outOfRange(path: FilePath, tensor: String, index: Int, type: ElementType)
}

extension ConversionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .exists(let path): "\(path) already exists"
        case .noRoom(let path):
            "\(path) cannot be converted: ggml files hold only Parakeet models with a TDT decoder and an encoder without biases"
        case .oddRow(let path, let tensor, let row, let type):
            "\(path) cannot be converted to \(type.name): rows of tensor \(tensor) have \(row) elements, not a multiple of "
                + "\(type.blockLength)"
        case .outOfRange(let path, let tensor, let index, let type):
            "\(path) cannot be converted to \(type.name): element \(index) of tensor \(tensor) is too large"
        }
    }
}

/// What a conversion loses, apart from precision.
package enum ConversionWarning: Hashable, Sendable {
    /// The weights have already lost precision in `from`, which `to` cannot bring back.
    case alreadyQuantized(path: FilePath, from: ElementType, to: ElementType)
    /// The model has its own alignment heads, for which ggml files have no room.
    case alignmentHeads(path: FilePath)
}

extension ConversionWarning: CustomStringConvertible {
    package var description: String {
        switch self {
        case .alreadyQuantized(let path, let from, let to):
            "\(path) is already quantized: converting \(from.name) to \(to.name) "
                + (to.isQuantized
                    ? "loses precision twice; convert the original model instead" : "does not restore its precision")
        case .alignmentHeads(let path):
            "\(path) has its own alignment heads, which ggml files cannot store; word timestamps may be less accurate"
        }
    }
}

extension ElementType {
    /// As in file names and options: `q5_0`.
    package var name: String { rawValue.lowercased() }
}
