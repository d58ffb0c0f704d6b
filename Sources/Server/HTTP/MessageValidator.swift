/// The lengths of WebSocket messages, which may come in several frames (RFC 6455). libsoup checks everything else.
struct MessageValidator {
    private let maxLength: Int
    /// The start of a frame, up to its payload.
    private var header: [UInt8] = []
    /// Bytes that are left of a frame's payload.
    private var left = 0
    /// Bytes of the message's frames so far.
    private var length = 0

    init(maxLength: Int) {
        self.maxLength = maxLength
    }

    /// - Returns: whether the message is within its limit.
    mutating func check(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if left > 0 {
                let count = min(left, bytes.count - index)
                index += count
                left -= count
                continue
            }
            header.append(bytes[index])
            index += 1
            guard header.count >= 2, let payload = payloadLength else { continue }
            let isControl = header[0] & 0x08 != 0
            if !isControl {
                guard payload <= maxLength - length else { return false }
                let isLast = header[0] & 0x80 != 0
                length = isLast ? 0 : length + payload
            }
            left = payload
            header.removeAll(keepingCapacity: true)
        }
        return true
    }

    /// `nil` until the header of the frame, with its mask, is complete.
    private var payloadLength: Int? {
        let short = Int(header[1] & 0x7f)
        let lengthBytes = short == 126 ? 2 : short == 127 ? 8 : 0
        let isMasked = header[1] & 0x80 != 0
        guard header.count == 2 + lengthBytes + (isMasked ? 4 : 0) else { return nil }
        guard lengthBytes > 0 else { return short }
        let length = header[2..<2 + lengthBytes].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(clamping: length)
    }
}
