import Testing

@Suite("Output errors")
struct OutputErrorTests {
    private static let path = FilePath("out/a b.srt")

    @Test(
        "an error has a description",
        arguments: [
            (OutputError.unknownFormat("do\ncx"), "unknown output format $'do\\ncx'"),
            (.emptyFormat, "empty name in the list of output formats"),
            (
                .overwritesInput(output: path, input: path),
                "output 'out/a b.srt' would overwrite the input 'out/a b.srt'"
            ),
            (.folderIsFile(path), "output folder 'out/a b.srt' is a file"),
            (.folderMissing(path), "output folder 'out/a b.srt' does not exist"),
            (.currentFolderDeleted, "the current folder has been deleted"),
            (.folderNotWritable(path), "cannot write to folder 'out/a b.srt': permission denied"),
            (.readOnlyFileSystem(path), "cannot write to folder 'out/a b.srt': read-only file system"),
            (
                .nameTooLong(FilePath(String(repeating: "n", count: 256))),
                "file name too long (256 bytes, maximum 255): " + String(repeating: "n", count: 256)
            ),
            (.nameTooLong(path), "path too long (11 bytes): 'out/a b.srt'"),
            (.outputIsFolder(path), "output 'out/a b.srt' is a folder"),
            (.outputIsSpecial(path), "output 'out/a b.srt' is not a regular file"),
            (.danglingLink(path), "output 'out/a b.srt' is a broken symbolic link"),
            (.ownerWouldChange(path), "output 'out/a b.srt' belongs to another user"),
            (.noSpace(FilePath("out")), "cannot write to folder out: no space left on device"),
            (.writeFailed(path, reason: "no"), "cannot write 'out/a b.srt': no"),
            (.busy(path, process: 7), "'out/a b.srt' is being written by process 7"),
            (.busy(path, process: nil), "'out/a b.srt' is being written by another process"),
            (.outOfResources(path), "cannot write 'out/a b.srt': too many open files or out of memory"),
        ])
    func sentences(error: OutputError, expected: String) {
        #expect(error.description == expected)
    }
}
