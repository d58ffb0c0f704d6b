package import Foundation

/// Files in `Tests/Fixtures`, located relative to this file so that tests run from any folder.
package enum Fixtures {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    package static func url(_ path: String) -> URL { folder.appending(path: path) }

    package static func json<T: Decodable>(_ path: String, as type: T.Type = T.self) throws -> T {
        try JSONDecoder().decode(type, from: Data(contentsOf: url(path)))
    }

    /// The little-endian float32 values in a `.f32` file.
    package static func floats(_ path: String) throws -> [Float] {
        let data = try Data(contentsOf: url(path))
        return stride(from: 0, to: data.count, by: 4).map { offset -> Float in
            var bits: UInt32 = 0
            for byte in (0..<4).reversed() { bits = bits << 8 | UInt32(data[offset + byte]) }
            return Float(bitPattern: bits)
        }
    }
}
