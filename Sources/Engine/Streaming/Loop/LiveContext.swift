/// Final text that has left the window, as far back as a pass is prompted with it.
struct LiveContext: Sendable {
    private var words: [String] = []
    private var characters = 0
    private let most: Int
    /// The next pass goes without: the last one gave text that was not spoken.
    var isSuspended = false

    /// - Parameter characters: most to keep; only whole words are.
    init(characters most: Int, text: String = "") {
        self.most = most
        append(text.split(separator: " ").map { " " + $0 })
    }

    var text: String { isSuspended ? "" : words.joined() }

    mutating func append(_ new: [String]) {
        words += new
        characters += new.reduce(0) { $0 + $1.count }
        while characters > most, let first = words.first {
            characters -= first.count
            words.removeFirst()
        }
    }

    mutating func clear() {
        words = []
        characters = 0
    }
}
