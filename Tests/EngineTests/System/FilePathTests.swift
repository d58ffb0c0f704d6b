import Testing
import WhisperEngine

@Suite("File path")
struct FilePathTests {
    @Test(
        "stem, extension, folder and name",
        arguments: [
            ("a/b.c.wav", "b.c", "wav", "a", "b.c.wav"), (".wav", ".wav", "", ".", ".wav"), ("/x", "x", "", "/", "x"),
            ("dir/", "dir", "", ".", "dir"), ("end.", "end", "", ".", "end."), ("/", "/", "", "/", "/"),
        ])
    func parts(path: String, stem: String, ending: String, folder: String, name: String) {
        let path = FilePath(path)
        #expect(path.stem == FilePath(stem))
        #expect(path.lowercasedExtension == ending)
        #expect(path.folder == FilePath(folder))
        #expect(path.name == FilePath(name))
    }

    @Test(
        "messages cannot be driven by a name",
        arguments: [
            (Array("plain-1.wav".utf8), "plain-1.wav"), (Array("two words".utf8), "'two words'"),
            (Array("it's".utf8), "'it'\\''s'"), ([98, 97, 100, 0xff, 46], "$'bad\\xff.'"),
            (Array("a\nb\u{1b}[31m".utf8), "$'a\\nb\\x1b[31m'"), ([], "''"), (Array("größe.wav".utf8), "größe.wav"),
        ])
    func quoting(bytes: [UInt8], expected: String) {
        #expect(ShellQuoting.quoted(bytes) == expected)
    }
}
