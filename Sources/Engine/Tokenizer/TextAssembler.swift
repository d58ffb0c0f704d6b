/// Text of ids that arrive one after the other, often with only a part of a character each.
///
/// All that `append` and `finish` give, joined, equals `Tokenizer.decode` of all ids.
public struct TextAssembler: Sendable {
    private let tokenizer: Tokenizer
    private var assembler = UTF8Assembler()

    public init(tokenizer: Tokenizer) {
        self.tokenizer = tokenizer
    }

    /// The text that `id` completes; timestamps have none.
    public mutating func append(_ id: Int) -> String {
        guard id < tokenizer.special.firstTimestamp else { return "" }
        return assembler.append(tokenizer.bytes(of: id))
    }

    /// What was never completed: U+FFFD or nothing. The assembler is then as new.
    public mutating func finish() -> String {
        assembler.finish()
    }
}
