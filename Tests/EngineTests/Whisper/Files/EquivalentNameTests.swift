import Foundation
import Testing

/// Swift regards texts as equal that differ only in how accents are encoded; files distinguish them.
@Suite("Names that differ only in their Unicode form")
struct EquivalentNameTests {
    /// An é as one scalar and as two.
    private static let names = ["\u{e9}", "e\u{301}"]

    @Test("tensors with such names are reported as duplicates")
    func tensors() throws {
        let folder = try TemporaryFolder()
        var contents = HuggingFaceFolderTests.good
        for name in Self.names { contents.tensors.append((name, "F16", [1], [0, 0])) }
        try contents.write(to: folder)
        #expect(
            try FormatFixture.open(folder.path)
                == .duplicateTensor(path: folder.path("model.safetensors"), name: Self.names[1]))
    }

    @Test("shards with such names are different files")
    func shards() throws {
        let folder = try TemporaryFolder(), plain = ["a.safetensors", "b.safetensors"]
        try HuggingFaceFolderTests.good.write(to: folder, shards: plain)
        var index = try #require(folder.text("model.safetensors.index.json"))
        for (name, new) in zip(plain, Self.names) {
            #expect(unsafe rename(folder.path(name).description, folder.path(new).description) == 0)
            index = index.replacing(name, with: new)
        }
        try folder.create("model.safetensors.index.json", index)
        #expect(try FormatFixture.open(folder.path) == nil)
        #expect(try FormatFixture.open(folder.path(Self.names[1])) == nil)
    }
}
