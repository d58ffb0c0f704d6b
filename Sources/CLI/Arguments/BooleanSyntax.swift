/// Python's words for truth and nothing, as openai-whisper's command lines hold them.
enum BooleanSyntax {
    static func value(_ bytes: [UInt8]) -> Bool? {
        switch lowercased(bytes) {
        case "true": true
        case "false": false
        default: nil
        }
    }

    static func isNone(_ bytes: [UInt8]) -> Bool { lowercased(bytes) == "none" }

    private static func lowercased(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
