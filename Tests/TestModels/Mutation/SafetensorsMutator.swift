import EngineBasics

/// Mutates safetensors files: the header as JSON with its length adjusted, or any bytes.
struct SafetensorsMutator {
    /// - Parameter other: a file to splice in.
    static func mutate(_ bytes: inout [UInt8], other: [UInt8], using draws: inout SplitMix64) {
        let length = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1 & 0x7f) }
        let header = 8..<(8 + min(length, max(0, bytes.count - 8)))
        if bytes.count > 8, !draws.oneIn(6) {
            var json = JSONMutator(Array(bytes[header]))
            json.mutate(using: &draws)
            let text = json.bytes
            bytes.replaceSubrange(header, with: text)
            if !draws.oneIn(10) { bytes.set(text.count, 0..<8) }
            if !draws.oneIn(6) { return }
        }
        let layout = FileLayout(bytes)
        if draws.oneIn(2) {
            ByteMutator.resize(&bytes, layout, other: (other, layout), using: &draws)
        } else if bytes.count > 8 {
            let at = draws.oneIn(3) ? draws.below(8) : draws.below(min(bytes.count, header.upperBound))
            bytes[at] = UInt8(draws.below(256))
        }
    }
}
