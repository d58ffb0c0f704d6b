/// The language of a session: given, or heard in its first windows, up to three until the network is sure enough.
struct LiveLanguage: Sendable {
    private static let sure = 0.5
    private static let mostTries = 3

    private var best: DetectedLanguage?
    private var tries = 0
    private var isDecided: Bool

    init(given code: String?) {
        isDecided = code != nil
        best = code.map { DetectedLanguage(code: $0, probability: 1) }
    }

    /// The best guess so far.
    var code: String { best?.code ?? "en" }

    /// - Returns: the language when this call has decided it.
    mutating func detect(_ hear: () throws -> DetectedLanguage) rethrows -> DetectedLanguage? {
        guard !isDecided else { return nil }
        let heard = try hear()
        tries += 1
        if heard.probability > best?.probability ?? 0 { best = heard }
        isDecided = heard.probability >= Self.sure || tries == Self.mostTries
        return isDecided ? best : nil
    }
}
