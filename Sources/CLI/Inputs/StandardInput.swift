/// What stands behind `-`.
package enum StandardInput: Sendable, Equatable {
    case closed
    case terminal
    case readable
}
