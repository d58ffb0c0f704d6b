package import EngineBasics

/// A backend that does what another does, and records how long each operation takes and what it has to do. What is
/// outside of it, such as the search for tokens, is not recorded.
package final class MeasuringBackend: ComputeBackend {
    package let log = OperationLog()
    package let stopwatch: Stopwatch
    fileprivate let backend: KernelBackend
    private let attentionNumber: Int
    private let cachedAttentionNumber: Int
    private let crossAttentionNumber: Int
    private let crossFillNumber: Int
    private let gateNumber: Int
    private let convolveRowsNumber: Int
    private let halveNumber: Int

    init(_ backend: KernelBackend, _ stopwatch: Stopwatch) {
        self.backend = backend
        self.stopwatch = stopwatch
        attentionNumber = log.number(of: .attention)
        cachedAttentionNumber = log.number(of: .cachedAttention)
        crossAttentionNumber = log.number(of: .crossAttention)
        crossFillNumber = log.number(of: .crossFill)
        gateNumber = log.number(of: .gate)
        convolveRowsNumber = log.number(of: .convolveRows)
        halveNumber = log.number(of: .halve)
    }

    package var name: String { backend.name }
    package var kernels: String { backend.kernels }
    package var threads: Int { backend.threads }
    package var computeType: ComputeType { backend.computeType }
    package var cachePrecision: CachePrecision { backend.cachePrecision }
    package var hasIndependentRows: Bool { backend.hasIndependentRows }
    private var attentionKind: TileKind { backend.attentionKernels?.kind ?? .float32 }

    private func measure(_ number: Int, _ work: OperationWork, _ body: () -> Void) {
        log.record(number, work, stopwatch.measure(body))
    }

    package func share(_ count: Int, minimum: Int, _ body: (Range<Int>) -> Void) {
        backend.share(count, minimum: minimum, body)
    }

    package func withScratch(_ count: Int, _ body: (Tensor) -> Void) { backend.withScratch(count, body) }

    package func prepare(_ rows: any MatrixRows, for use: MatrixUse) throws -> any PackedMatrix {
        MeasuredMatrix(
            matrix: try backend.prepare(rows, for: use), log: log, stopwatch: stopwatch,
            number: log.number(of: .product(rows.name ?? "")))
    }

    package func layerNorm(_ x: TensorView, gain: Tensor, shift: Tensor, into y: TensorView) {
        log.recordBeforeNext(stopwatch.measure { backend.layerNorm(x, gain: gain, shift: shift, into: y) })
    }

    package func add(_ y: TensorView, to x: TensorView) {
        log.recordAfterLast(stopwatch.measure { backend.add(y, to: x) })
    }

    package func attention(
        queries: TensorView, keys: TensorView, values: TensorView, heads: Int, then rest: (any PackedHeads)?,
        into out: TensorView
    ) {
        let seen = max(keys.rows, rest?.positions ?? 0)
        measure(
            attentionNumber,
            .attention(queries: queries.rows, keys: seen, columns: queries.columns, kind: attentionKind)
        ) { backend.attention(queries: queries, keys: keys, values: values, heads: heads, then: rest, into: out) }
    }

    package func heads(positions: Int, heads: Int, size: Int, in arena: WeightArena) throws -> any PackedHeads {
        try backend.heads(positions: positions, heads: heads, size: size, in: arena)
    }

    package func store(keys: TensorView, values: TensorView, in packed: any PackedHeads) {
        backend.store(keys: keys, values: values, in: packed)
    }

    package func prepare(_ positions: RelativePositions) throws -> any PackedPositions {
        try backend.prepare(positions)
    }

    package func attention(
        queries: TensorView, keys: TensorView, values: TensorView, positions: any PackedPositions, into out: TensorView
    ) {
        measure(
            attentionNumber,
            .attention(
                queries: queries.rows, keys: keys.rows, columns: queries.columns, isRelative: true, kind: attentionKind)
        ) { backend.attention(queries: queries, keys: keys, values: values, positions: positions, into: out) }
    }

    package func attention(queries: TensorView, cache: CachedAttention, heads: Int, into out: TensorView) {
        measure(cachedAttentionNumber, .cachedAttention(counts: cache.counts, columns: queries.columns)) {
            backend.attention(queries: queries, cache: cache, heads: heads, into: out)
        }
    }

    package func attention(queries: TensorView, cross: CrossAttentionCache, into out: TensorView) {
        measure(crossAttentionNumber, work(rows: queries.rows, over: cross)) {
            backend.attention(queries: queries, cross: cross, into: out)
        }
    }

    package func attention(
        queries: TensorView, windows: Int, window: (Int) -> (rows: Range<Int>, cross: CrossAttentionCache),
        into out: TensorView
    ) {
        var work = OperationWork(operations: 0)
        for index in 0..<windows {
            let (rows, cross) = window(index), own = self.work(rows: rows.count, over: cross)
            work.operations += own.operations
            work.bytes += own.bytes
        }
        measure(crossAttentionNumber, work) {
            backend.attention(queries: queries, windows: windows, window: window, into: out)
        }
    }

    private func work(rows: Int, over cross: CrossAttentionCache) -> OperationWork {
        .crossAttention(
            rows: rows, positions: cross.positions, columns: cross.heads * cross.headSize, precision: cachePrecision)
    }

    package func crossScores(queries: TensorView, cross: CrossAttentionCache, head: Int, columns: Int) -> [Float] {
        backend.crossScores(queries: queries, cross: cross, head: head, columns: columns)
    }

    package func fill(_ cache: CrossAttentionCache, keys: TensorView, values: TensorView, from start: Int) {
        let bytes = 2 * keys.rows * keys.columns * cachePrecision.bytes
        measure(crossFillNumber, OperationWork(operations: 0, bytes: bytes)) {
            backend.fill(cache, keys: keys, values: values, from: start)
        }
    }

    package func gate(_ x: TensorView, into y: TensorView) {
        measure(gateNumber, OperationWork(operations: 0)) { backend.gate(x, into: y) }
    }

    package func convolveRows(
        _ x: TensorView, kernel: Tensor, before: Int, bias: Tensor, activation: Activation, into y: TensorView
    ) {
        measure(convolveRowsNumber, OperationWork(operations: 2 * y.rows * kernel.count)) {
            backend.convolveRows(x, kernel: kernel, before: before, bias: bias, activation: activation, into: y)
        }
    }

    package func halve(_ image: ImageRows, by kernels: ImageKernels, activation: Activation, into y: ImageRows) {
        measure(halveNumber, OperationWork(operations: 2 * 9 * y.range.count * y.columns * y.channels)) {
            backend.halve(image, by: kernels, activation: activation, into: y)
        }
    }
}

extension ComputeBackend {
    /// The backend that computes, if this one measures it.
    package var unmeasured: any ComputeBackend { (self as? MeasuringBackend)?.backend ?? self }
}

/// A weight whose products are recorded.
private struct MeasuredMatrix: PackedMatrix {
    let matrix: any PackedMatrix
    let log: OperationLog
    let stopwatch: Stopwatch
    /// Of its product.
    let number: Int
    var outputs: Int { matrix.outputs }
    var inputs: Int { matrix.inputs }
    var scratch: ScratchPool { matrix.scratch }

    func copyRow(_ index: Int, to tensor: Tensor, at offset: Int) { matrix.copyRow(index, to: tensor, at: offset) }

    private func measure(rows: Int, scans: Bool = false, _ body: () -> Void) {
        log.record(number, matrix.work(rows: rows, scans: scans), stopwatch.measure(body))
    }

    func multiply(_ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, into y: TensorView) {
        measure(rows: x.rows) {
            matrix.multiply(x, bias: bias, activation: activation, accumulate: accumulate, into: y)
        }
    }

    func convolve(_ x: Tensor, _ rows: ConvolutionLayout, bias: Tensor?, accumulate: Bool, into y: Tensor) {
        measure(rows: rows.groups * rows.rows) {
            matrix.convolve(x, rows, bias: bias, accumulate: accumulate, into: y)
        }
    }

    func scores(_ x: TensorView, bias: Tensor?, needs: ScoreNeeds?, into y: TensorView) {
        measure(rows: x.rows, scans: needs != nil) { matrix.scores(x, bias: bias, needs: needs, into: y) }
    }
}
