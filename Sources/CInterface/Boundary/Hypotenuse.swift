/// Replaces the C library's function, which Swift's runtime uses and which has a newer version since glibc 2.35 than all
/// others that the library needs. This one stays hidden, and the library also loads with glibc 2.34.
@c(hypotf)
func hypotenuse(_ x: Float, _ y: Float) -> Float {
    if x.isInfinite || y.isInfinite { return .infinity }
    let (x, y) = (Double(x), Double(y))
    return Float((x * x + y * y).squareRoot())
}
