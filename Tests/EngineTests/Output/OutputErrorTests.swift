import Testing
import WhisperEngine

@Suite("Output error")
struct OutputErrorTests {
    private static let path = FilePath("out/a b.srt")

    @Test(
        "an error says what happened where, what to do, and of what kind it is",
        arguments: [
            (OutputError.unknownFormat("do\ncx"), "unknown output format $'do\\ncx'", OutputError.Category.usage),
            (.emptyFormat, "empty name in the list of output formats", .usage),
            (
                .overwritesInput(output: path, input: path),
                "refuses to overwrite its own input 'out/a b.srt' with 'out/a b.srt'", .cannotCreate
            ),
            (.folderIsFile(path), "output folder 'out/a b.srt' is a file", .cannotCreate),
            (.folderMissing(path), "no output folder 'out/a b.srt'", .cannotCreate),
            (.folderNotWritable(path), "not permitted to write in 'out/a b.srt'", .cannotCreate),
            (.readOnlyFileSystem(path), "'out/a b.srt' is on a read-only file system", .cannotCreate),
            (
                .nameTooLong(FilePath(String(repeating: "n", count: 256))),
                "name too long (256 bytes, at most 255): " + String(repeating: "n", count: 256), .cannotCreate
            ),
            (.nameTooLong(path), "path too long (11 bytes): 'out/a b.srt'", .cannotCreate),
            (.outputIsFolder(path), "output 'out/a b.srt' is a folder", .cannotCreate),
            (.outputIsSpecial(path), "output 'out/a b.srt' is a device or a pipe, not a file", .cannotCreate),
            (.danglingLink(path), "output 'out/a b.srt' is a symbolic link to nothing", .cannotCreate),
            (.ownerWouldChange(path), "output 'out/a b.srt' belongs to another user", .cannotCreate),
            (.noSpace(FilePath("out")), "no space left in out", .ioError),
            (.writeFailed(path, reason: "no"), "cannot write 'out/a b.srt': no", .ioError),
            (.busy(path, process: 7), "'out/a b.srt' is being written by process 7", .busy),
            (.busy(path, process: nil), "'out/a b.srt' is being written by another process", .busy),
            (.outOfResources(path), "too many open files or no memory while writing 'out/a b.srt'", .busy),
        ])
    func sentences(error: OutputError, expected: String, category: OutputError.Category) {
        #expect(error.description == expected)
        #expect(error.category == category)
        #expect(!error.advice.isEmpty && !error.advice.contains("\n"))
    }
}
