import Foundation
import Testing
import WhisperEngine
import WhisperCommands

@Suite("Input list")
struct InputListTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private func path(_ name: String) -> FilePath { FilePath(scratch.url.path + "/" + name) }

    private func list(_ names: String..., standardInput: StandardInput = .readable) -> InputList {
        InputList(names.map { $0 == "-" ? Array("-".utf8) : path($0).bytes }, standardInput: standardInput)
    }

    @Test("a folder is expanded to its media files, sorted, without hidden ones")
    func folder() throws {
        for name in ["b.wav", "a.WAV", "notes.txt", ".hidden.wav", "sub/c.wav", ".git/d.wav"] {
            try scratch.write("talks/\(name)", "x")
        }
        #expect(
            list("talks").items == [
                .input(.file(path("talks/a.WAV"))), .input(.file(path("talks/b.wav"))),
                .input(.file(path("talks/sub/c.wav")), subfolder: FilePath("sub")),
            ])
    }

    @Test("a folder without media files is an error")
    func emptyFolder() throws {
        try scratch.write("talks/notes.txt", "x")
        #expect(list("talks").items == [.failure(.emptyFolder(path("talks")))])
    }

    @Test("each folder is entered once, whatever links lead to it")
    func loops() throws {
        try scratch.write("talks/sub/a.wav", "x")
        for (name, target) in [("talks/sub/up", ".."), ("talks/zz", "sub"), ("talks/self", "self")] {
            try FileManager.default.createSymbolicLink(
                atPath: scratch.url.path + "/" + name, withDestinationPath: target)
        }
        #expect(list("talks").items == [.input(.file(path("talks/sub/a.wav")), subfolder: FilePath("sub"))])
    }

    @Test("a file given twice, even by another path or link, is used once")
    func twice() throws {
        try scratch.write("a.wav", "x")
        try FileManager.default.linkItem(atPath: path("a.wav").description, toPath: path("b.wav").description)
        let list = list("a.wav", "b.wav", ".", "-", "-")
        #expect(list.items == [.input(.file(path("a.wav"))), .input(.standardInput)])
        #expect(
            list.repeated == [.file(path("b.wav")), .file(path("./a.wav")), .file(path("./b.wav")), .standardInput])
    }

    @Test("files that cannot be opened stay in the list, and are reported when they are opened")
    func missing() throws {
        try FileManager.default.createSymbolicLink(
            atPath: path("loop.wav").description, withDestinationPath: "loop.wav")
        #expect(
            list("none.wav", "loop.wav").items == [
                .input(.file(path("none.wav"))), .input(.file(path("loop.wav"))),
            ])
    }

    @Test(
        "standard input that is closed or a terminal is an error",
        arguments: [
            (StandardInput.closed, InputError.standardInputClosed), (.terminal, .standardInputTerminal),
        ])
    func standardInput(state: StandardInput, error: InputError) {
        #expect(list("-", standardInput: state).items == [.failure(error)])
    }

    @Test("names need not be UTF-8")
    func bytes() throws {
        let name = path("bad").bytes + [0xff] + Array(".wav".utf8)
        _ = try Program.shell("printf x > \"$(printf 'bad\\377.wav')\"", in: scratch)
        let list = InputList([name], standardInput: .closed)
        let input = Input.file(FilePath(bytes: name))
        #expect(list.items == [.input(input)])
        #expect(input.name.hasSuffix("/bad\\xff.wav'"))
    }
}
