/// Which words wait although their policy would make them final: those of which the network is not sure. More sound may
/// change them, and all that comes later is heard behind what is final.
package struct WordDoubt: Sendable, Hashable {
    /// A word of which the network is less sure waits.
    package var minimumProbability: Double
    /// But not longer than this before the newest sound.
    package var patienceSamples: Int

    /// Nothing waits.
    package static let none = WordDoubt(minimumProbability: 0, patienceSamples: 0)

    package init(minimumProbability: Double, patienceSamples: Int) {
        self.minimumProbability = minimumProbability
        self.patienceSamples = patienceSamples
    }

    func holds(_ word: LiveWord, head: Int) -> Bool {
        word.probability < minimumProbability && word.end > head - patienceSamples
    }
}
