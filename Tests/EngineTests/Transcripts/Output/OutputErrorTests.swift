import Testing

@Suite("Output errors")
struct OutputErrorTests {
    private static let path = FilePath("out/a b.srt")

    @Test(
        "an error has a description and a category",
        arguments: [
            (OutputError.unknownFormat("do\ncx"), "unknown output format $'do\\ncx'", OutputError.Category.usage),
            (.emptyFormat, "empty name in the list of output formats", .usage),
            (
                .overwritesInput(output: path, input: path),
                "output 'out/a b.srt' would overwrite the input 'out/a b.srt'", .cannotCreate
            ),
            (.folderIsFile(path), "output folder 'out/a b.srt' is a file", .cannotCreate),
            (.folderMissing(path), "output folder 'out/a b.srt' does not exist", .cannotCreate),
            (.currentFolderDeleted, "the current folder has been deleted", .cannotCreate),
            (.folderNotWritable(path), "cannot write to folder 'out/a b.srt': permission denied", .cannotCreate),
            (.readOnlyFileSystem(path), "cannot write to folder 'out/a b.srt': read-only file system", .cannotCreate),
            (
                .nameTooLong(FilePath(String(repeating: "n", count: 256))),
                "file name too long (256 bytes, maximum 255): " + String(repeating: "n", count: 256), .cannotCreate
            ),
            (.nameTooLong(path), "path too long (11 bytes): 'out/a b.srt'", .cannotCreate),
            (.outputIsFolder(path), "output 'out/a b.srt' is a folder", .cannotCreate),
            (.outputIsSpecial(path), "output 'out/a b.srt' is not a regular file", .cannotCreate),
            (.danglingLink(path), "output 'out/a b.srt' is a broken symbolic link", .cannotCreate),
            (.ownerWouldChange(path), "output 'out/a b.srt' belongs to another user", .cannotCreate),
            (.noSpace(FilePath("out")), "cannot write to folder out: no space left on device", .ioError),
            (.writeFailed(path, reason: "no"), "cannot write 'out/a b.srt': no", .ioError),
            (.busy(path, process: 7), "'out/a b.srt' is being written by process 7", .busy),
            (.busy(path, process: nil), "'out/a b.srt' is being written by another process", .busy),
            (.outOfResources(path), "cannot write 'out/a b.srt': too many open files or out of memory", .busy),
        ])
    func sentences(error: OutputError, expected: String, category: OutputError.Category) {
        #expect(error.description == expected)
        #expect(error.category == category)
    }
}
