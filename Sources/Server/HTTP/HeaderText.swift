/// Text for a header of a response.
enum HeaderText {
    /// Replaces everything but printable ASCII.
    static func plain(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
