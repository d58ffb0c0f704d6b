import WhisperEngine

/// The text of the progress line of a download.
struct DownloadProgress: ProgressText, Equatable {
    let name: String
    /// Bytes present.
    var count: Int
    /// Bytes in total; `nil` while unknown.
    var total: Int?
    /// Bytes per second lately; `nil` while unknown.
    var speed: Double?

    /// `base: 45 of 148 MB (30%), 12.3 MB/s, 0:08 left`
    var text: String {
        var text = "\(name): "
        if let total, total > 0 {
            text += "\(Self.megabytes(count)) of \(Self.megabytes(total)) MB (\(min(100, 100 * count / total))%)"
        } else {
            text += "\(Self.megabytes(count)) MB"
        }
        guard let speed, speed > 0 else { return text }
        text += ", \(OneDecimal.text(speed / 1e6)) MB/s"
        if let total, total > count { text += ", \(Timestamp.clock(Double(total - count) / speed)) left" }
        return text
    }

    private static func megabytes(_ bytes: Int) -> Int { (bytes + 500_000) / 1_000_000 }
}

/// The speed of a download over the last seconds.
struct DownloadSpeed {
    private static let window = Duration.seconds(5)
    private var samples: [(time: ContinuousClock.Instant, count: Int)] = []

    /// Adds the number of bytes received so far; returns bytes per second.
    mutating func update(_ count: Int, at now: ContinuousClock.Instant = .now) -> Double? {
        samples.removeAll { $0.time + Self.window < now }
        if let last = samples.last, now - last.time < .milliseconds(100) {} else { samples.append((now, count)) }
        guard let first = samples.first, now - first.time > .milliseconds(500) else { return nil }
        return Double(count - first.count) / ((now - first.time) / .seconds(1))
    }
}
