/// About how many letters a word has where it is said: "1984" is as long as "nineteen eighty-four", and "%" as "percent".
package enum SpokenLength {
    private static let digit = 5
    private static let sign = 6
    private static let signs: Set<Character> = [
        "%", "‰", "&", "+", "=", "@", "°", "§", "#", "€", "$", "£", "¥", "₽", "№",
    ]

    package static func of(_ word: String) -> Int { of(word, letters: word.filter { $0.isLetter || $0.isNumber }) }

    /// - Parameter letters: of the word.
    package static func of(_ word: String, letters: some Sequence<Character>) -> Int {
        letters.reduce(0) { $0 + ($1.isNumber ? digit : 1) } + sign * word.count { signs.contains($0) }
    }
}
