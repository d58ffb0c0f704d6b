/// Rounding of seconds as the reference does it.
package enum TimeRounding {
    /// The nearest number with two decimals, judged by the exact binary value: 0.125 is a tie and goes to the even
    /// 0.12, 0.285 lies below its decimal and gives 0.28.
    package static func hundredths(_ seconds: Double) -> Double {
        let scaled = seconds * 100
        guard scaled.magnitude < 0x1p52 else { return seconds }
        // scaled + error is the exact product; the error matters only where scaled looks like a tie.
        let error = (-scaled).addingProduct(seconds, 100)
        var whole = scaled.rounded(.toNearestOrEven)
        let rest = scaled - whole
        if rest == 0.5, error > 0 { whole += 1 }
        if rest == -0.5, error < 0 { whole -= 1 }
        return whole / 100
    }

    /// The frame of 10 ms nearest to a time, half to even; what is no number or no frame of any recording gives the
    /// nearest one that is.
    package static func frame(at seconds: Double) -> Int {
        let frame = (seconds * 100).rounded(.toNearestOrEven)
        if frame.isNaN { return 0 }
        return Int(min(max(frame, -0x1p52), 0x1p52))
    }
}
