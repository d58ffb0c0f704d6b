extension DecodingOptions {
    /// Most beams or samples of a window: each needs a key and value cache of its own.
    package static let maxRows = 256

    /// Refuses options that contradict each other or that no window could be decoded with.
    ///
    /// - Parameter vocabularySize: of the model; ids must be below.
    public func validate(vocabularySize: Int) throws(DecodingError) {
        guard beamSize == nil || bestOf == nil else { throw .beamsAndSamples }
        guard bestOf == nil || temperature != 0 else { throw .samplesAtTemperatureZero }
        guard patience == nil || beamSize != nil else { throw .patienceWithoutBeams }
        try Self.require(temperature.isFinite && temperature >= 0, "temperature", temperature, "a number from 0 on")
        try checkRows()
        if let lengthPenalty {
            try Self.require((0...1).contains(lengthPenalty), "length penalty", lengthPenalty, "a number from 0 to 1")
        }
        try checkCounts()
        try checkNumbers()
        try checkTokens(vocabularySize: vocabularySize)
    }

    /// Patience as the reference reads it: none and 0 are 1.
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
            "patience", effectivePatience, "a number above 0, so that beam size · patience is at least 1")
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
            repetitionPenalty.isFinite && Float(repetitionPenalty) > 0 && Float(repetitionPenalty).isFinite,
            "repetition penalty", repetitionPenalty, "a number above 0")
        if let maxInitialTimestamp {
            try Self.require(
                maxInitialTimestamp >= 0, "max initial timestamp", maxInitialTimestamp, "a number from 0 on")
        }
    }

    private func checkTokens(vocabularySize: Int) throws(DecodingError) {
        let suppressed = (suppressTokens ?? []).filter { $0 != -1 }
        let named = [
            ("prompt", prompt), ("prefix", prefix), ("hotwords", hotwords), ("suppressed tokens", suppressed),
        ]
        for (name, ids) in named {
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
