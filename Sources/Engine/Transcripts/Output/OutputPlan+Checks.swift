package import EngineBasics

extension OutputPlan {
    /// Checks that all output names are different and not too long.
    func checkNames() throws(OutputError) {
        var writers: [FilePath: FilePath] = [:]
        for entry in entries {
            for output in entry.outputs {
                if output.path.name.bytes.count > Self.maxNameBytes { throw .nameTooLong(output.path) }
                if let first = writers.updateValue(entry.input, forKey: output.path) {
                    throw .sameOutput(output: output.path, first: first, second: entry.input)
                }
            }
        }
        // A complete run removes its partial file, which must not be the complete file of another input.
        for entry in entries {
            for output in entry.outputs {
                if let other = writers[output.partialPath] {
                    throw .sameOutput(output: output.partialPath, first: entry.input, second: other)
                }
            }
        }
    }

    func folderExists(_ folder: FilePath) throws(OutputError) -> Bool {
        let status: DiskAccess.Status
        do {
            status = try DiskAccess.status(of: folder, followingLinks: true)
        } catch {
            if error == .missing { return false }
            throw Self.folderError(error, at: folder)
        }
        guard status.kind == .folder else { throw .folderIsFile(folder) }
        return true
    }

    /// Returns the error for a folder, naming the part of the path that is a file.
    private static func folderError(_ fault: DiskAccess.Fault, at folder: FilePath) -> OutputError {
        guard fault == .notFolder || fault == .exists else { return fault.outputError(at: folder) }
        var ancestor = folder
        while (try? DiskAccess.status(of: ancestor, followingLinks: true)) == nil, ancestor.folder != ancestor {
            ancestor = ancestor.folder
        }
        // If the deepest existing ancestor is a folder, the next component is a broken link.
        let isFolder = (try? DiskAccess.status(of: ancestor, followingLinks: true))?.kind == .folder
        return isFolder ? .danglingLink(folder) : .folderIsFile(ancestor)
    }

    /// Checks that no output is an input, a folder, a device or a broken link, and that no two are the same file.
    func checkFiles() throws(OutputError) {
        var inputs: [DiskAccess.Status.Identity: FilePath] = [:]
        for input in entries.map(\.input) + otherInputs {
            guard let status = try? DiskAccess.status(of: input, followingLinks: true) else { continue }
            inputs[status.identity] = input
        }
        var writers: [DiskAccess.Status.Identity: FilePath] = [:]
        for entry in entries {
            for output in entry.outputs {
                guard let existing = try AtomicFile.target(of: output.path).existing else { continue }
                let identity = existing.identity
                if let input = inputs[identity] { throw .overwritesInput(output: output.path, input: input) }
                if let first = writers.updateValue(entry.input, forKey: identity) {
                    throw .sameOutput(output: output.path, first: first, second: entry.input)
                }
            }
        }
    }

    /// Creates a folder with its parents, or none of them.
    package static func createFolder(_ folder: FilePath) throws(OutputError) {
        var missing = [folder]
        var created: [FilePath] = []
        var attempts: [FilePath: Int] = [:]
        while let next = missing.last {
            attempts[next, default: 0] += 1
            do throws(DiskAccess.Fault) {
                try DiskAccess.createFolder(next)
                created.append(next)
                missing.removeLast()
            } catch {
                let parent = next.folder
                let isFolder = (try? DiskAccess.status(of: next, followingLinks: true))?.kind == .folder
                if error == .exists, isFolder {
                    missing.removeLast()
                } else if error == .missing, parent != next, created.isEmpty, attempts[next, default: 0] < maxAttempts {
                    missing.append(parent)
                } else {
                    for path in created.reversed() { DiskAccess.remove(emptyFolder: path) }
                    throw error == .missing ? error.creationError(at: next) : Self.folderError(error, at: next)
                }
            }
        }
    }
    /// How often a folder is created in a parent that exists: another run may be removing the parent because it is still
    /// empty, but in some folders (`/proc`, a deleted one) nothing can be created.
    private static let maxAttempts = 10
}
