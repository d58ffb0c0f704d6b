/// The ids generated so far, and those of them that prompt the next window.
package struct PromptHistory: Hashable, Sendable {
    /// Maximum number of ids in a prompt: half the text context, less one for "start of previous text".
    private static let maxLength = 223

    private let initialPrompt: [Int]
    private let carriesInitialPrompt: Bool
    private var ids: [Int]
    private var start = 0

    /// - Parameters:
    ///   - initialPrompt: ids that precede the first window's text.
    ///   - carriesInitialPrompt: whether they precede every window's text.
    package init(initialPrompt: [Int], carriesInitialPrompt: Bool) {
        self.initialPrompt = initialPrompt
        self.carriesInitialPrompt = carriesInitialPrompt
        ids = initialPrompt
    }

    /// The prompt of the next window, of which the decoding pass uses the last 223 ids.
    package var prompt: [Int] {
        guard carriesInitialPrompt else { return Array(ids[start...]) }
        let rest = ids[max(initialPrompt.count, start)...]
        let room = Self.maxLength - initialPrompt.count
        // Python's rest[-room:], which keeps everything for 0 and drops the first ids for negative values.
        return initialPrompt + (room > 0 ? rest.suffix(room) : rest.dropFirst(-room))
    }

    package mutating func append(_ newIds: [Int]) {
        ids += newIds
    }

    /// Excludes everything so far from later prompts, except for a carried initial prompt.
    package mutating func reset() {
        start = ids.count
    }
}
