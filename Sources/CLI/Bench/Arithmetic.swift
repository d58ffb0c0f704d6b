import WhisperEngine

/// The number formats that this processor computes in, for `doctor`.
enum Arithmetic {
    static var described: [String] {
        get throws {
            let types = ComputeType.allCases.filter { $0 != .auto }
            var lines = try types.map { type in
                if let speed = try type.measuredGigaflops() {
                    return "\(type.rawValue): \(Int(speed.rounded())) GFLOPS on one core"
                }
                return type.isAvailable
                    ? "\(type.rawValue): by the libraries below"
                    : "\(type.rawValue): this processor lacks the instructions; the encoder takes float32"
            }
            lines.append("--compute-type auto is \(ComputeType.auto.resolved.rawValue) here")
            return lines
        }
    }
}
