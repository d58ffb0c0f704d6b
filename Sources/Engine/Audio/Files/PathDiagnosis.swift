import Glibc

/// Finds out why a path cannot be opened: which part is closed, where a link leads, which name may be meant.
enum PathDiagnosis {
    /// `O_PATH`, which Swift's headers hide: nothing is asked of the object itself, only of the folders on the way.
    private static let pathOnly: Int32 = 0o10000000

    static func failure(_ path: FilePath, code: Int32) -> AudioFormatError {
        switch code {
        case EACCES, EPERM: .notPermitted(path, component: closedComponent(of: path))
        case ELOOP: .linkLoop(path)
        case ENAMETOOLONG: .nameTooLong(path)
        case EMFILE, ENFILE: .tooManyOpenFiles(path)
        case ENOMEM: .outOfMemory(path)
        case ENOENT, ENOTDIR: missing(path)
        case ENXIO: .notRegularFile(path, kind: .socket)
        default: .readFailed(path, at: 0, of: nil)
        }
    }

    private static func missing(_ path: FilePath) -> AudioFormatError {
        if let target = DiskAccess.linkTarget(of: path) { return .danglingLink(path, target: target) }
        if hasScheme(path) { return .url(path) }
        return .noSuchFile(path, nearest: nearestName(to: path))
    }

    /// `https://…`, `file://…`
    private static func hasScheme(_ path: FilePath) -> Bool {
        guard let colon = path.bytes.firstIndex(of: UInt8(ascii: ":")), colon > 1 else { return false }
        let isScheme = path.bytes[..<colon].allSatisfy { byte in
            let letter = byte | 0x20
            return (97...122).contains(letter) || (48...57).contains(byte) || [43, 45, 46].contains(byte)
        }
        return isScheme && path.bytes[(colon + 1)...].starts(with: Array("//".utf8))
    }

    /// The first part of the path that may not be passed; the path itself if that is where it fails.
    private static func closedComponent(of path: FilePath) -> FilePath {
        var folder = path.bytes.first == UInt8(ascii: "/") ? FilePath("/") : FilePath("")
        for part in path.bytes.split(separator: UInt8(ascii: "/")) {
            let next = folder.appending(FilePath(bytes: part))
            let descriptor = unsafe open(next.cString, pathOnly | O_CLOEXEC)
            if descriptor < 0 { return folder.bytes.isEmpty ? FilePath(".") : folder }
            close(descriptor)
            folder = next
        }
        return path
    }

    /// A name in the same folder that differs in at most two places, or only in its ending.
    private static func nearestName(to path: FilePath) -> FilePath? {
        let wanted = path.name
        var best: (distance: Int, name: FilePath)?
        let names = (try? DiskAccess.names(in: path.folder, limit: AudioLimits.folderEntries)) ?? []
        for name in names {
            var distance = abs(wanted.bytes.count - name.bytes.count)
            if distance <= 2 { distance = EditDistance(wanted.bytes, name.bytes).value }
            if distance > 2, name.stem == wanted.stem { distance = 2 }
            // Between one-letter names everything is near.
            guard distance <= 2, distance * 2 < wanted.bytes.count else { continue }
            // The names are sorted, so the first of several equally near ones wins.
            if distance < best?.distance ?? .max { best = (distance, name) }
        }
        guard let best else { return nil }
        return path.bytes.contains(UInt8(ascii: "/")) ? path.folder.appending(best.name) : best.name
    }
}
