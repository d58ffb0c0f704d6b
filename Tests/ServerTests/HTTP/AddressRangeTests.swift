import Testing
import WhisperServer

@Suite("Address range")
struct AddressRangeTests {
    @Test(
        "holds the addresses that begin with its bits",
        arguments: [
            ("192.168.1.7", ["192.168.1.7", "::ffff:192.168.1.7"], ["192.168.1.8", "::1", "local", ""]),
            ("192.168.1.0/24", ["192.168.1.0", "192.168.1.255"], ["192.168.0.255", "192.168.2.0"]),
            ("172.16.0.0/12", ["172.16.0.1", "172.31.255.255"], ["172.32.0.0", "172.15.255.255"]),
            ("0.0.0.0/0", ["1.2.3.4", "255.255.255.255"], ["::1", "fe80::1"]),
            ("::1", ["::1", "0:0:0:0:0:0:0:1"], ["::2", "127.0.0.1"]),
            ("fd00::/8", ["fd12:3456::1"], ["fe00::1", "fc00::1"]),
            ("2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::1"]),
            ("::ffff:10.0.0.1", ["10.0.0.1"], ["10.0.0.2"]),
        ])
    func contains(range: String, inside: [String], outside: [String]) throws {
        let range = try #require(AddressRange(range))
        #expect(inside.allSatisfy(range.contains))
        #expect(!outside.contains(where: range.contains))
    }

    @Test(
        "nothing else is a range",
        arguments: [
            "", "/8", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/-1", "10.0.0.1/8/9", "10.0.0", "10.0.0.256", "::1/129",
            "localhost", "10.0.0.1/ 8", "[::1]",
        ])
    func malformed(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
