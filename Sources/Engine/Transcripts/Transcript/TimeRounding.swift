/// Rounding of times exactly as in the reference.
package enum TimeRounding {
    /// Rounds to two decimals according to the exact binary value: 0.125 is a tie and becomes the even 0.12; 0.285 is
    /// stored as slightly less and becomes 0.28.
    package static func hundredths(_ seconds: Double) -> Double {
        let scaled = seconds * 100
        guard scaled.magnitude < 0x1p52 else { return seconds }
        // scaled + error is the exact product; the error matters only if scaled looks like a tie.
        let error = (-scaled).addingProduct(seconds, 100)
        var whole = scaled.rounded(.toNearestOrEven)
        let rest = scaled - whole
        if rest == 0.5, error > 0 { whole += 1 }
        if rest == -0.5, error < 0 { whole -= 1 }
        return whole / 100
    }

    /// The 10 ms frame nearest to a time, half to even. Times beyond any recording are clamped; NaN is frame 0.
    package static func frame(at seconds: Double) -> Int {
        let frame = (seconds * 100).rounded(.toNearestOrEven)
        if frame.isNaN { return 0 }
        return Int(min(max(frame, -0x1p52), 0x1p52))
    }
}
