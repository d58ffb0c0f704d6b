import Testing
import WhisperServer

@Suite("Access key")
struct AccessKeyTests {
    private static func admits(_ authorization: String?) -> Bool {
        AccessKey("sesame").admits(Headers(authorization.map { [("Authorization", $0)] } ?? []))
    }

    @Test(
        "the key is accepted, however the scheme is written",
        arguments: ["Bearer sesame", "bearer sesame", "BEARER   sesame", "Bearer sesame "])
    func admitted(authorization: String) {
        #expect(Self.admits(authorization))
    }

    @Test(
        "another key, a part of the key, another scheme and no key are rejected",
        arguments: [
            nil, "", "Bearer", "Bearer ", "Bearer sesam", "Bearer sesame2", "Bearer SESAME", "Bearer esame", "sesame",
            "Basic sesame", "Bearer sesame sesame",
        ])
    func refused(authorization: String?) {
        #expect(!Self.admits(authorization))
    }

    @Test("digests are compared, so the time reveals nothing about the key")
    func digest() throws {
        let kept = Mirror(reflecting: AccessKey("sesame")).children.map { "\($0.value)" }.joined()
        #expect(!kept.contains("\(Array("sesame".utf8))".dropFirst().dropLast()))
        let short = Mirror(reflecting: AccessKey("s")).children.compactMap { ($0.value as? [UInt8])?.count }
        let long = Mirror(reflecting: AccessKey(String(repeating: "s", count: 500))).children
        #expect(short == [64] && short == long.compactMap { ($0.value as? [UInt8])?.count })
    }
}
