/// The activation function applied to the result of a linear layer.
package enum Activation: Sendable {
    case none
    /// The exact GELU, x/2 · (1 + erf(x/√2)).
    case gelu
    /// x / (1 + e⁻ˣ), also called swish.
    case silu
    /// The maximum of x and 0.
    case relu
}

/// How a weight will be used, which determines its layout.
package enum MatrixUse: Sendable {
    /// Multiplied with a whole window at a time; bound by arithmetic.
    case manyRows
    /// Like `manyRows`, for inputs that come from an activation: rows of a few large and many small values, of which 8
    /// bits with a single scale would keep only the large ones.
    case activatedRows
    /// Like `manyRows`, for the first layers of a network: what 8 bits lose there, all others lose, too.
    case firstRows
    /// Like `manyRows`, for a weight that is not kept with those of the model: its memory is released with it.
    case once
    /// Multiplied with one token of each of a few hypotheses at a time; bound by memory bandwidth.
    case fewRows
    /// Like `fewRows`, but rows are also looked up, and the top values of the product matter most (`scores`).
    case table
}

/// A weight in the layout that its backend multiplies fastest.
///
/// Shapes that do not match the description are programming errors and trap.
package protocol PackedMatrix: Sendable {
    /// The number of rows of the weight, which is the length of a result row.
    var outputs: Int { get }
    /// The number of columns of the weight, which is the length of an input row.
    var inputs: Int { get }
    /// Memory for intermediate results.
    var scratch: ScratchPool { get }

    /// Copies row `index` to `tensor`, starting at element `offset`. 0 ≤ index < outputs.
    func copyRow(_ index: Int, to tensor: Tensor, at offset: Int)

    /// `y = activation(x · wᵀ + bias)`, or `y += x · wᵀ + bias` with `accumulate`, which excludes an activation.
    ///
    /// - Parameters:
    ///   - x: `[rows, inputs]`; rows may overlap.
    ///   - bias: `[outputs]`, required with GELU.
    ///   - y: `[rows, outputs]`.
    func multiply(_ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, into y: TensorView)

    /// `y = x · wᵀ + bias`, or `y += …` with `accumulate`, for the rows of a convolution, which may overlap.
    func convolve(_ x: Tensor, _ rows: ConvolutionLayout, bias: Tensor?, accumulate: Bool, into y: Tensor)

    /// `y = x · wᵀ + bias` for a weight prepared as a table: exact where `needs` requires it and approximate elsewhere;
    /// exact everywhere if `needs` is `nil`. Shapes as in `multiply`.
    func scores(_ x: TensorView, bias: Tensor?, needs: ScoreNeeds?, into y: TensorView)
}

extension PackedMatrix {
    package func scores(_ x: TensorView, bias: Tensor?, needs: ScoreNeeds?, into y: TensorView) {
        multiply(x, bias: bias, activation: .none, accumulate: false, into: y)
    }

    /// Traps if the shapes of a product do not match.
    func check(_ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, into y: TensorView) {
        precondition(
            x.columns == inputs && y.columns == outputs && x.rows == y.rows,
            "\(x.rows) × \(x.columns) by \(outputs) × \(inputs) into \(y.rows) × \(y.columns)")
        precondition(bias == nil || bias?.count == outputs, "bias of \(bias?.count ?? 0)")
        precondition(!accumulate || activation == .none, "accumulation excludes an activation")
    }
}

/// The elements of a table's product that must be exact, so that work on the rest can be saved.
package struct ScoreNeeds: Sendable, Hashable {
    /// The number of top values that must be exact, not counting columns in `never` and those from `exactFrom`.
    package var best: Int
    /// Columns that are not needed; they may become -infinity.
    package var never: [Int]
    /// All values from this column on must be exact.
    package var exactFrom: Int
    /// Columns below `exactFrom` that must be exact, too, where they may exceed the last of the top values.
    package var preferred: [Preferred] = []

    package init(best: Int, never: [Int], exactFrom: Int) {
        self.best = best
        self.never = never
        self.exactFrom = exactFrom
    }

    /// A column with what is at most added to its value before it is compared with others.
    package struct Preferred: Sendable, Hashable {
        package let column: Int
        package let bonus: Float

        package init(column: Int, bonus: Float) {
            self.column = column
            self.bonus = bonus
        }
    }
}
