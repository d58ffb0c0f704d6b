import Foundation
import Testing

@Suite("Output plans")
struct OutputPlanTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func plan(_ inputs: [String], _ formats: [OutputFormat] = [.srt], in name: String? = nil) throws
        -> OutputPlan
    {
        try OutputPlan(
            inputs: inputs.map { folder.path($0) }, formats: formats,
            folder: name.map { folder.path($0) } ?? folder.path)
    }

    @Test(
        "outputs are named after their input",
        arguments: [
            ("a/talk.wav", "out/talk.srt", "out/talk.partial.srt"),
            ("talk.one.mp3", "out/talk.one.srt", "out/talk.one.partial.srt"),
            (".wav", "out/.wav.srt", "out/.wav.partial.srt"), ("end.", "out/end.srt", "out/end.partial.srt"),
            ("-", "out/stdin.srt", "out/stdin.partial.srt"), ("./-n.wav", "out/-n.srt", "out/-n.partial.srt"),
        ])
    func names(input: String, output: String, partial: String) throws {
        let plan = try OutputPlan(inputs: [FilePath(input)], formats: [.srt], folder: FilePath("out"))
        #expect(plan.entries.map(\.input) == [FilePath(input)])
        #expect(plan.entries[0].outputs.map(\.path) == [FilePath(output)])
        #expect(plan.entries[0].outputs.map(\.partialPath) == [FilePath(partial)])
    }

    @Test("outputs and stamps go to the subfolder of their input, so that inputs with the same name do not collide")
    func subfolders() throws {
        let sources = ["a", "b/c", nil].map {
            OutputPlan.Source(input: FilePath("talk.wav"), subfolder: $0.map { FilePath($0) })
        }
        let plan = try OutputPlan(sources: sources, formats: [.srt], folder: FilePath("out"))
        #expect(plan.entries.map(\.folder) == ["out/a", "out/b/c", "out"].map { FilePath($0) })
        #expect(
            plan.entries.map { $0.outputs[0].path }
                == ["out/a/talk.srt", "out/b/c/talk.srt", "out/talk.srt"].map { FilePath($0) })
        #expect(plan.entries[1].stampPath == FilePath("out/b/c/.talk.stamp"))
    }

    @Test("a missing subfolder is created with the lock, and removed while it is empty")
    func missingSubfolder() throws {
        let source = OutputPlan.Source(input: folder.path("talk.wav"), subfolder: FilePath("a/b"))
        let plan = try OutputPlan(sources: [source], formats: [.txt], folder: folder.path("out"))
        try plan.prepare()
        #expect(!FileManager.default.fileExists(atPath: folder.path("out/a").description))
        let lock = try plan.entries[0].lock()
        #expect(FileManager.default.fileExists(atPath: folder.path("out/a/b").description))
        plan.entries[0].removeEmptyFolders(upTo: plan.folders[0])
        #expect(FileManager.default.fileExists(atPath: folder.path("out/a/b").description))
        lock.release()
        plan.entries[0].removeEmptyFolders(upTo: plan.folders[0])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out").description) == [])
    }

    @Test("names that are not UTF-8 keep their bytes")
    func bytes() throws {
        let input = FilePath(bytes: [0x62, 0xff, 0x0a] + Array(".wav".utf8))
        let plan = try OutputPlan(inputs: [input], formats: [.txt])
        #expect(plan.entries[0].outputs[0].path.bytes == Array("./".utf8) + [0x62, 0xff, 0x0a] + Array(".txt".utf8))
    }

    @Test("two inputs with the same output are rejected")
    func clash() {
        let inputs = [FilePath("a/x.wav"), FilePath("y.wav"), FilePath("x.wav")]
        let error = OutputError.sameOutput(output: FilePath("out/x.srt"), first: inputs[0], second: inputs[2])
        #expect(throws: error) { try OutputPlan(inputs: inputs, formats: [.srt], folder: FilePath("out")) }
        #expect(error.description == "a/x.wav and x.wav have the same output file out/x.srt")
    }

    @Test("names that differ only in their extension keep it")
    func alike() throws {
        let inputs = ["a.mp3", "b.wav", "c/a.wav", "-"].map { FilePath($0) }
        let plan = try OutputPlan(inputs: inputs, formats: [.srt], folder: FilePath("out"))
        let paths = plan.entries.map { $0.outputs[0].path.description }
        #expect(paths == ["out/a.mp3.srt", "out/b.srt", "out/a.wav.srt", "out/stdin.srt"])
        #expect(plan.entries[0].outputs[0].partialPath == FilePath("out/a.mp3.partial.srt"))
        #expect(plan.entries[0].stampPath == FilePath("out/.a.mp3.stamp"))
        let one = OutputPlan.Source(input: FilePath("a.mp3"), keepsExtension: true)
        #expect(try OutputPlan(sources: [one], formats: [.srt]).entries[0].recording == FilePath("a.mp3"))
    }

    @Test("without a folder, outputs are beside their inputs, which may have the same name in different folders")
    func beside() throws {
        for name in ["a", "b"] { try folder.createFolder(name) }
        let inputs = ["a/x.wav", "b/x.wav", "b/x.mp3"].map { folder.path($0) }
        let plan = try OutputPlan(inputs: inputs, formats: [.srt], folder: nil)
        let paths = plan.entries.map(\.outputs[0].path)
        #expect(paths == ["a/x.srt", "b/x.wav.srt", "b/x.mp3.srt"].map { folder.path($0) })
        #expect(plan.folders == [folder.path("a"), folder.path("b")])
        try plan.prepare()
        #expect(throws: OutputError.folderMissing(folder.path("c"))) {
            try OutputPlan(inputs: [folder.path("c/x.wav")], formats: [.srt], folder: nil)
                .prepare(creatingFolder: false)
        }
    }

    @Test("a partial file that is another input's complete file is rejected")
    func partialClash() {
        let inputs = [FilePath("x.wav"), FilePath("x.partial.wav")]
        #expect(
            throws: OutputError.sameOutput(output: FilePath("./x.partial.srt"), first: inputs[0], second: inputs[1])
        ) {
            try OutputPlan(inputs: inputs, formats: [.srt])
        }
    }

    @Test("the longest possible name works, also for partial files, and a longer one is rejected")
    func longNames() throws {
        let longest = String(repeating: "é", count: 125) + "n"
        let plan = try plan([longest + ".wav"])
        try plan.prepare()
        let partial = try #require(plan.entries.first?.outputs.first?.partialPath.name.bytes)
        #expect(partial.count <= 255 && String(validating: partial, as: UTF8.self) != nil)
        let transcript = WriterFixture.transcript(of: [])
        try plan.entries[0].write(transcript, isComplete: false)
        try plan.entries[0].write(transcript)
        #expect(try folder.names == [longest + ".srt"])
        let error = OutputError.nameTooLong(FilePath("./n" + longest + ".json"))
        #expect(throws: error) { try OutputPlan(inputs: [FilePath("n" + longest)], formats: [.json]) }
        #expect(error.description.hasPrefix("file name too long (257 bytes, maximum 255)"))
    }

    @Test("an output that is an input is rejected, also through symbolic and hard links")
    func ownInput() throws {
        try folder.create("x.txt")
        try folder.create("song.wav")
        try folder.link("link.txt", to: "song.wav")
        #expect(
            unsafe link(folder.url.appending(path: "song.wav").path, folder.url.appending(path: "hard.txt").path) == 0)
        for (inputs, output, input) in [
            (["x.txt"], "x.txt", "x.txt"), (["song.wav", "link.mp3"], "link.txt", "song.wav"),
            (["hard.mp3", "song.wav"], "hard.txt", "song.wav"),
        ] {
            #expect(
                throws: OutputError.overwritesInput(output: folder.path(output), input: folder.path(input))
            ) { try plan(inputs, [.txt]).prepare() }
        }
        #expect(folder.text("song.wav") == "old")
    }

    @Test("two outputs that are the same file are rejected")
    func linkedOutputs() throws {
        try folder.create("a.srt")
        try folder.link("b.srt", to: "a.srt")
        let error = OutputError.sameOutput(
            output: folder.path("b.srt"), first: folder.path("a.wav"), second: folder.path("b.wav"))
        #expect(throws: error) { try plan(["a.wav", "b.wav"]).prepare() }
    }

    @Test("outputs that are folders, devices or broken links are rejected")
    func notFiles() throws {
        try folder.createFolder("a.srt")
        try folder.link("b.srt", to: "gone")
        try folder.link("c.srt", to: "/dev/null")
        #expect(throws: OutputError.outputIsFolder(folder.path("a.srt"))) { try plan(["a.wav"]).prepare() }
        #expect(throws: OutputError.danglingLink(folder.path("b.srt"))) { try plan(["b.wav"]).prepare() }
        #expect(throws: OutputError.outputIsSpecial(folder.path("c.srt"))) { try plan(["c.wav"]).prepare() }
    }

    @Test("a missing folder is created with its parents if requested")
    func folders() throws {
        #expect(throws: OutputError.folderMissing(folder.path("a/b/c"))) {
            try plan(["x.wav"], in: "a/b/c").prepare(creatingFolder: false)
        }
        #expect(try folder.names == [])
        try plan(["x.wav"], in: "a/b/c").prepare()
        try plan(["x.wav"], in: "a/b/c/").prepare(creatingFolder: false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "a/b/c").path) == [])
    }

    @Test("a folder that cannot be created leaves nothing behind and names the obstacle")
    func impossibleFolders() throws {
        try folder.create("file")
        try folder.link("nothing", to: "gone")
        #expect(throws: OutputError.folderIsFile(folder.path("file"))) { try plan(["x.wav"], in: "file").prepare() }
        #expect(throws: OutputError.folderIsFile(folder.path("file"))) { try plan(["x.wav"], in: "file/a/b").prepare() }
        #expect(throws: OutputError.danglingLink(folder.path("nothing"))) {
            try plan(["x.wav"], in: "nothing").prepare()
        }
        let long = String(repeating: "n", count: 256)
        #expect(throws: OutputError.nameTooLong(folder.path("a/b/" + long))) {
            try plan(["x.wav"], in: "a/b/" + long).prepare()
        }
        #expect(try folder.names == ["file", "nothing"])
    }

    @Test("a folder in which no folder can be created ends the attempt", arguments: ["x", "x/y/z", "self/x", "x/../y"])
    func impossibleParents(name: String) throws {
        let folder = FilePath("/proc/" + name)
        let plan = try OutputPlan(inputs: [FilePath("x.wav")], formats: [.srt], folder: folder)
        let parent = FilePath(name.hasPrefix("self") ? "/proc/self" : "/proc")
        #expect(throws: OutputError.folderNotWritable(parent)) { try plan.prepare() }
        #expect(throws: OutputError.folderNotWritable(parent)) { try OutputPlan.createFolder(folder) }
    }

    @Test("a folder that is not writable is rejected")
    func notWritable() throws {
        let plan = try OutputPlan(inputs: [folder.path("x.wav")], formats: [.srt], folder: FilePath("/proc"))
        #expect(throws: OutputError.folderNotWritable(FilePath("/proc"))) { try plan.prepare() }
    }

    @Test("temporary files of killed runs are removed")
    func staleTemporaries() throws {
        let dead = Int32.max
        for name in [".x.srt.\(dead).a.tmp", ".x.partial.srt.\(dead).b.tmp", ".other.srt.\(dead).c.tmp"] {
            try folder.create(name)
        }
        try plan(["x.wav"]).prepare()
        #expect(try folder.names == [".other.srt.\(dead).c.tmp"])
    }

    @Test("an input is complete when all its files exist without .partial")
    func complete() throws {
        let entry = try plan(["x.wav"], [.srt, .txt]).entries[0]
        try folder.create("x.srt")
        try folder.create("x.partial.txt")
        #expect(!entry.isComplete)
        try folder.createFolder("x.txt")
        #expect(!entry.isComplete)
        try FileManager.default.removeItem(at: folder.url.appending(path: "x.txt"))
        try folder.create("x.txt", "")
        #expect(entry.isComplete)
    }

    @Test("an incomplete run writes partial files, and the next complete run removes them")
    func partial() throws {
        let entry = try plan(["x.wav"], [.srt, .json]).entries[0]
        let transcript = WriterFixture.transcript(of: [WriterFixture.segment(" so far")])
        try folder.create("x.srt", "from yesterday")
        try entry.write(transcript, isComplete: false)
        #expect(try folder.names == ["x.partial.json", "x.partial.srt", "x.srt"])
        #expect(folder.text("x.srt") == "from yesterday")
        #expect(folder.text("x.partial.srt") == "1\n00:00:00,000 --> 00:00:01,000\nso far\n\n")
        let lock = try entry.lock()
        try entry.write(transcript)
        lock.release()
        #expect(try folder.names == ["x.json", "x.srt"])
        #expect(folder.text("x.srt") == "1\n00:00:00,000 --> 00:00:01,000\nso far\n\n")
    }

    @Test("an error with one file does not prevent writing the others")
    func oneFails() throws {
        let entry = try plan(["x.wav"], [.srt, .txt]).entries[0]
        try folder.createFolder("x.srt")
        #expect(throws: OutputError.outputIsFolder(folder.path("x.srt"))) {
            try entry.write(WriterFixture.transcript(of: [WriterFixture.segment(" hi")]))
        }
        #expect(folder.text("x.txt") == "hi\n")
    }
}
