/// A text, by the number of the one before its last token, and that token.
struct TextEnding: Hashable {
    /// `nil` before the blank that begins all texts.
    let text: Int?
    let token: Int
}

/// The texts of a search, numbered. Some have a state of the prediction network, which is used again when they are given up.
struct TextTree {
    /// The number of the empty text.
    static var empty: Int { 0 }

    private var endings: [TextEnding] = []
    private var numbers: [TextEnding: Int] = [:]
    private var states: [Int?] = []
    /// The texts with a state, and states without a text.
    private var predicted: [Int] = []
    private var idle: [Int] = []

    /// Gives up all texts but the empty one.
    mutating func removeAll(blank: Int) {
        keepStates(for: [])
        endings.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
        _ = number(of: TextEnding(text: nil, token: blank))
    }

    subscript(text: Int) -> TextEnding { endings[text] }

    /// The number of a text, which is a new one if necessary.
    mutating func number(of ending: TextEnding) -> Int {
        if let number = numbers[ending] { return number }
        let number = endings.count
        numbers[ending] = number
        endings.append(ending)
        states.append(nil)
        return number
    }

    /// The state after a text, computed when it is first needed. The text before it must have one.
    mutating func state(after text: Int, _ network: any Transducer) throws -> Int {
        if let state = states[text] { return state }
        let ending = endings[text], next = try idle.popLast() ?? network.addState()
        network.predict(ending.token, after: ending.text.flatMap { states[$0] }, into: next)
        states[text] = next
        predicted.append(text)
        return next
    }

    /// Gives up all states but those from which the states after these texts are computed.
    mutating func keepStates(for texts: [Int]) {
        let needed = texts.map { states[$0] != nil ? $0 : endings[$0].text }
        predicted.removeAll { text in
            if needed.contains(text) { return false }
            if let state = states[text] { idle.append(state) }
            states[text] = nil
            return true
        }
    }
}
