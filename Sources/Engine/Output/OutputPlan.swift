/// Which files a run will write, and whether that can work, known before the work begins.
public struct OutputPlan: Hashable, Sendable {
    /// A file to write.
    public struct Output: Hashable, Sendable {
        public let format: OutputFormat
        public let path: FilePath
        /// `BASE.partial.EXT` beside it, for what there is when a run ends early.
        public let partialPath: FilePath
    }

    /// An input and its files.
    public struct Entry: Hashable, Sendable {
        public let input: FilePath
        public let outputs: [Output]
    }

    public let folder: FilePath
    public let entries: [Entry]

    /// Names the outputs: the input's name with its extension replaced, in `folder`; standard input (`-`) is `stdin`.
    ///
    /// The disk is not looked at. An input given twice clashes with itself: leave doubles out before.
    /// - Throws: `OutputError.sameOutput`, `.nameTooLong`.
    public init(inputs: [FilePath], formats: [OutputFormat], folder: FilePath = FilePath(".")) throws(OutputError) {
        self.folder = folder
        entries = inputs.map { input in
            let base = input == FilePath("-") ? FilePath("stdin") : input.stem
            return Entry(input: input, outputs: formats.map { Self.output(base, $0, in: folder) })
        }
        try checkNames()
    }

    /// Checks all that the disk tells, makes the folder ready, and clears what killed runs left.
    /// - Throws: `OutputError`; the folder is created, with its parents, only after everything else was found in order.
    public func prepare(creatingFolder: Bool = true) throws(OutputError) {
        let exists = try folderExists()
        if exists {
            do { try DiskAccess.mayWrite(inFolder: folder) } catch {
                throw error.outputError(at: folder.appending("x"))
            }
            try checkFiles()
        } else if creatingFolder {
            try Self.createFolder(folder)
        } else {
            throw .folderMissing(folder)
        }
        try AtomicFile.probe(folder: folder)
        if exists {
            AtomicFile.removeStaleTemporaries(
                for: entries.flatMap { $0.outputs.flatMap { [$0.path, $0.partialPath] } })
        }
    }

    private static func output(_ base: FilePath, _ format: OutputFormat, in folder: FilePath) -> Output {
        let ending = "." + format.rawValue
        let partialEnding = ".partial" + ending
        return Output(
            format: format, path: folder.appending(base.adding(ending)),
            partialPath: folder.appending(cut(base, to: longestName - partialEnding.utf8.count).adding(partialEnding)))
    }

    /// The longest file name that Linux allows, in bytes.
    private static let longestName = 255

    /// A name's first bytes without a broken character at the end.
    private static func cut(_ name: FilePath, to count: Int) -> FilePath {
        var bytes = name.bytes.prefix(count)
        guard bytes.count < name.bytes.count else { return name }
        while bytes.count > 1, name.bytes[bytes.endIndex] & 0xc0 == 0x80 { bytes.removeLast() }
        return FilePath(bytes: bytes)
    }
}

// MARK: - Checks

extension OutputPlan {
    private func checkNames() throws(OutputError) {
        var writers: [FilePath: FilePath] = [:]
        for entry in entries {
            for output in entry.outputs {
                if output.path.name.bytes.count > Self.longestName { throw .nameTooLong(output.path) }
                if let first = writers.updateValue(entry.input, forKey: output.path) {
                    throw .sameOutput(output: output.path, first: first, second: entry.input)
                }
            }
        }
        // A success removes its partial file; that must not be somebody's complete one.
        for entry in entries {
            for output in entry.outputs {
                if let other = writers[output.partialPath] {
                    throw .sameOutput(output: output.partialPath, first: entry.input, second: other)
                }
            }
        }
    }

    private func folderExists() throws(OutputError) -> Bool {
        do {
            guard try DiskAccess.status(of: folder, followingLinks: true).kind == .folder else {
                throw OutputError.folderIsFile(folder)
            }
            return true
        } catch let error as DiskAccess.Fault where error == .missing {
            return false
        } catch let error as DiskAccess.Fault {
            throw Self.folderError(error, at: folder)
        } catch let error as OutputError {
            throw error
        } catch {
            throw .folderMissing(folder)
        }
    }

    /// Names the part of the path that is a file where a folder should be.
    private static func folderError(_ fault: DiskAccess.Fault, at folder: FilePath) -> OutputError {
        guard fault == .notFolder || fault == .exists else { return fault.outputError(at: folder) }
        var place = folder
        while (try? DiskAccess.status(of: place, followingLinks: true)) == nil, place.folder != place {
            place = place.folder
        }
        // What exists without a status is a link to nothing.
        let isFolder = (try? DiskAccess.status(of: place, followingLinks: true))?.kind == .folder
        return isFolder ? .danglingLink(folder) : .folderIsFile(place)
    }

    private struct FileIdentity: Hashable {
        let device: UInt64
        let inode: UInt64
        init(_ status: DiskAccess.Status) { (device, inode) = (status.device, status.inode) }
    }

    /// No output is an input, a folder, a device or a link to nothing, and no two lead to one file.
    private func checkFiles() throws(OutputError) {
        var inputs: [FileIdentity: FilePath] = [:]
        for entry in entries {
            guard let status = try? DiskAccess.status(of: entry.input, followingLinks: true) else { continue }
            inputs[FileIdentity(status)] = entry.input
        }
        var writers: [FileIdentity: FilePath] = [:]
        for entry in entries {
            for output in entry.outputs {
                guard let existing = try AtomicFile.target(of: output.path).existing else { continue }
                let identity = FileIdentity(existing)
                if let input = inputs[identity] { throw .overwritesInput(output: output.path, input: input) }
                if let first = writers.updateValue(entry.input, forKey: identity) {
                    throw .sameOutput(output: output.path, first: first, second: entry.input)
                }
            }
        }
    }

    /// Creates a folder with its parents; on failure takes back those it made.
    static func createFolder(_ folder: FilePath) throws(OutputError) {
        var missing = [folder]
        var created: [FilePath] = []
        while let next = missing.last {
            do throws(DiskAccess.Fault) {
                try DiskAccess.createFolder(next)
                created.append(next)
                missing.removeLast()
            } catch {
                let parent = next.folder
                let isFolder = (try? DiskAccess.status(of: next, followingLinks: true))?.kind == .folder
                if error == .exists, isFolder {
                    missing.removeLast()
                } else if error == .missing, parent != next, created.isEmpty {
                    missing.append(parent)
                } else {
                    for path in created.reversed() { DiskAccess.remove(emptyFolder: path) }
                    throw Self.folderError(error, at: next)
                }
            }
        }
    }
}
