/// The C library's function of this name is from glibc 2.35 on a newer symbol than anything else that the library needs;
/// Swift's own uses it. With this one, which stays hidden, the library also loads with glibc 2.34.
@c(hypotf)
func hypotenuse(_ x: Float, _ y: Float) -> Float {
    if x.isInfinite || y.isInfinite { return .infinity }
    let (x, y) = (Double(x), Double(y))
    return Float((x * x + y * y).squareRoot())
}
