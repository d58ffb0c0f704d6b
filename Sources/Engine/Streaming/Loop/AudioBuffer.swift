import EngineAudio

/// The newest audio of a session, addressed by samples on the session clock.
struct AudioBuffer {
    /// Session clock of the first buffered sample.
    private(set) var start: Int
    private var samples: [Float] = []
    /// Index of the first buffered sample in `samples`.
    private var first = 0

    init(start: Int) { self.start = start }

    var end: Int { start + samples.count - first }

    mutating func append(_ new: ArraySlice<Float>) { samples += new }

    /// Returns the buffered part of `range`.
    func read(_ range: Range<Int>) -> [Float] {
        let buffered = range.clamped(to: start..<end)
        return Array(samples[(buffered.lowerBound - start + first)..<(buffered.upperBound - start + first)])
    }

    /// Discards everything before `position`.
    mutating func drop(before position: Int) {
        let position = min(position, end)
        guard position > start else { return }
        first += position - start
        start = position
        // Moving the rest to the front occasionally is cheaper than doing so on every call.
        if first > 160_000 || first == samples.count {
            samples.removeSubrange(..<first)
            first = 0
        }
    }

    /// Returns the center of the quietest 0.2 s in `range` (mean square, 20 ms hop, the earliest on ties), or `nil` if
    /// less than 0.2 s is buffered.
    func quietestPoint(in range: Range<Int>) -> Int? {
        let span = AudioChunk.sampleRate / 5, hop = AudioChunk.sampleRate / 50
        let buffered = range.clamped(to: start..<end)
        guard buffered.count >= span else { return nil }
        let energies = stride(from: buffered.lowerBound, through: buffered.upperBound - hop, by: hop).map { from in
            (from..<(from + hop)).reduce(0.0) { sum, position in
                let value = Double(samples[position - start + first])
                return sum + value * value
            }
        }
        let width = span / hop
        var best = 0, lowest = Double.infinity
        for index in 0...(energies.count - width) {
            let energy = energies[index..<(index + width)].reduce(0, +)
            if energy < lowest { (best, lowest) = (index, energy) }
        }
        return buffered.lowerBound + best * hop + span / 2
    }
}
