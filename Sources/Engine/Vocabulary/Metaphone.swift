/// How an English word sounds: Metaphone (Lawrence Philips, 1990), which keeps the consonants that are heard, and a vowel only
/// at the start.
package enum Metaphone {
    /// - Parameter letters: lower case and without accents; others than a to z stand for themselves.
    package static func code(_ letters: [Character]) -> [Character] {
        var text = letters[...]
        if text.count > 1, ["kn", "gn", "pn", "wr", "ae"].contains(String(text.prefix(2))) { text = text.dropFirst() }
        var code: [Character] = []
        var place = text.startIndex
        func at(_ index: Int) -> Character? { index >= text.startIndex && index < text.endIndex ? text[index] : nil }
        func isVowel(_ character: Character?) -> Bool { character.map { "aeiou".contains($0) } ?? false }
        func isFront(_ character: Character?) -> Bool { character.map { "eiy".contains($0) } ?? false }
        while place < text.endIndex {
            let letter = text[place], last = at(place - 1), next = at(place + 1), later = at(place + 2)
            let isFirst = place == text.startIndex
            defer { place += 1 }
            if letter == next, letter != "c" { continue }
            switch letter {
            case "a", "e", "i", "o", "u": if isFirst { code.append(letter) }
            case "b": if !(last == "m" && next == nil) { code.append("b") }
            case "c":
                if next == "h" {
                    code.append(last == "s" || isFirst && later.map { "rl".contains($0) } ?? false ? "k" : "x")
                    place += 1
                } else if next == "i", later == "a" {
                    code.append("x")
                } else if isFront(next) {
                    if last != "s" { code.append("s") }
                } else if next != "k" {
                    code.append("k")
                }
            case "d":
                if next == "g", isFront(later) {
                    code.append("j")
                    place += 1
                } else {
                    code.append("t")
                }
            case "g":
                if next == "h" {
                    // Silent as in night, but not as in ghost.
                    if isFirst || isVowel(later) { code.append("k") }
                    place += 1
                } else if next == "n", later == nil {
                    // Silent as in sign.
                } else {
                    code.append(isFront(next) && last != "g" ? "j" : "k")
                }
            case "h": if isVowel(next), last.map({ !"csptg".contains($0) }) ?? true { code.append("h") }
            case "p":
                code.append(next == "h" ? "f" : "p")
                if next == "h" { place += 1 }
            case "q": code.append("k")
            case "s":
                if next == "h" || next == "i" && (later == "o" || later == "a") {
                    code.append("x")
                    if next == "h" { place += 1 }
                } else {
                    code.append("s")
                }
            case "t":
                if next == "i", later == "o" || later == "a" {
                    code.append("x")
                } else if next == "h" {
                    code.append("0")
                    place += 1
                } else if !(next == "c" && later == "h") {
                    code.append("t")
                }
            case "v": code.append("f")
            case "w":
                if isVowel(next) || isFirst && next == "h" { code.append("w") }
                if isFirst && next == "h" { place += 1 }
            case "x":
                code += isFirst ? ["s"] : ["k", "s"]
            case "y": if isVowel(next) { code.append("y") }
            case "z": code.append("s")
            default: code.append(letter)
            }
        }
        return code
    }
}
