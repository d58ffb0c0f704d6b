import EngineBasics
import EngineWeights

/// The settings of a file of NVIDIA's, each found by a name.
struct NamedSettings {
    let path: FilePath
    let value: (_ name: String) -> JSONValue?

    /// - Parameter other: the value if the setting is missing or null; an error by default.
    func number(_ name: String, or other: Int? = nil) throws(ModelError) -> Int {
        guard let count = given(name).map(\.count) ?? other else { throw bad(name, expected: "a number") }
        return count
    }

    func number(_ name: String, in range: ClosedRange<Int>, or other: Int? = nil) throws(ModelError) -> Int {
        guard let count = given(name).map(\.count) ?? other, range.contains(count) else {
            throw bad(name, expected: "\(range.lowerBound) to \(range.upperBound)")
        }
        return count
    }

    func flag(_ name: String, or other: Bool? = nil) throws(ModelError) -> Bool {
        switch given(name) ?? other.map({ .bool($0) }) {
        case .bool(let flag): return flag
        default: throw bad(name, expected: "true or false")
        }
    }

    func counts(_ name: String) throws(ModelError) -> [Int] {
        guard let counts = given(name)?.counts else { throw bad(name, expected: "a list of numbers") }
        return counts
    }

    /// Sets sizes to those under the names, and checks them.
    func read(
        _ names: KeyValuePairs<WritableKeyPath<ParakeetDimensions, Int>, String>,
        into dimensions: inout ParakeetDimensions
    ) throws(ModelError) {
        for (size, name) in names { dimensions[keyPath: size] = try number(name) }
        try dimensions.check(
            path: path, names: Dictionary(uniqueKeysWithValues: names.map { ($0 as PartialKeyPath, $1) }))
    }

    /// Checks settings that all models have in common; they may be missing.
    func check(_ expected: KeyValuePairs<String, JSONValue>) throws(ModelError) {
        for (name, expected) in expected {
            guard let found = given(name), !Self.areEqual(found, expected) else { continue }
            throw bad(name, expected: expected.shown)
        }
    }

    /// A setting that is not null.
    func given(_ name: String) -> JSONValue? { value(name).flatMap { $0 == .null ? nil : $0 } }

    func bad(_ name: String, expected: String) -> ModelError {
        .badSetting(path: path, key: name, found: given(name)?.shown ?? "missing", expected: expected)
    }

    /// Whether two values are equal, numbers however they are written.
    private static func areEqual(_ one: JSONValue, _ other: JSONValue) -> Bool {
        if case .number(let one) = one, case .number(let other) = other { return Double(one) == Double(other) }
        return one == other
    }
}

extension ParakeetDimensions {
    /// A model of which only this is known; for `NamedSettings.read`.
    init(head: ParakeetHead, hasBias: Bool, scalesInput: Bool) {
        self.init(
            head: head, bands: 0, layers: 0, width: 0, heads: 0, feedForward: 0, channels: 0, taps: 0,
            hasLinearBias: hasBias, hasConvolutionBias: hasBias, scalesInput: scalesInput, vocabulary: 0,
            prediction: 0, predictionLayers: 0, maxSymbols: 0)
    }
}
