import Testing
import WhisperEngine
import WhisperCommands

@Suite("Shards")
struct ShardTests {
    /// The loads of all shards, and the entries that they have together.
    private func shared(_ loads: [Double], among count: Int) -> (loads: [Double], entries: [Int]) {
        let shards = (1...count).map { Shard(number: $0, of: count).indices(of: loads) }
        return (shards.map { $0.reduce(0) { $0 + loads[$1] } }, shards.flatMap(\.self))
    }

    @Test("every entry is in one shard, in the order of the list", arguments: [1, 2, 3, 7, 50, 200])
    func partition(count: Int) {
        var random = SplitMix(state: UInt64(count))
        let loads = (0..<100).map { _ in Double.random(in: 30...7200, using: &random) }
        for number in 1...count {
            let shard = Shard(number: number, of: count).indices(of: loads)
            #expect(shard == shard.sorted())
        }
        #expect(shared(loads, among: count).entries.sorted() == Array(0..<100))
    }

    @Test("the loads of two shards differ by at most the longest recording", arguments: 1...20)
    func balance(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let loads = (0..<300).map { _ in Double.random(in: 30...7200, using: &random) }
        let shards = shared(loads, among: 2 + seed).loads
        let (least, most) = (try #require(shards.min()), try #require(shards.max()))
        #expect(most - least <= 7200)
        // In practice by far less: the short ones fill the gaps.
        #expect(most <= 1.05 * loads.reduce(0, +) / Double(shards.count))
    }

    @Test("entries with equal loads are distributed in turn")
    func count() {
        #expect(Shard(number: 1, of: 3).indices(of: Array(repeating: 1, count: 8)) == [0, 3, 6])
        #expect(Shard(number: 3, of: 3).indices(of: Array(repeating: 1, count: 8)) == [2, 5])
        #expect(Shard(number: 3, of: 3).indices(of: [1, 1]) == [])
    }

    @Test("I/N is read, with I from 1 to N", arguments: ["1/1", "3/8", "1000000/1000000"])
    func syntax(text: String) throws {
        let shard = try #require(Shard(Array(text.utf8)))
        #expect("\(shard.number)/\(shard.count)" == text)
    }

    @Test(
        "anything else is rejected",
        arguments: ["0/1", "2/1", "1/0", "-1/2", "+1/2", "1/2/3", "/", "1", "a/b", "1/1000001"])
    func refusal(text: String) {
        #expect(Shard(Array(text.utf8)) == nil)
    }
}
