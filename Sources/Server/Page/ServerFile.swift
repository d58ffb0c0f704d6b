// The table and the bytes that it points to are constants of the program, so they never move and are never freed.
import CServerFiles
import WhisperEngine

/// A file for browsers that is compiled into the program.
package struct ServerFile: Sendable {
    /// The path in `Sources/ServerFiles`, such as `page/app.js`.
    package let path: String
    package let bytes: [UInt8]
    /// The value of `ETag`, which changes with the content.
    package let tag: String

    package static let all: [ServerFile] = {
        var count = 0
        let table = unsafe UnsafeBufferPointer(start: sf_files(&count), count: count)
        return unsafe table.map { entry in
            let bytes = unsafe Array(UnsafeBufferPointer(start: entry.bytes, count: entry.count))
            return unsafe ServerFile(path: String(cString: entry.path), bytes: bytes)
        }
    }()

    package static func named(_ path: String) -> ServerFile? { all.first { $0.path == path } }

    private init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        var digest = SHA256()
        digest.update(bytes)
        tag = "\"\(digest.hexadecimal.prefix(20))\""
    }

    package var contentType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json": "application/json"
        default: "application/octet-stream"
        }
    }
}
