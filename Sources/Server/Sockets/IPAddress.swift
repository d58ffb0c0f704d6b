import Glibc

/// Addresses of the internet as text.
enum IPAddress {
    /// The four or sixteen bytes of an address; `nil` if it is none. An IPv4 address that is written as IPv6, such as
    /// `::ffff:1.2.3.4`, has four.
    static func bytes(of text: String) -> [UInt8]? {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 { return unsafe withUnsafeBytes(of: four) { unsafe Array($0) } }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = unsafe withUnsafeBytes(of: six) { unsafe Array($0) }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
        return isMapped ? Array(bytes[12...]) : bytes
    }
}
