import Testing

@Suite("Digits and counts")
struct DigitsTests {
    @Test("numbers have leading zeros up to a width, and no sign")
    func width() {
        #expect([0, 7, 10, 123, -4].map { Digits.decimal($0) } == ["00", "07", "10", "123", "04"])
        #expect(Digits.decimal(42, width: 4) == "0042" && Digits.decimal(.min, width: 1) == "9223372036854775808")
        #expect([0, 10, 255].map { Digits.hexadecimal($0 as UInt8) } == ["00", "0a", "ff"])
        #expect(Digits.hexadecimal(0x2028 as UInt16, width: 4) == "2028")
    }

    @Test("one thing is singular, any other number plural")
    func plural() {
        #expect(
            [0, 1, 2].map { Counted.text($0, "video track") } == ["0 video tracks", "1 video track", "2 video tracks"])
    }
}
