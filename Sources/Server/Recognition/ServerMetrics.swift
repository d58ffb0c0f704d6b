import Synchronization

/// What the server has done since it started, in Prometheus' text format.
package final class ServerMetrics: Sendable {
    /// Upper bounds of the histogram of response times in seconds.
    private static let bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    private struct RouteKey: Hashable {
        let route: String
        let status: Int
    }

    private struct State {
        var requests: [RouteKey: Int] = [:]
        var times = [Int](repeating: 0, count: ServerMetrics.bounds.count + 1)
        var timeSum = 0.0
        var receivedBytes = 0
        var recognitions = 0
        var audioSeconds = 0.0
        var recognitionSeconds = 0.0
        var connections = 0
    }

    private let state = Mutex(State())

    /// Counts an answered request.
    package func answered(_ record: HTTPServer.Record) {
        state.withLock { state in
            state.requests[RouteKey(route: record.route ?? "other", status: record.status), default: 0] += 1
            state.times[Self.bounds.firstIndex { record.seconds <= $0 } ?? Self.bounds.count] += 1
            state.timeSum += record.seconds
            state.receivedBytes += record.received
        }
    }

    func setConnections(_ count: Int) { state.withLock { $0.connections = count } }
    var connections: Int { state.withLock(\.connections) }

    /// Counts a recognition.
    func recognized(audio: Double, seconds: Double) {
        state.withLock { state in
            state.recognitions += 1
            state.audioSeconds += audio
            state.recognitionSeconds += seconds
        }
    }

    /// A number with its name and help text.
    package typealias Value = (name: String, help: String, value: Int)

    /// - Parameters:
    ///   - counters: what others have counted since the start.
    ///   - gauges: current values.
    package func text(counters others: [Value], gauges: [Value]) -> String {
        let state = state.withLock(\.self)
        var lines = Self.head("http_requests_total", "counter", "Answered requests.")
        for (key, count) in state.requests.sorted(by: { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) })
        {
            lines.append("whisper_local_http_requests_total{route=\"\(key.route)\",status=\"\(key.status)\"} \(count)")
        }
        lines += Self.head("http_request_seconds", "histogram", "Time from the headers of a request to its response.")
        var sum = 0
        for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], state.times) {
            sum += count
            lines.append("whisper_local_http_request_seconds_bucket{le=\"\(bound)\"} \(sum)")
        }
        lines.append("whisper_local_http_request_seconds_sum \(state.timeSum)")
        lines.append("whisper_local_http_request_seconds_count \(sum)")
        var counters: [(String, String, String)] = [
            ("http_received_bytes_total", "Bytes of request bodies.", "\(state.receivedBytes)"),
            ("recognitions_total", "Finished recognitions.", "\(state.recognitions)"),
            ("audio_seconds_total", "Transcribed audio.", "\(state.audioSeconds)"),
            ("recognition_seconds_total", "Time spent on recognitions.", "\(state.recognitionSeconds)"),
        ]
        counters += others.map { ($0.name, $0.help, "\($0.value)") }
        for (name, help, value) in counters {
            lines += Self.head(name, "counter", help) + ["whisper_local_\(name) \(value)"]
        }
        for (name, help, value) in gauges {
            lines += Self.head(name, "gauge", help) + ["whisper_local_\(name) \(value)"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func head(_ name: String, _ type: String, _ help: String) -> [String] {
        ["# HELP whisper_local_\(name) \(help)", "# TYPE whisper_local_\(name) \(type)"]
    }
}
