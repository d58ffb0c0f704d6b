/// What Silero's network remembers of the sound so far; as new it remembers nothing.
package struct SileroState: Sendable, Equatable {
    /// The cell's output and its memory.
    package var hidden = [Float](repeating: 0, count: SileroNetwork.hidden)
    package var memory = [Float](repeating: 0, count: SileroNetwork.hidden)
    /// The end of the window before.
    var context = [Float](repeating: 0, count: SileroNetwork.contextSamples)

    package init() {}
}
