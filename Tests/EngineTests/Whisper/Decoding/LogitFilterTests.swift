import Testing

@Suite("Logit filters")
struct LogitFilterTests {
    struct Case: Decodable {
        struct File: Decodable { let cases: [Case] }
        struct Step: Decodable {
            let filter: String
            let newlySuppressed: [Int]
        }
        let vocabulary: String
        let options: Options
        let sampled: [Int]
        let initialTokens: [Int]
        let seed: Int
        let boost: Boost
        let filters: [Step]
        let finite: Int
        let argmax: Int
        let argmaxLogprob: Double
    }

    struct Alone: Decodable {
        struct File: Decodable { let cases: [Alone] }
        let filter: String
        let sampled: [Int]
        let seed: Int
        let boost: [[Double]]
        let suppressed: [Int]
    }

    /// Pairs of id and value, or a string that stands for many likely timestamps.
    enum Boost: Decodable {
        case pairs([[Double]])
        case mass

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let pairs = try? container.decode([[Double]].self) {
                self = .pairs(pairs)
            } else {
                _ = try container.decode(String.self)
                self = .mass
            }
        }

        func pairs(firstTimestamp: Int) -> [[Double]] {
            switch self {
            case .pairs(let pairs): pairs
            case .mass: (0..<1501).map { [Double(firstTimestamp + $0), 8.5] } + [[452, 9]]
            }
        }
    }

    /// The options that differ from the defaults; null in JSON is a value too.
    struct Options: Decodable {
        var options = DecodingOptions()

        enum CodingKeys: String, CodingKey {
            case suppressTokens, suppressBlank, withoutTimestamps, maxInitialTimestamp
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if let list = try container.decodeIfPresent(String.self, forKey: .suppressTokens) {
                options.suppressTokens = list.split(separator: ",").compactMap { Int($0) }
            }
            if let value = try container.decodeIfPresent(Bool.self, forKey: .suppressBlank) {
                options.suppressBlank = value
            }
            if let value = try container.decodeIfPresent(Bool.self, forKey: .withoutTimestamps) {
                options.withoutTimestamps = value
            }
            if container.contains(.maxInitialTimestamp) {
                options.maxInitialTimestamp = try container.decodeIfPresent(
                    Double.self, forKey: .maxInitialTimestamp)
            }
        }
    }

    static func name(_ filter: any LogitFilter) -> String {
        switch filter {
        case is TimestampRules: "ApplyTimestampRules"
        default: String(describing: type(of: filter))
        }
    }

    /// Inclusive runs: first, last, first, last …
    static func runs(_ ids: [Int]) -> [Int] {
        var runs: [Int] = []
        for id in ids {
            if let last = runs.last, last == id - 1 { runs[runs.count - 1] = id } else { runs += [id, id] }
        }
        return runs
    }

    static func suppressed(_ logits: [Float]) -> [Int] { logits.indices.filter { logits[$0].isInfinite } }

    @Test("the whole chain suppresses exactly what the reference suppresses")
    func chain() throws {
        let cases = try Fixtures.decoding("filters", as: Case.File.self).cases
        #expect(cases.count == 288)
        var vocabularies: [String: DecodingVocabulary] = [:]
        for name in DecodingVocabulary.sizes.keys { vocabularies[name] = try DecodingVocabulary(name) }
        for one in cases {
            let vocabulary = try #require(vocabularies[one.vocabulary])
            let specials = vocabulary.specials
            let initial = InitialTokens(
                sotSequence: vocabulary.sotSequence, options: one.options.options, specials: specials,
                contextLength: 448)
            #expect(initial.tokens == one.initialTokens)
            var logits = vocabulary.logits(
                seed: one.seed, boost: one.boost.pairs(firstTimestamp: specials.firstTimestamp))
            let filters = vocabulary.filters(one.options.options)
            #expect(filters.map(Self.name) == one.filters.map(\.filter))
            for (filter, expected) in zip(filters, one.filters) {
                let before = Set(Self.suppressed(logits))
                filter.apply(to: &logits, sampled: one.sampled)
                let new = Self.suppressed(logits).filter { !before.contains($0) }
                #expect(Self.runs(new) == expected.newlySuppressed, "\(one.vocabulary), seed \(one.seed)")
            }
            #expect(logits.count { $0.isFinite } == one.finite)
            let best = try #require(LogProbabilities.best(logits))
            #expect(best == one.argmax)
            #expect(abs(Double(LogProbabilities(logits)(logits[best])) - one.argmaxLogprob) <= 1e-4)
        }
    }

    @Test("each filter alone suppresses exactly what the reference suppresses")
    func alone() throws {
        let cases = try Fixtures.decoding("filters-alone", as: Alone.File.self).cases
        #expect(cases.count == 35)
        let vocabulary = try DecodingVocabulary("multilingual-99")
        let specials = vocabulary.specials
        let filters: [String: any LogitFilter] = [
            "SuppressBlank": SuppressBlank(blank: [220], endOfText: specials.endOfText),
            "SuppressTokens": SuppressTokens([1, 2, 50_362]),
            "ApplyTimestampRules-50": TimestampRules(specials: specials, lastInitialIndex: 50),
            "ApplyTimestampRules-none": TimestampRules(specials: specials, lastInitialIndex: nil),
            "ApplyTimestampRules-0": TimestampRules(specials: specials, lastInitialIndex: 0),
        ]
        for one in cases {
            let filter = try #require(filters[one.filter])
            var logits = vocabulary.logits(seed: one.seed, boost: one.boost)
            filter.apply(to: &logits, sampled: one.sampled)
            #expect(Self.runs(Self.suppressed(logits)) == one.suppressed, "\(one.filter), seed \(one.seed)")
        }
    }

    @Test("-1 stands for the non-speech and special tokens", arguments: DecodingVocabulary.sizes.keys.sorted())
    func minusOne(name: String) throws {
        let vocabulary = try DecodingVocabulary(name)
        #expect(vocabulary.specials.vocabularySize == DecodingVocabulary.sizes[name])
        let filter = SuppressTokens(
            [-1], nonSpeechTokens: vocabulary.nonSpeechTokens, specials: vocabulary.specials)
        #expect(filter.tokens == vocabulary.suppressMinusOne)
    }

    @Test("the filters are applied in a fixed order")
    func order() throws {
        var options = DecodingOptions()
        options.repetitionPenalty = 1.2
        options.noRepeatNgramSize = 3
        let names = try DecodingVocabulary("english").filters(options).map(Self.name)
        #expect(
            names == [
                "RepetitionPenalty", "NoRepeatNgrams", "SuppressBlank", "SuppressTokens", "ApplyTimestampRules",
            ])
        options.forcedTokenCount = 3
        #expect(try DecodingVocabulary("english").filters(options).map(Self.name).last == "ForcedLength")
    }
}
