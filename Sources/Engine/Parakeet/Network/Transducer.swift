/// What a search asks of a transducer's prediction network and joint. What the network knows of the tokens of a text is a
/// numbered state.
package protocol Transducer: AnyObject {
    /// Makes memory for a state.
    ///
    /// - Returns: its number.
    func addState() throws -> Int

    /// Appends a token to those that the network knows; the blank begins a text.
    ///
    /// - Parameters:
    ///   - state: `nil` if the token is the first.
    ///   - next: receives the state after the token.
    func predict(_ token: Int, after state: Int?, into next: Int)

    /// Computes the scores of all tokens, the blank and the durations at a frame, after each of several states.
    ///
    /// - Parameter scores: replaced by `[states, ParakeetDimensions.jointOutputs]`.
    func scores(at frame: Int, after states: [Int], into scores: inout [Float])
}
