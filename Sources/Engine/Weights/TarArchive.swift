package import EngineBasics

/// The members of a tar archive: ustar, also with the long names and sizes of GNU and pax.
///
/// Only the headers are read; everything is validated before any content is.
package struct TarArchive: Sendable {
    /// The ranges of the files' bytes in the archive, by their names without a leading `./`.
    package let members: [String: Range<Int>]
    package let file: ReadOnlyFile

    private static let blockBytes = 512
    private static let maxMembers = 10_000
    /// Of a long name, or of the records of pax.
    private static let maxExtraBytes = 1 << 16

    /// - Parameter first: the first bytes of a file, at least 263.
    package static func recognizes(_ first: [UInt8]) -> Bool {
        first.count >= 263 && first[257..<262].elementsEqual("ustar".utf8)
    }

    /// Reads all headers.
    ///
    /// - Throws: `ModelError.truncated`, `ModelError.badContents`.
    package init(_ file: ReadOnlyFile) throws(ModelError) {
        self.file = file
        var members: [String: Range<Int>] = [:], offset = 0
        /// What the next header is to have instead of its own.
        var name: String?, size: Int?, count = 0
        while true {
            let block = try Self.read(offset..<(offset + Self.blockBytes), of: file)
            if block.allSatisfy({ $0 == 0 }) { break }
            func bad(_ problem: String) -> ModelError {
                .badContents(
                    path: file.path, problem: "is a tar archive with a header at offset \(offset) that \(problem)")
            }
            guard let header = TarHeader(block) else { throw bad("is damaged") }
            count += 1
            guard count <= Self.maxMembers else { throw bad("is one of more than \(Self.maxMembers)") }
            let start = offset + Self.blockBytes, isExtra = header.kind.isExtra
            let length = isExtra ? header.size : size ?? header.size
            guard length <= file.count - start else {
                throw .truncated(path: file.path, bytes: file.count, promised: start &+ length)
            }
            let content = start..<(start + length)
            if isExtra {
                guard length <= Self.maxExtraBytes else { throw bad("has \(length) bytes of extra fields") }
                let extra = try Self.read(content, of: file)
                switch header.kind {
                case .longName: name = String(validating: extra.prefix { $0 != 0 }, as: UTF8.self)
                case .extended:
                    guard let fields = TarHeader.fields(extra) else { throw bad("has damaged extra fields") }
                    name = fields["path"] ?? name
                    if let text = fields["size"] {
                        guard let count = Int(text), count >= 0 else { throw bad("has an impossible size") }
                        size = count
                    }
                default: break
                }
            } else {
                guard let name = name ?? header.name else { throw bad("has a name that is not UTF-8") }
                if header.kind == .file, members.updateValue(content, forKey: Self.plain(name)) != nil {
                    throw bad("repeats the member \(ShellQuoting.shown(name))")
                }
                if header.kind == .other { throw bad("is not that of a file or folder: \(ShellQuoting.shown(name))") }
            }
            if !isExtra { (name, size) = (nil, nil) }
            // The next header begins with a block.
            offset = start + (length + Self.blockBytes - 1) / Self.blockBytes * Self.blockBytes
        }
        self.members = members
    }

    /// A member as a file of its own; `nil` if there is none of that name.
    package func member(_ name: String) -> ReadOnlyFile? { members[name].map { ReadOnlyFile($0, of: file) } }

    private static func plain(_ name: String) -> String { name.hasPrefix("./") ? String(name.dropFirst(2)) : name }

    private static func read(_ range: Range<Int>, of file: ReadOnlyFile) throws(ModelError) -> [UInt8] {
        guard range.upperBound <= file.count else {
            throw .truncated(path: file.path, bytes: file.count, promised: range.upperBound)
        }
        return try file.checked(range)
    }
}

/// A header of a tar archive.
private struct TarHeader {
    enum Kind {
        case file, folder
        /// What precedes a header: its name, or the fields of pax.
        case longName, extended
        /// The same for a link, or for all members: of no use here.
        case unused
        case other

        var isExtra: Bool { self == .longName || self == .extended || self == .unused }
    }

    let kind: Kind
    /// `nil` if it is not UTF-8.
    let name: String?
    let size: Int

    /// - Parameter block: 512 bytes.
    /// - Returns: `nil` if the checksum is wrong, or a number is none.
    init?(_ block: [UInt8]) {
        let sum = block.indices.reduce(0) { $0 + Int((148..<156).contains($1) ? 32 : block[$1]) }
        guard Self.number(block[148..<156]) == sum, let size = Self.number(block[124..<136]) else { return nil }
        self.size = size
        kind =
            switch block[156] {
            case 0, UInt8(ascii: "0"), UInt8(ascii: "7"): .file
            case UInt8(ascii: "5"): .folder
            case UInt8(ascii: "L"): .longName
            case UInt8(ascii: "x"): .extended
            case UInt8(ascii: "K"), UInt8(ascii: "g"): .unused
            default: .other
            }
        let own = block[..<100].prefix { $0 != 0 }
        // GNU's older format has other fields in the place of the prefix.
        let prefix = block[257..<263].elementsEqual("ustar\0".utf8) ? block[345..<500].prefix { $0 != 0 } : []
        name = String(validating: prefix + (prefix.isEmpty ? [] : [UInt8(ascii: "/")]) + own, as: UTF8.self)
    }

    /// Octal digits or, if the first bit is set, a binary number.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        guard let first = field.first else { return nil }
        if first == 0x80 {
            return Int(exactly: field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        let digits = field.drop { $0 == 32 }.prefix { $0 != 0 && $0 != 32 }
        return Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The fields of pax: each is its length, a space, `name=value` and a newline; `nil` if they are damaged.
    static func fields(_ bytes: [UInt8]) -> [String: String]? {
        var fields: [String: String] = [:], rest = bytes[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != 32 }
            guard digits.count <= 6, let length = Int(String(decoding: digits, as: UTF8.self)),
                length > digits.count + 1, length <= rest.count,
                let text = String(validating: rest.prefix(length).dropFirst(digits.count + 1), as: UTF8.self),
                text.last == "\n", let sign = text.firstIndex(of: "=")
            else { return nil }
            fields[String(text[..<sign])] = String(text[text.index(after: sign)...].dropLast())
            rest = rest.dropFirst(length)
        }
        return fields
    }
}
