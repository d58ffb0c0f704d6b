/// A detected language with its probability.
package struct DetectedLanguage: Sendable, Hashable {
    /// Code of the language, such as `en`.
    package let code: String
    /// 0…1, among the languages that the model knows.
    package let probability: Double
    /// 0…1, among the languages that may be spoken.
    package let share: Double

    /// - Parameter share: `nil` if all languages that the model knows may be spoken.
    package init(code: String, probability: Double, share: Double? = nil) {
        (self.code, self.probability, self.share) = (code, probability, share ?? probability)
    }
}
