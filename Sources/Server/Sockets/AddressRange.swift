/// IP addresses that begin with the same bits, such as `192.168.1.0/24` or `fd00::/8`; a single one without `/`.
package struct AddressRange: Hashable, Sendable {
    /// Four or sixteen bytes.
    private let address: [UInt8]
    private let bits: Int

    /// - Returns: `nil` unless it is an address, with a number of bits that it has.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress.bytes(of: String(parts[0])) else { return nil }
        self.address = address
        guard parts.count == 2 else {
            bits = 8 * address.count
            return
        }
        let digits = parts[1]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bits = Int(digits),
            bits <= 8 * address.count
        else { return nil }
        self.bits = bits
    }

    /// Whether an address without a port is one of these. An IPv4 address may be written as IPv6, as a socket that
    /// accepts both shows it.
    package func contains(_ peer: String) -> Bool {
        guard let bytes = IPAddress.bytes(of: peer), bytes.count == address.count else { return false }
        let differences = zip(bytes, address).map { $0 ^ $1 }
        let whole = bits / 8
        return differences[..<whole].allSatisfy { $0 == 0 }
            && (bits % 8 == 0 || differences[whole] >> UInt8(8 - bits % 8) == 0)
    }
}
