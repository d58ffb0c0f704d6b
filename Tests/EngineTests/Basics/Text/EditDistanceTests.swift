import Testing

@Suite("Edit distance")
struct EditDistanceTests {
    @Test(
        "a swap of neighbors is one edit when swaps count and two otherwise",
        arguments: [
            ("", "", 0, 0), ("a", "", 1, 1), ("languge", "language", 1, 1), ("lagnuage", "language", 1, 2),
            ("kitten", "sitting", 3, 3), ("small", "smal", 1, 1),
        ])
    func distance(a: String, b: String, withSwaps: Int, withoutSwaps: Int) {
        for (a, b) in [(Array(a.utf8), Array(b.utf8)), (Array(b.utf8), Array(a.utf8))] {
            #expect(EditDistance(a, b, countsSwaps: true).value == withSwaps)
            #expect(EditDistance(a, b).value == withoutSwaps)
        }
    }
}
