package import EngineWeights

/// The rows of a weight `[outputs, inputs]` before it is packed. They are read range by range, so that a weight is
/// converted from the bytes of its file to its final layout without a copy in between.
package protocol MatrixRows: Sendable {
    var outputs: Int { get }
    var inputs: Int { get }

    /// Calls `body` with the rows in `range`, one after another; on any thread.
    ///
    /// - Throws: the errors of `WeightTensor.floats`.
    func read(_ range: Range<Int>, _ body: (UnsafePointer<Float>) -> Void) throws(ModelError)

    /// All rows as one tensor.
    ///
    /// - Throws: `ComputeError.outOfMemory` and the errors of `WeightTensor.floats`.
    func floats(by backend: any ComputeBackend) throws -> Tensor

    /// The tensors that have these rows, one below the other, if all are float16; else `nil`.
    var halves: [WeightTensor]? { get }

    /// The name of the tensor that has these rows, or the first of them; `nil` if they come from none.
    var name: String? { get }
}

extension MatrixRows {
    package var halves: [WeightTensor]? { nil }

    package var name: String? { nil }

    package func floats(by backend: any ComputeBackend) throws -> Tensor {
        let floats = try Tensor(count: outputs * inputs)
        unsafe try read(0..<outputs) { unsafe floats.base.update(from: $0, count: floats.count) }
        return floats
    }
}

/// Rows in memory.
struct TensorRows: MatrixRows {
    let tensor: Tensor
    let outputs: Int
    let inputs: Int

    init(_ tensor: Tensor, outputs: Int, inputs: Int) {
        precondition(tensor.count == outputs * inputs, "\(tensor.count) weights for \(outputs) × \(inputs)")
        self.tensor = tensor
        self.outputs = outputs
        self.inputs = inputs
    }

    func read(_ range: Range<Int>, _ body: (UnsafePointer<Float>) -> Void) throws(ModelError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= outputs, "rows \(range) of \(outputs)")
        unsafe body(tensor.base + range.lowerBound * inputs)
    }

    func floats(by backend: any ComputeBackend) throws -> Tensor { tensor }
}

/// The rows of tensors of a file, one below the other.
package struct FileRows: MatrixRows {
    private struct Part {
        /// The rows of the whole matrix that it has.
        let rows: Range<Int>
        let tensor: WeightTensor
        let gathered: GatheredElements
    }

    package let outputs: Int
    package let inputs: Int
    private let parts: [Part]
    private let scratch: ScratchPool

    /// - Parameter scratch: reused from one matrix to the next.
    package init(_ tensors: [WeightTensor], outputs: Int, inputs: Int, scratch: ScratchPool) throws(ModelError) {
        var parts: [Part] = [], first = 0
        for tensor in tensors {
            let rows = first..<(first + tensor.count / inputs)
            precondition(rows.count * inputs == tensor.count, "\(tensor.count) weights in rows of \(inputs)")
            parts.append(Part(rows: rows, tensor: tensor, gathered: GatheredElements(tensor)))
            first = rows.upperBound
        }
        precondition(first == outputs, "\(first) rows, expected \(outputs)")
        self.outputs = outputs
        self.inputs = inputs
        self.parts = parts
        self.scratch = scratch
    }

    package func read(_ range: Range<Int>, _ body: (UnsafePointer<Float>) -> Void) throws(ModelError) {
        let count = range.count * inputs
        let bytes = parts.map { $0.tensor.size(of: count) }.max() ?? 0
        var failure: ModelError?
        scratch.with(count + (bytes + 3) / 4) { floats in
            let stored = unsafe UnsafeMutableRawPointer(floats.base + count)
            do throws(ModelError) {
                for part in parts where part.rows.overlaps(range) {
                    let rows = part.rows.clamped(to: range), first = (rows.lowerBound - part.rows.lowerBound) * inputs
                    unsafe try part.tensor.read(
                        first..<(first + rows.count * inputs), part.gathered.elements(), stored: stored,
                        into: floats.base + (rows.lowerBound - range.lowerBound) * inputs)
                }
            } catch { return failure = error }
            unsafe body(floats.base)
        }
        if let failure { throw failure }
    }

    package func floats(by backend: any ComputeBackend) throws -> Tensor {
        let floats = try Tensor(count: outputs * inputs)
        for part in parts { try part.tensor.write(to: floats, at: part.rows.lowerBound * inputs, by: backend) }
        return floats
    }

    package var halves: [WeightTensor]? {
        parts.allSatisfy { $0.tensor.type == .f16 } ? parts.map(\.tensor) : nil
    }

    package var name: String? { parts.first?.tensor.name }
}

extension WeightTensor {
    /// The rows of the matrix, read as those of a model are.
    package func matrixRows() throws(ModelError) -> any MatrixRows {
        precondition(shape.count > 1 && shape[0] > 0, "\(shape)")
        return try FileRows([self], outputs: shape[0], inputs: count / shape[0], scratch: ScratchPool())
    }
}

/// Rows multiplied by a number.
package struct ScaledRows: MatrixRows {
    private let rows: any MatrixRows
    private let factor: Float
    private let scratch: ScratchPool
    package var outputs: Int { rows.outputs }
    package var inputs: Int { rows.inputs }
    package var name: String? { rows.name }

    package init(_ rows: any MatrixRows, by factor: Float, scratch: ScratchPool) {
        self.rows = rows
        self.factor = factor
        self.scratch = scratch
    }

    package func read(_ range: Range<Int>, _ body: (UnsafePointer<Float>) -> Void) throws(ModelError) {
        let count = range.count * inputs
        unsafe try rows.read(range) { numbers in
            scratch.with(count) { scaled in
                for i in 0..<count { unsafe scaled.base[i] = numbers[i] * factor }
                unsafe body(scaled.base)
            }
        }
    }
}

/// A convolution over adjacent frames as a matrix: rows of its kernel `[out, in, frames]` are transposed to put the frame
/// before the channel, so that the adjacent frames in memory form one input row.
package struct ConvolutionRows: MatrixRows {
    private let kernel: FileRows
    private let frames: Int
    private let scratch: ScratchPool
    package var outputs: Int { kernel.outputs }
    package var inputs: Int { kernel.inputs }
    package var name: String? { kernel.name }

    /// - Parameter kernel: `[out, in, frames]`, or the same with the last two dimensions as one.
    package init(_ kernel: WeightTensor, frames: Int, scratch: ScratchPool) throws(ModelError) {
        let outputs = kernel.shape[0]
        precondition(kernel.count % (outputs * frames) == 0, "\(kernel.shape) over \(frames) frames")
        self.frames = frames
        self.kernel = try FileRows([kernel], outputs: outputs, inputs: kernel.count / outputs, scratch: scratch)
        self.scratch = scratch
    }

    package func read(_ range: Range<Int>, _ body: (UnsafePointer<Float>) -> Void) throws(ModelError) {
        let inputs = inputs, frames = frames, channels = inputs / frames
        unsafe try kernel.read(range) { rows in
            scratch.with(range.count * inputs) { turned in
                for row in 0..<range.count {
                    let from = unsafe rows + row * inputs, to = unsafe turned.base + row * inputs
                    for channel in 0..<channels {
                        for frame in 0..<frames {
                            unsafe to[frame * channels + channel] = from[channel * frames + frame]
                        }
                    }
                }
                unsafe body(turned.base)
            }
        }
    }
}
