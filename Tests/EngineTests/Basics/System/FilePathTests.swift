import Testing

@Suite("File path")
struct FilePathTests {
    @Test(
        "a path is split into stem, extension, folder and name",
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
}
