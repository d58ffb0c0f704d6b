/// The lengths of WebSocket messages, which may come in several frames, and the number of frames (RFC 6455). libsoup
/// checks everything else.
struct MessageValidator {
    enum Verdict {
        case passed
        /// A message is longer than it may be.
        case tooLong
        /// Frames that can hardly carry audio come faster than any client would send them.
        case tooMany
    }

    /// Bytes. Ten milliseconds of telephone audio are longer.
    private static let smallPayload = 64

    private let maxLength: Int
    private var smallFrames = RateLimit.control
    /// The start of a frame, up to its payload.
    private var header: [UInt8] = []
    /// Bytes that are left of a frame's payload.
    private var left = 0
    /// Bytes of the message's frames so far.
    private var length = 0

    init(maxLength: Int) {
        self.maxLength = maxLength
    }

    mutating func check(_ bytes: Span<UInt8>) -> Verdict {
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
                guard payload <= maxLength - length else { return .tooLong }
                let isLast = header[0] & 0x80 != 0
                length = isLast ? 0 : length + payload
            }
            if isControl || payload <= Self.smallPayload, !smallFrames.count() { return .tooMany }
            left = payload
            header.removeAll(keepingCapacity: true)
        }
        return .passed
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
