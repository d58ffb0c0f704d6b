import WhisperEngine

/// A file that is being downloaded, as `NAME.part` next to its destination, with the server's validator (ETag or date)
/// in `NAME.part.version`. Both survive an interruption, so that the download can be resumed.
final class PartialFile {
    static let suffix = ModelPlace.partialSuffix
    static let versionSuffix = ".version"

    let destination: FilePath
    let path: FilePath
    /// The number of bytes present.
    private(set) var count: Int
    /// What to send as `If-Range` to resume; `nil` if the server gave nothing suitable.
    private(set) var validator: String?
    /// The size of the whole file, if known.
    private(set) var total: Int?
    private let versionFile: FilePath
    private let descriptor: Int32

    /// Opens the file, with what an earlier download has left.
    init(for destination: FilePath) throws(OutputError) {
        self.destination = destination
        path = destination.adding(Self.suffix)
        versionFile = path.adding(Self.versionSuffix)
        do {
            descriptor = try DiskAccess.openOrCreate(path)
            count = try DiskAccess.status(of: descriptor).size
        } catch {
            throw error.outputError(at: destination.adding(Self.suffix))
        }
        guard case .success(let bytes) = FileSystem.contents(of: versionFile, atMost: 4096) else { return }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3 else { return }
        total = Int(lines[0])
        validator = lines[1].isEmpty ? nil : String(lines[1])
    }

    /// The lock that a process holds while it downloads this file.
    static func lock(for destination: FilePath, name: String) throws(PullError) -> LockFile {
        let path = destination.folder.appending(
            FilePath(bytes: Array(".".utf8) + destination.name.bytes).adding(".lock"))
        do { return try LockFile(path) } catch {
            switch error {
            case .held(let process): throw .busy(name: name, process: process)
            case .foreign: throw .disk(.notALock(path))
            case .failed(let fault): throw .disk(fault.outputError(at: path))
            }
        }
    }

    deinit { try? DiskAccess.close(descriptor) }

    /// Whether the next request can ask for the rest only.
    var canResume: Bool { count > 0 && validator != nil }

    /// Whether all bytes that the server announced have arrived.
    var isComplete: Bool { count > 0 && count == total }

    /// Starts over with a version of the file.
    func restart(validator: String?, total: Int?) throws(OutputError) {
        do {
            try DiskAccess.empty(descriptor)
        } catch {
            throw error.outputError(at: path)
        }
        (count, self.validator, self.total) = (0, validator, total)
        try writeVersion()
    }

    /// Stores the size of the whole file, which the server has only now announced.
    func announce(total: Int) throws(OutputError) {
        self.total = total
        try writeVersion()
    }

    private func writeVersion() throws(OutputError) {
        try AtomicFile.write(Array("\(total.map { "\($0)" } ?? "")\n\(validator ?? "")\n".utf8), to: versionFile)
    }

    func append(_ bytes: [UInt8]) throws(OutputError) {
        do {
            try DiskAccess.write(bytes, to: descriptor, at: count)
        } catch {
            throw error.outputError(at: path)
        }
        count += bytes.count
    }

    /// Forgets what has arrived; the next request is for the whole file.
    func forget() {
        (count, validator, total) = (0, nil, nil)
        try? DiskAccess.empty(descriptor)
        AtomicFile.remove(versionFile)
    }

    /// Removes the file; nothing can be written to it any more.
    func discard() {
        forget()
        AtomicFile.remove(path)
    }

    /// Moves the complete file to its destination.
    func install() throws(OutputError) {
        do {
            try DiskAccess.synchronize(descriptor)
            try DiskAccess.rename(path, to: destination)
            try DiskAccess.synchronize(folder: destination.folder)
        } catch {
            throw error.outputError(at: destination)
        }
        AtomicFile.remove(versionFile)
    }
}
