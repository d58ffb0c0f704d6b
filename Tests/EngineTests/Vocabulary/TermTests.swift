import Testing

@Suite("Terms")
struct TermTests {
    @Test("the same text with another weight is another term")
    func weights() {
        #expect(Term("Siobhan") == Term("Siobhan", weight: 1))
        #expect(Term("Siobhan") != Term("Siobhan", weight: 2))
    }
}
