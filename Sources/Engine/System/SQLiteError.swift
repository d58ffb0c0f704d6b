/// Why SQLite could not do what it was asked.
package enum SQLiteError: Error, Hashable, Sendable {
    /// Damaged, or not a database at all.
    case corrupt
    /// Disk full, quota used up, or file size limit reached.
    case full
    /// Another connection holds it longer than we wait.
    case busy
    /// The file or its folder cannot be written.
    case readOnly
    case cannotOpen(errno: Int32)
    case ioError(errno: Int32)
    case outOfMemory
    /// A rule of the schema forbids it; the text is the rule's own.
    case refused(String)
    /// A statement that SQLite does not understand or cannot carry out.
    case failed(String)
}
