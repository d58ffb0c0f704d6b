import Testing

@Suite("Prompt history")
struct PromptHistoryTests {
    @Test("the prompt contains all ids since the last reset")
    func plain() {
        var history = PromptHistory(initialPrompt: [1, 2], carriesInitialPrompt: false)
        #expect(history.prompt == [1, 2])
        history.append([3])
        #expect(history.prompt == [1, 2, 3])
        history.reset()
        #expect(history.prompt.isEmpty)
        history.append([4])
        #expect(history.prompt == [4])
    }

    @Test("a carried initial prompt comes first, followed by as many of the last ids as fit")
    func carried() {
        var history = PromptHistory(initialPrompt: [1, 2], carriesInitialPrompt: true)
        history.append(Array(10..<300))
        #expect(history.prompt == [1, 2] + Array((300 - 221)..<300))
        history.reset()
        #expect(history.prompt == [1, 2])
        history.append([7])
        #expect(history.prompt == [1, 2, 7])
    }

    /// In Python, `rest[-0:]` is all of `rest`, and `rest[-(-2):]` drops its first two elements.
    @Test(
        "an initial prompt that fills the room is handled as in the reference",
        arguments: [(223, 0), (225, 2), (500, 277)])
    func full(count: Int, dropped: Int) {
        let prompt = Array(repeating: 1, count: count)
        var history = PromptHistory(initialPrompt: prompt, carriesInitialPrompt: true)
        #expect(history.prompt == prompt)
        history.append(Array(10..<260))
        #expect(history.prompt == prompt + Array(10..<260).dropFirst(dropped))
    }
}
