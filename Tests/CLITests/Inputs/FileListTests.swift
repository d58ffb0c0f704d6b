import Foundation
import Testing
import WhisperEngine
import WhisperCommands

@Suite("Lists of recordings")
struct FileListTests {
    private func list(_ text: String) -> FileList { FileList(Array(text.utf8), separator: UInt8(ascii: "\n")) }

    private func paths(_ list: FileList) -> [FilePath] { (0..<list.count).map(list.path) }

    @Test("entries are paths, or seconds, a tab and a path")
    func syntax() {
        let list = list("a.wav\n12.5\tb c.wav\n\n\tx\ny\tz\n1\t2\tz\n-5\tq\n7\t")
        #expect(
            paths(list) == ["a.wav", "b c.wav", "\tx", "y\tz", "2\tz", "-5\tq", "7\t"].map { FilePath($0) })
        #expect(list.timedCount == 2)
    }

    @Test("paths keep their bytes, and with zero bytes also their line feeds")
    func bytes() {
        let bytes = Array("3\ta\nb".utf8) + [0xff, 0] + Array("c\r".utf8)
        let list = FileList(bytes, separator: 0)
        #expect(paths(list) == [FilePath(bytes: [0x61, 0x0a, 0x62, 0xff]), FilePath("c\r")])
    }

    @Test("a recording counts as its length, but at least as a window; without all lengths, all count equally")
    func loads() {
        #expect(list("90\ta\n5\tb\n0\tc").loads == [90, 30, 30])
        #expect(list("90\ta\nb").loads == [1, 1])
    }

    @Test("a path of - is a file")
    func dash() {
        #expect(paths(list("-")) == [FilePath("./-")])
    }

    @Test("outputs keep the folders of the path, except parts that lead out of them")
    func places() {
        let places: [(path: String, folder: String?, base: String)] = [
            ("talk.wav", nil, "talk"), ("./talk.wav", nil, "talk"), ("a/b/talk.one.wav", "a/b", "talk.one"),
            ("/srv/a//b/./talk.wav", "srv/a/b", "talk"), ("a/../b/talk.wav", "b", "talk"),
            ("../../talk.wav", nil, "talk"),
        ]
        for (path, folder, base) in places {
            let place = OutputPlace(of: FilePath(path))
            #expect(place.folder == folder.map { FilePath($0) }, "\(path)")
            #expect(place.base == FilePath(base), "\(path)")
        }
    }

    @Test("an entry that occurs twice is transcribed once, by the shard of the first")
    func repeated() throws {
        let list = list("a/x.wav\nb/x.wav\na/x.wav")
        for number in 1...2 {
            let part = try list.entries(of: Shard(number: number, of: 2))
            #expect(part.entries == [number - 1])
            #expect(part.repeated == [FilePath("a/x.wav")])
        }
    }

    @Test("two recordings with the same output are an error in every shard", arguments: 1...3)
    func clash(number: Int) {
        let list = list("a/x.wav\nb/x.wav\na/./x.wav")
        #expect(throws: FileList.SameOutput(first: FilePath("a/x.wav"), second: FilePath("a/./x.wav"))) {
            try list.entries(of: Shard(number: number, of: 3))
        }
    }

    @Test("outputs of recordings that differ only in their extension keep it, in every shard", arguments: 1...3)
    func alike(number: Int) throws {
        let list = list("a/x.wav\nb/x.wav\na/x.mp3")
        let part = try list.entries(of: Shard(number: number, of: 3))
        #expect(part.entries == [number - 1] && part.alike == [0, 2])
        let items = try InputList(list, shard: Shard(number: number, of: 3)).items
        let path = FilePath(["a/x.wav", "b/x.wav", "a/x.mp3"][number - 1])
        #expect(items == [.input(.file(path), subfolder: path.folder, keepsExtension: number != 2)])
    }

    @Test("listed folders are expanded to their media files, whose outputs keep their folders, too")
    func folders() throws {
        let scratch = try Program.Scratch()
        for name in ["a/x.wav", "a/b/y.wav", "c/z.wav"] { try scratch.write(name, name) }
        let top = scratch.url.path
        let items = try InputList(list("\(top)/a\n\(top)/c/z.wav")).items
        let place = String(top.dropFirst())
        #expect(
            items == [
                .input(.file(FilePath("\(top)/a/b/y.wav")), subfolder: FilePath("\(place)/a/b")),
                .input(.file(FilePath("\(top)/a/x.wav")), subfolder: FilePath("\(place)/a")),
                .input(.file(FilePath("\(top)/c/z.wav")), subfolder: FilePath("\(place)/c")),
            ])
    }
}
