/// All ids so far, and the part of them that prompts the next window.
package struct PromptHistory: Hashable, Sendable {
    /// Most ids of a prompt: half the text context, less one for "start of previous text".
    private static let room = 223

    private let initialPrompt: [Int]
    private let carriesInitialPrompt: Bool
    private var ids: [Int]
    private var start = 0

    /// - Parameters:
    ///   - initialPrompt: ids that stand before the first window's text.
    ///   - carriesInitialPrompt: whether they stand before every window's text.
    package init(initialPrompt: [Int], carriesInitialPrompt: Bool) {
        self.initialPrompt = initialPrompt
        self.carriesInitialPrompt = carriesInitialPrompt
        ids = initialPrompt
    }

    /// Ids of the transcript, timestamps included, the initial prompt not.
    package var transcript: [Int] { Array(ids[initialPrompt.count...]) }

    /// What the next window is prompted with; whoever decodes keeps its last 223 ids.
    package var prompt: [Int] {
        guard carriesInitialPrompt else { return Array(ids[start...]) }
        let rest = ids[max(initialPrompt.count, start)...]
        let room = Self.room - initialPrompt.count
        // Python's rest[-room:], which keeps everything for 0 and drops from the front below.
        return initialPrompt + (room > 0 ? rest.suffix(room) : rest.dropFirst(-room))
    }

    package mutating func append(_ newIds: [Int]) {
        ids += newIds
    }

    /// Prompts the next window with nothing of what is there now, a carried initial prompt apart.
    package mutating func reset() {
        start = ids.count
    }
}
