package import EngineModels

extension DecodingOptions {
    /// Maximum number of beams or samples: each needs its own key and value cache.
    package static let maxRows = 256
    /// The repetition penalties that leave every probability a finite number.
    package static let repetitionPenalties = 0.01...100.0

    /// Rejects options that contradict each other or with which no window could be decoded.
    ///
    /// - Parameter vocabularySize: of the model; ids must be below it.
    /// - Throws: `DecodingError` naming the option.
    package func validate(vocabularySize: Int) throws(DecodingError) {
        guard beamSize == nil || bestOf == nil else { throw .beamsAndSamples }
        guard bestOf == nil || temperature != 0 else { throw .samplesAtTemperatureZero }
        guard patience == nil || beamSize != nil else { throw .patienceWithoutBeams }
        try Self.require(temperature.isFinite && temperature >= 0, "temperature", temperature, "a number of at least 0")
        try checkRows()
        if let lengthPenalty {
            try Self.require((0...1).contains(lengthPenalty), "length penalty", lengthPenalty, "a number from 0 to 1")
        }
        if let lengthExponent {
            try Self.require(
                lengthExponent.isFinite && lengthPenalty == nil, "length exponent", lengthExponent,
                "a number, and no length penalty")
        }
        try checkCounts()
        try checkNumbers()
        try checkTokens(vocabularySize: vocabularySize)
    }

    /// Patience as the reference interprets it: `nil` and 0 mean 1.
    var effectivePatience: Double {
        guard let patience, patience != 0 else { return 1 }
        return patience
    }

    private func checkRows() throws(DecodingError) {
        let rows = "a number from 1 to \(Self.maxRows)"
        if let bestOf { try Self.require((1...Self.maxRows).contains(bestOf), "best-of", bestOf, rows) }
        guard let beamSize else { return }
        try Self.require((1...Self.maxRows).contains(beamSize), "beam size", beamSize, rows)
        try Self.require(
            effectivePatience.isFinite && BeamSearch.maxCandidates(size: beamSize, patience: effectivePatience) > 0,
            "patience", effectivePatience, "a number above 0 for which beam size × patience is at least 1")
    }

    private func checkCounts() throws(DecodingError) {
        if let sampleLength { try Self.require(sampleLength > 0, "sample length", sampleLength, "at least 1") }
        if let maxNewTokens { try Self.require(maxNewTokens > 0, "max new tokens", maxNewTokens, "at least 1") }
        if let forcedTokenCount {
            try Self.require(forcedTokenCount >= 0, "forced token count", forcedTokenCount, "at least 0")
        }
        try Self.require(noRepeatNgramSize >= 0, "no-repeat n-gram size", noRepeatNgramSize, "at least 0")
    }

    private func checkNumbers() throws(DecodingError) {
        try Self.require(
            Self.repetitionPenalties.contains(repetitionPenalty), "repetition penalty", repetitionPenalty,
            "a number from \(Self.repetitionPenalties.lowerBound) to \(Self.repetitionPenalties.upperBound)")
        if let maxInitialTimestamp {
            try Self.require(
                maxInitialTimestamp >= 0, "max initial timestamp", maxInitialTimestamp, "a number of at least 0")
        }
    }

    private func checkTokens(vocabularySize: Int) throws(DecodingError) {
        let suppressed = (suppressTokens ?? []).filter { $0 != -1 }
        let lists = [
            ("prompt", prompt), ("prefix", prefix), ("hotwords", hotwords), ("suppressed tokens", suppressed),
        ]
        for (name, ids) in lists {
            if let id = ids.first(where: { $0 < 0 || $0 >= vocabularySize }) {
                throw .unknownToken(option: name, id: id, vocabularySize: vocabularySize)
            }
        }
    }

    private static func require(
        _ condition: Bool, _ option: String, _ value: some CustomStringConvertible, _ allowed: String
    ) throws(DecodingError) {
        guard condition else { throw .outOfRange(option: option, value: value.description, allowed: allowed) }
    }
}
