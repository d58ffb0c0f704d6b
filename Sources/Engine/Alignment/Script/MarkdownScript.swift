import EngineBasics

/// What a reader of a Markdown file reads: paragraphs, headings and items of lists without their signs, links without their
/// targets, no code, no pictures, no comments.
enum MarkdownScript {
    static func passages(of text: String) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        removeHead(&lines)
        var passages: [String] = [], paragraph: [String] = []
        var fence: Character?
        func close() {
            let text = spoken(paragraph.joined(separator: " "))
            if !text.isEmpty { passages.append(text) }
            paragraph = []
        }
        for line in lines {
            let stripped = WhiteSpace.strip(line)
            if let sign = fenceSign(stripped) {
                if fence == nil { close() }
                if fence == nil || fence == sign { fence = fence == nil ? sign : nil }
                continue
            }
            if fence != nil { continue }
            let (content, startsBlock) = withoutBlockSigns(stripped)
            if content.isEmpty || startsBlock { close() }
            if isRule(stripped) || isDefinition(stripped) { continue }
            paragraph.append(content)
            if startsBlock, stripped.hasPrefix("#") { close() }
        }
        close()
        return passages
    }

    /// Removes the settings between two lines of three dashes at the start.
    private static func removeHead(_ lines: inout [String]) {
        guard lines.first.map({ WhiteSpace.strip($0) }) == "---",
            let end = lines.dropFirst().firstIndex(where: { ["---", "..."].contains(WhiteSpace.strip($0)) })
        else { return }
        lines.removeSubrange(...end)
    }

    private static func fenceSign(_ line: String) -> Character? {
        line.hasPrefix("```") ? "`" : line.hasPrefix("~~~") ? "~" : nil
    }

    /// A line of dashes, stars or equals signs, or between the head and the rows of a table.
    private static func isRule(_ line: String) -> Bool {
        line.count > 2 && line.allSatisfy { "-*_=|: ".contains($0) }
    }

    /// `[name]: https://…`
    private static func isDefinition(_ line: String) -> Bool {
        line.hasPrefix("[") && line.firstRange(of: "]:").map { !line[..<$0.lowerBound].contains(" ") } ?? false
    }

    /// The line without the signs of headings, quotations and lists, and whether it starts a passage of its own.
    private static func withoutBlockSigns(_ line: String) -> (content: String, startsBlock: Bool) {
        var rest = Substring(line)
        var startsBlock = false
        while rest.hasPrefix(">") { rest = rest.dropFirst().drop(while: \.isWhitespace) }
        let heading = rest.prefix { $0 == "#" }.count
        if (1...6).contains(heading), rest.dropFirst(heading).first?.isWhitespace ?? true {
            startsBlock = true
            rest = rest.dropFirst(heading)
            while rest.last == "#" || rest.last?.isWhitespace == true { rest = rest.dropLast() }
        } else if let sign = rest.first, "-*+".contains(sign), rest.dropFirst().first?.isWhitespace == true {
            startsBlock = true
            rest = rest.dropFirst()
        } else if case let digits = rest.prefix(while: \.isNumber).count, (1...9).contains(digits),
            let sign = rest.dropFirst(digits).first, ".)".contains(sign),
            rest.dropFirst(digits + 1).first?.isWhitespace == true
        {
            startsBlock = true
            rest = rest.dropFirst(digits + 1)
        } else if rest.hasPrefix("|") {
            startsBlock = true
        }
        rest = rest.drop(while: \.isWhitespace)
        for box in ["[ ] ", "[x] ", "[X] "] where startsBlock && rest.hasPrefix(box) { rest = rest.dropFirst(4) }
        return (String(rest), startsBlock)
    }

    /// The text of a passage without the signs within lines.
    private static func spoken(_ source: String) -> String {
        var text = source.replacing(/<!--.*?-->/, with: "").replacing(/!\[[^\]]*\]\([^)]*\)/, with: "")
        text = text.replacing(/\[([^\]\[]*)\]\([^)]*\)/) { String($0.output.1) }
        text = text.replacing(/\[([^\]\[]*)\]\[[^\]]*\]/) { String($0.output.1) }
        text = text.replacing(/\[\^[^\]]*\]/, with: "").replacing(/<(https?:[^>\s]*)>/) { String($0.output.1) }
        text = text.replacing(/<\/?[A-Za-z][^>]*>/, with: "").replacing("|", with: " ")
        text = withoutEmphasis(text)
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Removes stars, tildes, backquotes and underscores around words, and backslashes before signs.
    private static func withoutEmphasis(_ text: String) -> String {
        let characters = Array(text)
        var result = ""
        var index = 0
        func isWord(_ index: Int) -> Bool {
            characters.indices.contains(index) && (characters[index].isLetter || characters[index].isNumber)
        }
        while index < characters.count {
            let character = characters[index]
            switch character {
            case "\\" where index + 1 < characters.count && characters[index + 1].isPunctuation:
                index += 1
                result.append(characters[index])
            case "`": break
            case "*", "~", "_":
                var end = index
                while end + 1 < characters.count, characters[end + 1] == character { end += 1 }
                let isInside = isWord(index - 1) && isWord(end + 1)
                let before = index == 0 || characters[index - 1].isWhitespace
                let after = end + 1 == characters.count || characters[end + 1].isWhitespace
                if before && after || character == "_" && isInside || character == "~" && end == index {
                    result += String(characters[index...end])
                }
                index = end
            default: result.append(character)
            }
            index += 1
        }
        return result
    }
}
