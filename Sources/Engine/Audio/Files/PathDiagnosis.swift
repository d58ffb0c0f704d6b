import EngineBasics
import Glibc

/// Determines why a path cannot be opened: which component is inaccessible, where a link points, which similar name
/// exists.
enum PathDiagnosis {
    /// `O_PATH`, a macro that Swift does not import: requires permissions only for the folders on the path.
    private static let pathOnly: Int32 = 0o10000000

    static func failure(_ path: FilePath, code: Int32) -> AudioFormatError {
        switch code {
        case EACCES, EPERM: .notPermitted(path, component: inaccessibleComponent(of: path))
        case ELOOP: .linkLoop(path)
        case ENAMETOOLONG: .nameTooLong(path)
        case EMFILE, ENFILE: .tooManyOpenFiles(path)
        case ENOMEM: .outOfMemory(path)
        case ENOENT, ENOTDIR: missing(path)
        case ENXIO: .notRegularFile(path, kind: "a socket")
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

    /// Returns the first folder on the path that cannot be searched; the path itself if there is none.
    private static func inaccessibleComponent(of path: FilePath) -> FilePath {
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

    /// Returns the name in the same folder with an edit distance of at most two, or with another extension only.
    private static func nearestName(to path: FilePath) -> FilePath? {
        let wanted = path.name
        var best: (distance: Int, name: FilePath)?
        let names = (try? DiskAccess.names(in: path.folder, limit: AudioLimits.folderEntries)) ?? []
        for name in names {
            var distance = abs(wanted.bytes.count - name.bytes.count)
            if distance <= 2 { distance = EditDistance(wanted.bytes, name.bytes).value }
            if distance > 2, name.stem == wanted.stem { distance = 2 }
            // All very short names are similar.
            guard distance <= 2, distance * 2 < wanted.bytes.count else { continue }
            // The names are sorted, so the first of several equally near ones wins.
            if distance < best?.distance ?? .max { best = (distance, name) }
        }
        guard let best else { return nil }
        return path.bytes.contains(UInt8(ascii: "/")) ? path.folder.appending(best.name) : best.name
    }
}
