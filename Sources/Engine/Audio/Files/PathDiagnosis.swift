import Glibc

/// Determines why a path cannot be opened: which component is inaccessible, where a link points, which similar name
/// exists.
enum PathDiagnosis {
    /// `O_PATH`, a macro that Swift does not import: requires permissions only for the folders on the path.
    private static let pathOnly: Int32 = 0o10000000

    /// The path as a C string.
    static func terminated(_ path: FilePath) -> [CChar] {
        path.bytes.map { CChar(bitPattern: $0) } + [0]
    }

    static func failure(_ path: FilePath, code: Int32) -> AudioFormatError {
        switch code {
        case EACCES, EPERM: .notPermitted(path, component: inaccessibleComponent(of: path))
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
        if let target = linkTarget(path) { return .danglingLink(path, target: target) }
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
            let descriptor = unsafe open(terminated(next), pathOnly | O_CLOEXEC)
            if descriptor < 0 { return folder.bytes.isEmpty ? FilePath(".") : folder }
            close(descriptor)
            folder = next
        }
        return path
    }

    private static func linkTarget(_ path: FilePath) -> FilePath? {
        var info = stat()
        guard unsafe lstat(terminated(path), &info) == 0, info.st_mode & S_IFMT == S_IFLNK else { return nil }
        let target = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            let got = unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                unsafe readlink(terminated(path), text.baseAddress!, text.count)
            }
            count = max(0, got)
        }
        return FilePath(bytes: target)
    }

    /// Returns the name in the same folder with an edit distance of at most two, or with another extension only.
    private static func nearestName(to path: FilePath) -> FilePath? {
        let wanted = path.name
        var best: (distance: Int, name: FilePath)?
        for name in names(in: path.folder) {
            var distance = editDistance(wanted.bytes, name.bytes, limit: 3)
            if distance > 2, name.stem == wanted.stem { distance = 2 }
            // All very short names are similar.
            guard distance <= 2, distance * 2 < wanted.bytes.count else { continue }
            if best.map({
                distance < $0.distance || distance == $0.distance && name.bytes.lexicographicallyPrecedes($0.name.bytes)
            }) ?? true {
                best = (distance, name)
            }
        }
        guard let best else { return nil }
        return path.bytes.contains(UInt8(ascii: "/")) ? path.folder.appending(best.name) : best.name
    }

    private static func names(in folder: FilePath) -> [FilePath] {
        guard let listing = unsafe opendir(terminated(folder)) else { return [] }
        defer { unsafe closedir(listing) }
        var names: [FilePath] = []
        while names.count < AudioLimits.folderEntries, let entry = unsafe readdir(listing) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe FilePath(bytes: $0) }
            if name != FilePath("."), name != FilePath("..") { names.append(name) }
        }
        return names
    }

    /// Levenshtein distance, at most `limit`.
    private static func editDistance(_ a: [UInt8], _ b: [UInt8], limit: Int) -> Int {
        guard abs(a.count - b.count) < limit else { return limit }
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let replaced = diagonal + (left == right ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, min(row[j], diagonal) + 1)
            }
        }
        return min(limit, row[b.count])
    }
}
