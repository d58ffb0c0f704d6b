import Testing

@Suite("Rounding of times")
struct TimeRoundingTests {
    /// Computed with Python's `round(x, 2)`.
    @Test(
        "rounding uses the exact binary value",
        arguments: [
            (0.125, 0.12), (0.375, 0.38), (0.285, 0.28), (0.295, 0.29), (1.005, 1.0), (2.675, 2.67), (1.115, 1.11),
            (1.125, 1.12), (0.615, 0.61), (0.145, 0.14), (8.345, 8.35), (1234.565, 1234.57), (-0.125, -0.12),
            (-2.675, -2.67), (0.0, 0.0), (36_000.005, 36_000.0), (1e300, 1e300),
        ])
    func hundredths(seconds: Double, expected: Double) {
        #expect(TimeRounding.hundredths(seconds) == expected)
    }

    @Test("infinity and NaN are not changed")
    func notNumbers() {
        #expect(TimeRounding.hundredths(.infinity) == .infinity)
        #expect(TimeRounding.hundredths(.nan).isNaN)
    }

    @Test(
        "times are rounded to frames, half to even",
        arguments: [
            (0.0, 0), (0.005, 0), (0.015, 2), (3.14, 314), (0.125, 12), (0.375, 38), (-1.0, -100), (.nan, 0),
            (.infinity, 1 << 52), (-.infinity, -(1 << 52)),
        ])
    func frames(seconds: Double, expected: Int) {
        #expect(TimeRounding.frame(at: seconds) == expected)
    }
}
