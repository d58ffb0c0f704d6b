/// A linear layer or convolution: `y = x · wᵀ + bias`.
package struct LinearLayer: Sendable {
    package let weight: any PackedMatrix
    package let bias: Tensor?

    package init(_ weight: any PackedMatrix, bias: Tensor?) {
        self.weight = weight
        self.bias = bias
    }

    package var outputs: Int { weight.outputs }

    /// `y = activation(x · wᵀ + bias)`, or `y += …`; rows of x may overlap.
    package func apply(
        _ x: TensorView, activation: Activation = .none, accumulate: Bool = false, into y: TensorView
    ) {
        weight.multiply(x, bias: bias, activation: activation, accumulate: accumulate, into: y)
    }
}

/// A layer norm.
package struct NormLayer: Sendable {
    private let gain: Tensor
    private let shift: Tensor

    package init(gain: Tensor, shift: Tensor) {
        self.gain = gain
        self.shift = shift
    }

    /// x and y may be the same.
    package func apply(_ x: TensorView, into y: TensorView, on backend: any ComputeBackend) {
        backend.layerNorm(x, gain: gain, shift: shift, into: y)
    }
}
