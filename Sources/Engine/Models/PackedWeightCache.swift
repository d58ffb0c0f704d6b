import EngineBasics
package import EngineCompute
import EngineWeights
import Glibc

/// A folder of packed weights, and of what is computed from them alone, for processes that load the same model. The first
/// one stores them in a file, the others map it.
package struct PackedWeightCache {
    private let folder: FilePath
    private let key: String
    private let names: Names
    private let arena: WeightArena

    /// How long to wait for the process that holds the lock to start packing, and to fill a part of the file. If it does
    /// neither, it is something else, or stopped.
    private static let patience = (start: Duration.seconds(2), part: Duration.seconds(10))
    /// Files that have not been used for this many seconds are removed when a new one is created.
    private static let maxAge = 86_400

    /// - Returns: `nil` if /proc is not available to identify the program and the boot.
    init?(_ folder: FilePath, for model: any StoredModel, _ backend: KernelBackend) throws {
        guard let text = SystemMemory.text(of: "/proc/sys/kernel/random/boot_id"),
            let boot = text.split(separator: "\n").first,
            let program = try? DiskAccess.status(of: FilePath("/proc/self/exe"), followingLinks: true)
        else { return nil }
        var parts = [
            // A newer program may pack differently.
            "program \(program.contentStamp)", "boot \(boot)", "user \(DiskAccess.userID)",
            "backend \(backend.name) \(backend.computeType) \(backend.kernels) \(Processor.instructionSet)",
            "family \(model.traits.family)",
        ]
        // A digest of the content would take longer than packing the weights.
        for tensor in model.tensors.values.sorted(by: { $0.name < $1.name }) {
            let identity = "file \(tensor.file.identity)"
            if !parts.contains(identity) { parts.append(identity) }
        }
        key = SHA256.hexadecimal(of: Array(parts.joined(separator: "\n").utf8))
        names = Names(boot: boot, key: key)
        arena = backend.arena
        self.folder = folder
    }

    /// A file beside a model's packed weights for what is computed from them.
    ///
    /// - Parameters:
    ///   - weights: the file of the weights.
    ///   - part: identifies the content among that of this model.
    ///   - arena: whose blocks are stored.
    /// - Returns: `nil` if the weights are not in such a file.
    package init?(beside weights: PackedWeights, for part: String, in arena: WeightArena) {
        guard case .shared(let path, _) = weights, let boot = Names.boot(of: path.name) else { return nil }
        folder = path.folder
        key = SHA256.hexadecimal(of: path.name.bytes + Array("\n\(part)".utf8))
        names = Names(boot: boot, key: key)
        self.arena = arena
    }

    /// Loads a model with weights from the folder if possible.
    ///
    /// - Parameter load: must allocate weights only through this cache's arena, requesting the same blocks in the
    ///   same order in every process.
    package func load<Model>(_ load: (PackedWeights) throws -> Model) throws -> Model {
        do {
            return try shared(load)
        } catch let failure as PackedWeightFailure {
            return try load(.notShared(folder, failure))
        }
    }

    private func shared<Model>(_ load: (PackedWeights) throws -> Model) throws -> Model {
        do throws(PrivateFile.Failure) { try PrivateFile.createFolder(folder) } catch {
            throw PackedWeightFailure.disk(error.fault)
        }
        if try remote() { throw PackedWeightFailure.remoteFolder }
        var end = ContinuousClock.now + Self.patience.start
        var size = 0
        while true {
            if let model = try stored(load) { return model }
            let lock: LockFile
            do throws(LockFile.Failure) {
                lock = try LockFile(folder.appending(names.lock), mode: 0o600)
            } catch {
                switch error {
                case .failed(let fault): throw PackedWeightFailure.disk(fault)
                case .foreign: throw PackedWeightFailure.disk(.exists)
                case .held:
                    let present = unfinishedBytes
                    if present != size { (size, end) = (present, .now + Self.patience.part) }
                    guard ContinuousClock.now < end else { throw PackedWeightFailure.busy }
                    usleep(Self.pause)
                    continue
                }
            }
            defer { lock.release() }
            // Another process may have stored them just now.
            if let model = try stored(load) { return model }
            return try packed(load)
        }
    }

    /// Microseconds between checks whether another process has finished packing.
    private static let pause: UInt32 = 10_000

    /// The size of this key's unfinished files.
    private var unfinishedBytes: Int {
        let found = (try? DiskAccess.names(in: folder, limit: Self.maxNames)) ?? []
        return found.filter { names.kind(of: $0)?.isUnfinished == true }.reduce(0) { sum, name in
            sum + ((try? DiskAccess.status(of: folder.appending(name), followingLinks: false))?.size ?? 0)
        }
    }

    private func remote() throws(PackedWeightFailure) -> Bool {
        do { return try DiskAccess.isRemote(folder) } catch { throw .disk(error) }
    }

    /// - Returns: `nil` if there is no valid file.
    private func stored<Model>(_ load: (PackedWeights) throws -> Model) throws -> Model? {
        let path = folder.appending(names.weights)
        guard let file = PackedWeightFile(opening: path, key: key) else { return nil }
        do { return try arena.with(file) { try load(.shared(path, isNew: false)) } } catch is ModelError {
            // The process that packed them found no such problem: the file is damaged. If it is the model, packing fails, too.
            try? DiskAccess.remove(file: path)
            return nil
        }
    }

    private func packed<Model>(_ load: (PackedWeights) throws -> Model) throws -> Model {
        removeOld()
        let path = folder.appending(names.weights)
        let file = try PackedWeightFile(creating: path, key: key, temporary: folder.appending(names.temporary()))
        guard let model = try arena.with(file, { try load(.shared(path, isNew: true)) }) else {
            throw file.failure ?? .otherContent
        }
        return model
    }

    /// Removes what this user's processes have left: files of earlier boots, unused ones, and unfinished ones of this key,
    /// whose lock must be held.
    private func removeOld() {
        let oldest = WallTime.now.milliseconds / 1000 - Self.maxAge
        for name in (try? DiskAccess.names(in: folder, limit: Self.maxNames)) ?? [] {
            let path = folder.appending(name)
            guard let kind = names.kind(of: name), let status = try? DiskAccess.status(of: path, followingLinks: false),
                status.kind == .file, status.owner == DiskAccess.userID,
                kind.isEarlier || status.accessed.seconds < oldest || kind.isUnfinished
            else { continue }
            if kind.isLock {
                // Acquiring fails for a lock that is held; releasing removes the file.
                (try? LockFile(path))?.release()
            } else {
                try? DiskAccess.remove(file: path)
            }
        }
    }

    /// There are only a few files, unless the folder is used for something else, too.
    private static let maxNames = 10_000

    /// `packed-BOOT-KEY.weights`, `….lock` and `….RANDOM.tmp`, with the first digits of the boot and the key.
    private struct Names {
        private let boot: String
        private let stem: String

        /// The first digits of the boot in the name of a file of weights.
        static func boot(of name: FilePath) -> Substring? {
            let words = String(decoding: name.bytes, as: UTF8.self).split(separator: "-")
            return words.count == 3 ? words[1] : nil
        }

        init(boot: Substring, key: String) {
            self.boot = String(boot.prefix(8))
            stem = "packed-\(self.boot)-\(key.prefix(32))"
        }

        var weights: String { stem + ".weights" }
        var lock: String { stem + ".lock" }
        func temporary() -> String { stem + "." + String(UInt64.random(in: .min ... .max), radix: 16) + ".tmp" }

        struct Kind {
            let isLock: Bool
            /// Of an earlier boot.
            let isEarlier: Bool
            /// A temporary file of this key.
            let isUnfinished: Bool
        }

        /// What a name in the folder means; `nil` if it is not one of these.
        func kind(of name: FilePath) -> Kind? {
            let text = String(decoding: name.bytes, as: UTF8.self)
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let words = parts[0].split(separator: "-", omittingEmptySubsequences: false)
            guard ["weights", "lock", "tmp"].contains(parts.last), words.count == 3, words[0] == "packed",
                words[1].utf8.count == 8, words[2].utf8.count == 32
            else { return nil }
            return Kind(
                isLock: parts.last == "lock", isEarlier: words[1] != boot,
                isUnfinished: parts[0] == stem && parts.last == "tmp")
        }
    }
}

extension StoredModel {
    /// Loads a model with a new backend, and with packed weights from a folder if the options name one. The backend is
    /// created only after the memory check, because OpenBLAS hangs if it cannot allocate its buffers.
    ///
    /// - Parameter make: reads the weights; must allocate them in the same order each time.
    /// - Throws: `ModelError`, `ComputeError`.
    package func load<Model>(
        _ options: ComputeOptions, _ make: (any ComputeBackend, PackedWeights) throws -> Model
    ) throws -> Model {
        try checkMemory(needs: memory(options), threads: options.threadCount)
        let backend = try options.makeBackend()
        // The reference's plain loops do not pack weights.
        guard let folder = options.packedWeights, let kernels = backend.unmeasured as? KernelBackend else {
            return try make(backend, .own)
        }
        guard let cache = try PackedWeightCache(folder, for: self, kernels) else {
            return try make(backend, .notShared(folder, .noIdentity))
        }
        return try cache.load { try make(backend, $0) }
    }
}
