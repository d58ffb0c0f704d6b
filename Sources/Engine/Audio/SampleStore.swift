public struct SampleStore {
    private var values: [Int16] = []
    public var count: Int { values.count }
    public mutating func append(_ samples: [Float]) throws { values += samples.map { Int16($0 * 32768) } }
    public func read(_ range: Range<Int>) throws -> [Float] { values[range].map { Float($0) / 32768 } }
}
