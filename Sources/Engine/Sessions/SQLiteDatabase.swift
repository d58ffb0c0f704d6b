import CSQLite
package import EngineBasics
import Glibc

/// A connection to an SQLite database; the only code that calls libsqlite3.
///
/// Invariants: this object owns the handle and the prepared statements, which one thread uses at a time; statements are
/// finalized before the handle is closed; text is copied in and out, so that no pointer outlives the call that made it.
@safe package final class SQLiteDatabase {
    package enum Access: Sendable {
        case write
        case read
        /// Read a file that nothing else changes, without locks and without creating files next to it. The only way to
        /// read a database in a read-only folder.
        case frozen
    }

    package enum Value: Hashable, Sendable {
        case null
        case integer(Int)
        case real(Double)
        case text(String)

        package static func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    }

    /// A row of a result. A value of another type than requested reads as 0 or as empty.
    package struct Row: Sendable {
        let values: [Value]

        package func integer(_ column: Int) -> Int {
            if column < values.count, case .integer(let number) = values[column] { number } else { 0 }
        }

        package func optionalText(_ column: Int) -> String? {
            if column < values.count, case .text(let text) = values[column] { text } else { nil }
        }

        package func text(_ column: Int) -> String { optionalText(column) ?? "" }
    }

    private let handle: OpaquePointer
    /// Prepared statements that are not running, by their text.
    private var idle: [String: OpaquePointer] = unsafe [:]

    /// Opens an existing file; an empty file is an empty database.
    ///
    /// - Parameter timeout: milliseconds to wait for a lock held by another connection.
    package init(_ path: FilePath, access: Access, timeout: Int32 = 2000) throws(SQLiteError) {
        var opened: OpaquePointer?
        let flags =
            (access == .write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(Self.uri(of: path, access), &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let error = unsafe opened.map { unsafe Self.error(of: $0) } ?? .outOfMemory
            unsafe sqlite3_close(opened)
            throw error
        }
        unsafe self.handle = handle
        unsafe sqlite3_busy_timeout(handle, timeout)
    }

    deinit {
        while let (_, statement) = unsafe idle.popFirst() { unsafe sqlite3_finalize(statement) }
        unsafe sqlite3_close(handle)
    }

    /// Runs one or more statements without parameters, ignoring their results.
    package func execute(_ script: String) throws(SQLiteError) {
        guard unsafe sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else {
            throw unsafe Self.error(of: handle)
        }
    }

    /// Runs one statement, which is prepared on first use, with `values` bound to its `?` parameters.
    package func run(_ sql: String, _ values: [Value] = []) throws(SQLiteError) {
        _ = try rows(sql, values) { _ in }
    }

    /// Runs one statement and returns what `transform` returns for each row of the result.
    package func rows<Result>(
        _ sql: String, _ values: [Value] = [], _ transform: (Row) -> Result
    ) throws(SQLiteError) -> [Result] {
        let statement = unsafe try statement(sql)
        defer {
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
            if let other = unsafe idle.updateValue(statement, forKey: sql) { unsafe sqlite3_finalize(other) }
        }
        for (index, value) in values.enumerated() { unsafe try bind(value, at: Int32(index + 1), of: statement) }
        var results: [Result] = []
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW: unsafe results.append(transform(row(of: statement)))
            case SQLITE_DONE: return results
            default: throw unsafe Self.error(of: handle)
            }
        }
    }

    /// Runs `body` in a transaction, which is durable when this returns and rolled back if `body` throws.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // After some failures SQLite has already rolled back.
            try? execute("ROLLBACK")
            throw error
        }
    }

    // MARK: Steps

    private func statement(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let ready = unsafe idle.removeValue(forKey: sql) { return unsafe ready }
        var statement: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let ready = unsafe statement
        else { throw unsafe Self.error(of: handle) }
        return unsafe ready
    }

    private func bind(_ value: Value, at index: Int32, of statement: OpaquePointer) throws(SQLiteError) {
        let code =
            switch value {
            case .null: unsafe sqlite3_bind_null(statement, index)
            case .integer(let number): unsafe sqlite3_bind_int64(statement, index, Int64(number))
            case .real(let number): unsafe sqlite3_bind_double(statement, index, number)
            case .text(let text): unsafe bind(text, at: index, of: statement)
            }
        guard code == SQLITE_OK else { throw unsafe Self.error(of: handle) }
    }

    /// By its length: zeros within it are part of the text. SQLite copies it.
    private func bind(_ text: String, at index: Int32, of statement: OpaquePointer) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            return unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                // An empty text may have no address, which would bind null.
                guard let start = characters.baseAddress else {
                    return unsafe sqlite3_bind_text64(statement, index, "", 0, copied, UInt8(SQLITE_UTF8))
                }
                return unsafe sqlite3_bind_text64(
                    statement, index, start, UInt64(characters.count), copied, UInt8(SQLITE_UTF8))
            }
        }
    }

    private func row(of statement: OpaquePointer) -> Row {
        let count = unsafe sqlite3_column_count(statement)
        return Row(
            values: (0..<count).map { column in
                switch unsafe sqlite3_column_type(statement, column) {
                case SQLITE_INTEGER: return .integer(Int(unsafe sqlite3_column_int64(statement, column)))
                case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, column))
                case SQLITE_TEXT:
                    // Text before length: fetching the text may convert it, which changes the length.
                    let start = unsafe sqlite3_column_text(statement, column)
                    let length = Int(unsafe sqlite3_column_bytes(statement, column))
                    return .text(
                        unsafe String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self))
                default: return .null
                }
            })
    }

    /// The path as a URI, `file:///a%20b?immutable=1`, with every byte percent-encoded that could have a meaning.
    private static func uri(of path: FilePath, _ access: Access) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-".utf8)
        let name = path.bytes.map { byte in
            plain.contains(byte) ? String(Unicode.Scalar(byte)) : "%" + Digits.hexadecimal(byte)
        }.joined()
        return (name.hasPrefix("/") ? "file://" : "file:") + name + (access == .frozen ? "?immutable=1" : "")
    }
}
