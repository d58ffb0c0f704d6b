import CKernels
import Glibc

/// Adjacent rows of an image, `[rows, columns, channels]`.
package struct ImageRows: Sendable {
    package let pixels: Tensor
    /// The element of the first of these rows.
    package let offset: Int
    /// Which rows of the image they are.
    package let range: Range<Int>
    /// The number of rows of the whole image, beyond which it is zero.
    package let rows: Int
    package let columns: Int
    package let channels: Int

    package init(
        _ pixels: Tensor, offset: Int = 0, range: Range<Int>, of rows: Int, columns: Int, channels: Int
    ) {
        precondition(
            offset >= 0 && range.lowerBound >= 0 && range.upperBound <= rows
                && offset + range.count * columns * channels <= pixels.count,
            "\(range) of \(rows) rows of \(columns) × \(channels) at \(offset) in \(pixels.count) numbers")
        self.pixels = pixels
        self.offset = offset
        self.range = range
        self.rows = rows
        self.columns = columns
        self.channels = channels
    }

    /// Each pixel as a row of its channels.
    package var view: TensorView {
        pixels.rows(range.count * columns, columns: channels, from: offset)
    }

    /// The rows of an image that those of the image of half its size depend on.
    ///
    /// - Parameter before: of `ImageKernels`.
    package static func sources(of range: Range<Int>, rows: Int, before: Int) -> Range<Int> {
        max(0, 2 * range.lowerBound - before)..<max(0, min(rows, 2 * range.upperBound + 1 - before))
    }

    /// The number of rows or columns after halving.
    package static func half(_ count: Int, before: Int) -> Int { (count + before) / 2 }
}

/// Kernels of 3 × 3 pixels, which see the only channel of an image, or one channel each.
package struct ImageKernels: Sendable {
    /// `[9, outputs]`, row by row of the kernel.
    let weights: Tensor
    let bias: Tensor
    /// Rows and columns of zeros before the image; after it there is one.
    let before: Int

    /// - Parameters:
    ///   - weights: `[outputs, 3, 3]`; outputs are a multiple of 16.
    ///   - bias: `[outputs]`.
    ///   - before: 1, or 2 if no pixel may see later ones than at twice its place.
    package init(_ weights: Tensor, bias: Tensor, before: Int) throws(ComputeError) {
        precondition(
            weights.count == 9 * bias.count && bias.count % 16 == 0 && (1...2).contains(before),
            "\(weights.count), \(bias.count), \(before)")
        self.weights = try weights.transposed(rows: bias.count)
        self.bias = bias
        self.before = before
    }

    var outputs: Int { bias.count }
}

extension Tensor {
    /// The transpose of a matrix of `rows` rows.
    package func transposed(rows: Int) throws(ComputeError) -> Tensor {
        let columns = count / rows, result = try Tensor(count: count)
        for row in 0..<rows {
            for column in 0..<columns { result[column * rows + row] = self[row * columns + column] }
        }
        return result
    }
}

extension KernelBackend {
    package func gate(_ x: TensorView, into y: TensorView) {
        precondition(
            x.rows == y.rows && x.columns == 2 * y.columns && y.columns % 16 == 0,
            "\(x.rows) × \(x.columns) into \(y.rows) × \(y.columns)")
        share(x.rows, minimum: 16) { rows in
            unsafe ck_gate(x.row(rows.lowerBound), x.stride, y.row(rows.lowerBound), y.stride, rows.count, y.columns)
        }
    }

    package func convolveRows(
        _ x: TensorView, kernel: Tensor, before: Int, bias: Tensor, activation: Activation, into y: TensorView
    ) {
        let n = x.columns, taps = kernel.count / max(1, n)
        precondition(
            n == y.columns && n % 16 == 0 && kernel.count == taps * n && bias.count == n
                && (0..<max(1, taps)).contains(before) && x.rows >= y.rows,
            "\(x.rows) × \(n) by \(kernel.count), \(before), into \(y.rows) × \(y.columns)")
        share(y.rows, minimum: 16) { rows in
            unsafe ck_convolve_rows(
                x.base, x.stride, x.rows, n, kernel.base, taps, before, bias.base, activation.code, rows.lowerBound,
                rows.upperBound, y.base, y.stride)
        }
    }

    package func halve(_ image: ImageRows, by kernels: ImageKernels, activation: Activation, into y: ImageRows) {
        image.check(kernels, into: y)
        let row = y.columns * y.channels
        share(y.range.count, minimum: 1) { rows in
            let source = unsafe ck_image(
                pixels: image.pixels.base + image.offset, first: image.range.lowerBound, rows: image.rows,
                columns: image.columns, channels: image.channels, before: kernels.before)
            unsafe withUnsafePointer(to: source) { source in
                unsafe ck_halve_image(
                    source, y.channels, kernels.weights.base, kernels.bias.base, activation.code,
                    y.range.lowerBound + rows.lowerBound, y.range.lowerBound + rows.upperBound,
                    y.pixels.base + y.offset + rows.lowerBound * row)
            }
        }
    }
}

extension ImageRows {
    /// Traps if these rows are not enough for those of the half image, or have other sizes.
    func check(_ kernels: ImageKernels, into y: ImageRows) {
        let needed = Self.sources(of: y.range, rows: rows, before: kernels.before)
        precondition(
            y.rows == Self.half(rows, before: kernels.before) && y.columns == Self.half(columns, before: kernels.before)
                && y.channels == kernels.outputs
                && (channels == 1 || channels == y.channels)
                && range.lowerBound <= needed.lowerBound && range.upperBound >= needed.upperBound,
            "rows \(range) of \(rows) × \(columns) × \(channels) to \(y.range) of \(y.rows) × \(y.columns)")
    }
}

extension ReferenceBackend {
    package func gate(_ x: TensorView, into y: TensorView) {
        for row in 0..<x.rows {
            let values = x.slice(rows: row..<(row + 1)).values, n = y.columns
            let gated = (0..<n).map { (i: Int) -> Float in values[i] / (1 + expf(-values[n + i])) }
            y.tensor.write(gated, at: y.offset + row * y.stride)
        }
    }

    package func convolveRows(
        _ x: TensorView, kernel: Tensor, before: Int, bias: Tensor, activation: Activation, into y: TensorView
    ) {
        let input = rows(of: x), n = x.columns, taps = kernel.count / n
        for row in 0..<y.rows {
            var sums = bias.values(0..<n)
            for tap in 0..<taps {
                let from = row + tap - before
                guard input.indices.contains(from) else { continue }
                for column in 0..<n { sums[column] += kernel[tap * n + column] * input[from][column] }
            }
            y.tensor.write(sums.map { activation.apply(to: $0) }, at: y.offset + row * y.stride)
        }
    }

    package func halve(_ image: ImageRows, by kernels: ImageKernels, activation: Activation, into y: ImageRows) {
        image.check(kernels, into: y)
        func pixel(_ row: Int, _ column: Int, _ channel: Int) -> Float {
            guard row >= 0, row < image.rows, column >= 0, column < image.columns else { return 0 }
            let at = (row - image.range.lowerBound) * image.columns + column
            return image.pixels[image.offset + at * image.channels + (image.channels == 1 ? 0 : channel)]
        }
        for (index, row) in y.range.enumerated() {
            for column in 0..<y.columns {
                for channel in 0..<y.channels {
                    var sum = kernels.bias[channel]
                    for tap in 0..<9 {
                        let (above, left) = (2 * row - kernels.before, 2 * column - kernels.before)
                        let value = pixel(above + tap / 3, left + tap % 3, channel)
                        sum += kernels.weights[tap * y.channels + channel] * value
                    }
                    y.pixels[y.offset + (index * y.columns + column) * y.channels + channel] = activation.apply(to: sum)
                }
            }
        }
    }
}
