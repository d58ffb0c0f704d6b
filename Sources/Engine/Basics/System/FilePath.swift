/// A file system path: bytes without a zero, in no particular encoding.
///
/// Linux file names are byte strings; `String` cannot represent those that are not UTF-8.
public struct FilePath: Hashable, Sendable {
    package let bytes: [UInt8]

    /// - Parameter bytes: the path without a terminator; everything from the first zero byte is dropped.
    public init(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes.prefix { $0 != 0 })
    }

    public init(_ text: String) {
        self.init(bytes: text.utf8)
    }

    /// The last component, ignoring trailing slashes (`a/b/` → `b`).
    package var name: FilePath {
        let trimmed = withoutTrailingSlashes
        guard let slash = trimmed.lastIndex(of: Self.slash), trimmed.count > 1 else { return FilePath(bytes: trimmed) }
        return FilePath(bytes: trimmed[(slash + 1)...])
    }

    /// The parent folder: `a` for `a/b`, `.` for `b`, `/` for `/b`.
    package var folder: FilePath {
        let trimmed = withoutTrailingSlashes
        guard let slash = trimmed.lastIndex(of: Self.slash) else { return FilePath(".") }
        return slash == 0 ? FilePath("/") : FilePath(bytes: trimmed[..<slash])
    }

    /// The name without its last extension (`a.b.wav` → `a.b`). A leading dot does not start an extension
    /// (`.wav` → `.wav`).
    package var stem: FilePath {
        let name = name.bytes
        guard let dot = name.lastIndex(of: Self.dot), dot > 0 else { return FilePath(bytes: name) }
        return FilePath(bytes: name[..<dot])
    }

    /// The last extension without its dot, with ASCII letters in lower case; empty if there is none.
    package var lowercasedExtension: String {
        let name = name.bytes
        guard let dot = name.lastIndex(of: Self.dot), dot > 0 else { return "" }
        let ending = name[(dot + 1)...].map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }
        return String(decoding: ending, as: UTF8.self)
    }

    /// This path followed by a slash, if needed, and `component`.
    package func appending(_ component: FilePath) -> FilePath {
        if bytes.isEmpty { return component }
        return FilePath(
            bytes: bytes.last == Self.slash ? bytes + component.bytes : bytes + [Self.slash] + component.bytes)
    }

    /// This path followed by a slash, if needed, and `component`.
    package func appending(_ component: String) -> FilePath {
        appending(FilePath(component))
    }

    /// This path with `suffix` appended to its last component: `out/say` + `.srt`.
    package func adding(_ suffix: String) -> FilePath {
        FilePath(bytes: bytes + Array(suffix.utf8))
    }

    /// Whether the path is relative to a current folder that has been deleted.
    package var isInDeletedFolder: Bool { bytes.first != Self.slash && DiskAccess.isCurrentFolderDeleted }

    /// The bytes followed by a terminating zero, as C functions expect a path.
    package var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")

    private var withoutTrailingSlashes: ArraySlice<UInt8> {
        var trimmed = bytes[...]
        while trimmed.count > 1, trimmed.last == Self.slash { trimmed.removeLast() }
        return trimmed
    }
}

extension FilePath: CustomStringConvertible {
    /// The path quoted for a shell if needed, with control characters and bytes that are not UTF-8 escaped (`\n`,
    /// `\x1b`, `\xff`), so that a name cannot control the terminal.
    public var description: String { ShellQuoting.quoted(bytes) }
}
