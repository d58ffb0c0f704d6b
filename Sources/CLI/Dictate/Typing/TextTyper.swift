import WhisperEngine

/// Puts texts into the focused window by the ways of a plan. A way that fails is not tried again.
struct TextTyper: Sendable {
    private var ways: [TypingPlan.Way]
    private let pasteKey: PasteKey
    private let clipboard: Clipboard?
    /// The clipboard is to have the text as well, so nothing is put back into it.
    private let keepsClipboard: Bool

    /// Calls have this long, and longer texts a little more for each character.
    private static let timeLimit = Duration.seconds(2)
    private static let timePerCharacter = Duration.milliseconds(60)

    init(_ plan: TypingPlan, pasteKey: PasteKey, clipboard: Clipboard?, keepsClipboard: Bool) {
        (ways, self.pasteKey, self.clipboard, self.keepsClipboard) = (plan.ways, pasteKey, clipboard, keepsClipboard)
    }

    /// What has become of a text.
    struct Result: Sendable {
        /// Why it is not in the window, and where it is.
        var failure: String?
        /// What to put back into the clipboard when the window has read it.
        var kept: KeptSelections?
    }

    /// Types a text once: a way that fails is followed by the next one, unless it may have typed some of the text.
    mutating func type(_ text: String) -> Result {
        var failures: [String] = []
        while let way = ways.first {
            let (failure, kept, isPartial) = attempt(way, text)
            guard let failure else {
                guard way == .clipboard, !failures.isEmpty else { return Result(failure: nil, kept: kept) }
                return Result(failure: failures.joined(separator: "; ") + "; the text is in the clipboard", kept: nil)
            }
            failures.append(failure)
            if isPartial {
                if case .succeeded = clipboard?.set(text) { failures.append("the text is in the clipboard") }
                break
            }
            ways.removeFirst()
        }
        return Result(failure: failures.isEmpty ? "nothing types here any more" : failures.joined(separator: "; "))
    }

    private func attempt(
        _ way: TypingPlan.Way, _ text: String
    ) -> (failure: String?, kept: KeptSelections?, isPartial: Bool) {
        switch way {
        case .keys(let program):
            guard program.typesEverything || text.utf8.allSatisfy({ $0 < 0x80 }) else {
                guard clipboard != nil else {
                    return ("\(program.rawValue) loses characters such as “é”; install a clipboard program", nil, true)
                }
                return paste(text, program)
            }
            let outcome = run(program.typing(text), characters: text.count)
            return (failure(outcome, program.rawValue), nil, outcome == .timedOut)
        case .paste(let program): return paste(text, program)
        case .clipboard:
            guard let clipboard else { return (Desktop.missing, nil, false) }
            return (failure(clipboard.set(text), clipboard.program), nil, false)
        }
    }

    private func paste(
        _ text: String, _ program: KeyProgram
    ) -> (failure: String?, kept: KeptSelections?, isPartial: Bool) {
        guard let clipboard else { return (Desktop.missing, nil, false) }
        var kept = KeptSelections(clipboard: clipboard, pasted: text)
        for selection in pasteKey.pastesEither ? [Clipboard.Selection.clipboard, .primary] : [.clipboard] {
            let earlier = clipboard.text(selection)
            let outcome = clipboard.set(text, selection)
            // Not every compositor has a primary selection.
            if selection == .primary, outcome != .succeeded { break }
            if let failure = failure(outcome, clipboard.program) { return (failure, nil, false) }
            kept.texts.append((selection, earlier ?? ""))
        }
        var outcome = ChildProcess.Outcome.notFound
        for call in program.pressing(pasteKey) where outcome != .succeeded {
            outcome = run(call)
            if outcome == .timedOut { break }
        }
        // Otherwise the clipboard keeps the text.
        if let failure = failure(outcome, program.rawValue) { return (failure, nil, outcome == .timedOut) }
        return (nil, keepsClipboard ? nil : kept, false)
    }

    private func run(_ call: KeyProgram.Call, characters: Int = 0) -> ChildProcess.Outcome {
        ChildProcess.run(
            call.command, input: call.input, timeout: Self.timeLimit + Self.timePerCharacter * characters)
    }

    private func failure(_ outcome: ChildProcess.Outcome, _ program: String) -> String? {
        switch outcome {
        case .succeeded: nil
        case .notFound: "\(program) is not installed"
        case .timedOut: "\(program) took too long and was killed"
        case .failed(let status): "\(program) failed with exit status \(status)"
        }
    }
}

/// What the clipboard contained before a text was pasted through it.
struct KeptSelections: Sendable {
    let clipboard: Clipboard
    let pasted: String
    var texts: [(selection: Clipboard.Selection, text: String)] = []

    /// How long the window has to read the clipboard.
    static let delay = Duration.milliseconds(300)

    /// Puts the old texts back, except where something else has been copied since. What was not text is lost, and then
    /// the clipboard becomes empty.
    func restore() {
        for (selection, text) in texts where clipboard.text(selection) == pasted {
            _ = clipboard.set(text, selection)
        }
    }
}
