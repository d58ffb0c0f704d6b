/// Which words wait although their policy would make them final: those of which the network is not sure. More sound may
/// change them, and all that comes later is heard behind what is final.
package struct WordDoubt: Sendable, Hashable {
    /// A word of which the network is less sure waits.
    package var leastProbability: Double
    /// But not longer than this before the newest sound.
    package var patienceSamples: Int

    /// Nothing waits.
    package static let none = WordDoubt(leastProbability: 0, patienceSamples: 0)

    package init(leastProbability: Double, patienceSamples: Int) {
        self.leastProbability = leastProbability
        self.patienceSamples = patienceSamples
    }

    func holds(_ word: LiveWord, head: Int) -> Bool {
        word.probability < leastProbability && word.end > head - patienceSamples
    }
}
