import Synchronization

/// What reading has brought to light so far.
struct AudioFindings: Equatable {
    var samples = 0
    var isAtEnd = false
    var declaredSeconds: Double?
    var sizeUnset = false
    var partialBytes = 0
    var trailingBytes = 0
    var notNumbers = 0
    var clipped = 0
    var channelUsed: Int?
    var damagedCount = 0
    var damagedSeconds = 0.0
    var firstDamage = 0.0
    var leapCount = 0
    var firstLeap = 0.0

    var seconds: Double { Double(samples) / Double(AudioChunk.sampleRate) }

    mutating func addDamage(at start: Double) {
        if damagedCount == 0 { firstDamage = start }
        damagedCount += 1
    }

    mutating func addLeap(at start: Double) {
        if leapCount == 0 { firstLeap = start }
        leapCount += 1
    }

    var warnings: [AudioWarning] {
        var list: [AudioWarning] = []
        if isAtEnd, samples == 0 { list.append(.noSound) }
        // Less than what the message can show is no loss worth telling.
        if isAtEnd, let declaredSeconds, declaredSeconds - seconds >= 0.1 {
            list.append(.truncated(endsAt: seconds, declared: declaredSeconds))
        }
        if sizeUnset { list.append(.sizeUnset) }
        if partialBytes > 0 { list.append(.partialSample(bytes: partialBytes)) }
        if trailingBytes > 0 { list.append(.trailingBytes(trailingBytes)) }
        if notNumbers > 0 { list.append(.notNumbers(notNumbers)) }
        if clipped > 0 { list.append(.clipped(clipped)) }
        if let channelUsed { list.append(.channelsCancel(used: channelUsed)) }
        if damagedCount > 0 {
            list.append(.damagedPlaces(count: damagedCount, seconds: damagedSeconds, first: firstDamage))
        }
        if leapCount > 0 { list.append(.timestampLeaps(count: leapCount, first: firstLeap)) }
        return list
    }
}

/// Carries the findings of whoever reads to whoever asks.
final class AudioReport: Sendable {
    private let findings: Mutex<AudioFindings>

    init(_ opening: AudioFindings = AudioFindings()) {
        findings = Mutex(opening)
    }

    var current: AudioFindings { findings.withLock { $0 } }

    func replace(with newer: AudioFindings) {
        findings.withLock { $0 = newer }
    }
}
