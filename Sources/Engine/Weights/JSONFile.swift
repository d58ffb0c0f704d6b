package import EngineBasics

/// Reads the JSON files of a model's folder.
package enum JSONFile {
    /// How large a file may be, and how many values it may have.
    package struct Limits {
        package let bytes: Int
        let values: Int

        /// Real files have a few kilobytes.
        package static let settings = Limits(bytes: 1 << 20, values: 50_000)
        /// The largest permitted network has about 10,000 tensors.
        package static let index = Limits(bytes: 16 << 20, values: 50_000)
        /// Real tokenizers have up to 4 MB and, if merges are pairs, 200,000 values.
        package static let vocabulary = Limits(bytes: 32 << 20, values: 300_000)
    }

    private static let maxDepth = 32

    /// - Throws: `ModelError.badContents` if the file is not JSON or exceeds the limits.
    package static func read(_ path: FilePath, _ limits: Limits = .settings) throws(ModelError) -> JSONValue {
        let text = try bytes(path, limit: limits.bytes)
        do throws(JSONValue.Problem) {
            return try JSONValue(text, depth: maxDepth, members: limits.values)
        } catch { throw .badContents(path: path, problem: "\(error.what) at offset \(error.offset)") }
    }

    /// The file's value, `nil` if there is no such file.
    package static func readIfPresent(_ path: FilePath, _ limits: Limits = .settings) throws(ModelError) -> JSONValue? {
        do throws(ModelError) {
            return try read(path, limits)
        } catch .noFile { return nil } catch { throw error }
    }

    /// The whole content of a file of at most `limit` bytes.
    package static func bytes(_ path: FilePath, limit: Int) throws(ModelError) -> [UInt8] {
        let size: Int
        do throws(FileError) {
            let file = try ReadOnlyFile(path)
            size = file.count
            if size <= limit { return try file.bytes(0..<size) }
        } catch { throw ModelError(error, path: path) }
        throw .badContents(path: path, problem: "has \(size) bytes, expected at most \(limit)")
    }
}

extension JSONValue {
    /// The value as it is shown in messages.
    package var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let digits): String(digits.prefix(40))
        case .string(let text): ShellQuoting.shown(text, limit: 40)
        case .array: "a list"
        case .object: "an object"
        }
    }
}
