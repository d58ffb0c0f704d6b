/// A detected language with its probability.
package struct DetectedLanguage: Sendable, Hashable {
    /// Code of the language, such as `en`.
    package let code: String
    /// 0…1, among the languages that the model knows.
    package let probability: Double

    package init(code: String, probability: Double) {
        self.code = code
        self.probability = probability
    }
}
