import Synchronization

/// Problems and facts collected while a recording is read, from which its warnings are made.
struct AudioDiagnostics: Equatable {
    /// Seconds from the start of the file to the first sample; the other times count from there.
    var start = 0.0
    var samples = 0
    var isAtEnd = false
    var declaredSeconds: Double?
    var sizeUnset = false
    var partialBytes = 0
    var trailingBytes = 0
    var nonFinite = 0
    var clipped = 0
    var cancellation: DownmixPolicy.Report?
    var damagedCount = 0
    var damagedSeconds = 0.0
    var firstDamage = 0.0
    var jumpCount = 0
    var firstJump = 0.0

    var seconds: Double { AudioChunk.seconds(of: samples) }

    mutating func addDamage(at start: Double) {
        if damagedCount == 0 { firstDamage = start }
        damagedCount += 1
    }

    mutating func addJump(at start: Double) {
        if jumpCount == 0 { firstJump = start }
        jumpCount += 1
    }

    var warnings: [AudioFile.Warning] {
        var list: [AudioFile.Warning] = []
        if isAtEnd, samples == 0 { list.append(.noSamples) }
        // The message shows tenths of a second, so smaller differences are ignored.
        if isAtEnd, let declaredSeconds, declaredSeconds - seconds >= 0.1 {
            list.append(.truncated(endsAt: seconds, declared: declaredSeconds))
        }
        if sizeUnset { list.append(.sizeUnset) }
        if partialBytes > 0 { list.append(.partialSample(bytes: partialBytes)) }
        if trailingBytes > 0 { list.append(.trailingBytes(trailingBytes)) }
        if nonFinite > 0 { list.append(.nonFinite(nonFinite)) }
        if clipped > 0 { list.append(.clipped(clipped)) }
        if let cancellation {
            list.append(
                .phaseCancellation(
                    usedChannel: cancellation.isOneOfSeveral ? nil : cancellation.channel,
                    seconds: cancellation.seconds,
                    first: start + cancellation.first))
        }
        if damagedCount > 0 {
            list.append(.damagedSections(count: damagedCount, seconds: damagedSeconds, first: start + firstDamage))
        }
        if jumpCount > 0 { list.append(.timestampJumps(count: jumpCount, first: start + firstJump)) }
        return list
    }
}

/// Passes the diagnostics from the reader of a recording to its source.
final class SharedDiagnostics: Sendable {
    private let state: Mutex<AudioDiagnostics>

    init(_ initial: AudioDiagnostics = AudioDiagnostics()) {
        state = Mutex(initial)
    }

    var current: AudioDiagnostics { state.withLock { $0 } }

    func replace(with newer: AudioDiagnostics) {
        state.withLock { $0 = newer }
    }
}
