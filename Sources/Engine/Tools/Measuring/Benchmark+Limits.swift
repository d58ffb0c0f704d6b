package import EngineCompute
package import EngineModels

/// The parts of a model, and the time that this machine would need for each at best.
package struct PartLimits: Sendable {
    /// Times are milliseconds for a window, those of the fastest round.
    package struct Part: Sendable {
        package let stage: ModelPart.Stage
        /// `nil` for what is not in the other parts of the stage: what has no arithmetic to speak of, such as the search for
        /// tokens.
        package let name: String?
        package let calls: Int
        package let operations: Int
        /// Bytes of weights and cached keys and values.
        package let bytes: Int
        package let milliseconds: Double
        /// For its arithmetic at the peak of its instructions on all threads.
        package let computeMilliseconds: Double
        /// For its bytes at the speed of reading all bytes of the stage again and again.
        package let readMilliseconds: Double

        package var limitMilliseconds: Double { max(computeMilliseconds, readMilliseconds) }
        package var isBoundByReading: Bool { readMilliseconds > computeMilliseconds }
        /// The share of the time that the machine would need at best.
        package var ratio: Double { milliseconds > 0 ? limitMilliseconds / milliseconds : 0 }
    }

    /// A stage as a whole.
    package struct Stage: Sendable {
        package let stage: ModelPart.Stage
        package let milliseconds: Double
        /// The sum of those of its parts.
        package let limitMilliseconds: Double
        /// Different bytes that the parts read: in the decoder, those of a step.
        package let bytes: Int
        /// The speed of reading these bytes, in 10⁹ bytes per second.
        package let readSpeed: Double
        package var ratio: Double { milliseconds > 0 ? limitMilliseconds / milliseconds : 0 }
    }

    package let machine: MachineLimits
    package let parts: [Part]
    package let stages: [Stage]
    /// The number of tokens decoded in a round.
    package let tokens: Int
    package let options: Benchmark.Options
    package let threads: Int
    package let backend: String
    package let computeType: String
}

extension Benchmark {
    /// Measures the parts of the model, and what the machine allows. Requires `ComputeOptions.measures` and a backend other than the reference.
    ///
    /// - Parameter onRound: as for `run`.
    /// - Throws: errors of decoding; `ComputeError.outOfMemory`; `CancellationError`.
    package func limits(onRound: (Int) throws -> Void = { _ in }) throws -> PartLimits {
        guard let backend = model.backend as? MeasuringBackend else {
            preconditionFailure("a backend that does not measure")
        }
        let log = backend.log
        let timer = try timer()
        var measured: [MeasuredRound] = []
        for number in 0...options.rounds {
            try onRound(number)
            try Task.checkCancellation()
            _ = log.take()
            let times = try timer.measure(in: backend.stopwatch)
            var features = OperationTally()
            features.calls = 1
            features.time = times.mel
            features.add(timer.features)
            let operations = log.take().compactMap { entry in
                model.part(of: entry.operation).map { ($0, entry.operation, entry.tally) }
            }
            if number > 0 {
                measured.append(MeasuredRound(times, features: features, operations))
            }
        }
        guard let last = measured.last else { preconditionFailure("\(options.rounds) rounds") }
        let machine = try MachineLimits(threads: backend.threads, backend.stopwatch)
        var parts: [PartLimits.Part] = [], stages: [PartLimits.Stage] = []
        for stage in ModelPart.Stage.allCases {
            let own = last.parts.filter { $0.part.stage == stage }
            let bytes = last.bytes(of: stage)
            let speed = try machine.readSpeed(bytes: max(bytes, 1 << 20))
            func fastest(_ time: (MeasuredRound) -> Duration) -> Double {
                Self.milliseconds(measured.map(time).min() ?? .zero)
            }
            let first = parts.count
            for (part, tally) in own {
                let (compute, read) = machine.time(of: tally, readSpeed: speed)
                parts.append(
                    PartLimits.Part(
                        stage: stage, name: part.name, calls: tally.calls, operations: tally.operations,
                        bytes: tally.bytes, milliseconds: fastest { $0.time(of: part) },
                        computeMilliseconds: Self.milliseconds(compute), readMilliseconds: Self.milliseconds(read)))
            }
            stages.append(
                PartLimits.Stage(
                    stage: stage, milliseconds: fastest { $0.time(of: stage) },
                    limitMilliseconds: parts[first...].reduce(0) { $0 + $1.limitMilliseconds }, bytes: bytes,
                    readSpeed: speed))
            if stage != .features {
                parts.append(
                    PartLimits.Part(
                        stage: stage, name: nil, calls: 0, operations: 0, bytes: 0,
                        milliseconds: fastest { $0.rest(of: stage) }, computeMilliseconds: 0, readMilliseconds: 0))
            }
        }
        return PartLimits(
            machine: machine, parts: parts, stages: stages, tokens: last.times.tokens, options: options,
            threads: backend.threads, backend: backend.name, computeType: backend.computeType.rawValue)
    }
}

/// A window and what was executed for it.
private struct MeasuredRound {
    typealias Operation = (part: ModelPart, operation: NetworkOperation, tally: OperationTally)

    let times: WindowTimes
    private let operations: [Operation]
    /// Each part once, in the order of their first operations.
    let parts: [(part: ModelPart, tally: OperationTally)]

    init(_ times: WindowTimes, features: OperationTally, _ operations: [Operation]) {
        self.times = times
        self.operations = operations
        var parts: [(part: ModelPart, tally: OperationTally)] = [(ModelPart(.features, "log-mel"), features)]
        for (part, _, tally) in operations {
            if let index = parts.firstIndex(where: { $0.part == part }) {
                parts[index].tally.add(tally)
            } else {
                parts.append((part, tally))
            }
        }
        self.parts = parts
    }

    /// The different bytes that a stage reads: the weight of a product is the same in each call, whereas each layer has
    /// its own cached keys and values, which are read as often as the weights.
    func bytes(of stage: ModelPart.Stage) -> Int {
        let own = operations.filter { $0.part.stage == stage }
        let steps = own.filter { $0.operation.isProduct }.map(\.tally.calls).max() ?? 1
        return own.reduce(0) { $0 + $1.tally.bytes / max(1, min($1.tally.calls, steps)) }
    }

    func time(of part: ModelPart) -> Duration { parts.first { $0.part == part }?.tally.time ?? .zero }

    func time(of stage: ModelPart.Stage) -> Duration {
        switch stage {
        case .features: times.mel
        case .encoder: times.encode
        case .decoder: times.decode
        }
    }

    func rest(of stage: ModelPart.Stage) -> Duration {
        max(.zero, parts.filter { $0.part.stage == stage }.reduce(time(of: stage)) { $0 - $1.tally.time })
    }
}
