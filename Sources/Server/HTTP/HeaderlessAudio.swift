package import WhisperEngine

/// Recordings of telephone systems (ITU-T G.711), which often have no header: only their declared type or the ending of
/// their name says what they are.
package enum HeaderlessAudio {
    /// RFC 2046, section 6.3 (`audio/basic`), RFC 3551, and names that programs have made up.
    private static let encodings: [String: SampleEncoding] = [
        "basic": .mulaw, "pcmu": .mulaw, "mulaw": .mulaw, "ulaw": .mulaw, "g711-mlaw": .mulaw, "g711-ulaw": .mulaw,
        "pcma": .alaw, "alaw": .alaw, "alaw-basic": .alaw, "g711-alaw": .alaw,
    ]
    private static let endings: [String: SampleEncoding] = [
        "ulaw": .mulaw, "mulaw": .mulaw, "ul": .mulaw, "mu": .mulaw, "pcmu": .mulaw, "g711u": .mulaw,
        "alaw": .alaw, "al": .alaw, "pcma": .alaw, "g711a": .alaw,
    ]

    /// The layout of a recording without a header: 8 kHz mono unless the type has other parameters, as in
    /// `audio/PCMU;rate=16000`.
    ///
    /// - Parameter fileExtension: in lower case.
    /// - Returns: `nil` if neither names a type of G.711.
    package static func format(contentType: String?, fileExtension: String?) -> RawFormat? {
        let type = contentType.flatMap { MultipartParameters(Array($0.utf8)) }
        var name = type?.value ?? ""
        for prefix in ["audio/", "x-"] where name.hasPrefix(prefix) { name.removeFirst(prefix.count) }
        guard let encoding = fileExtension.flatMap({ endings[$0] }) ?? encodings[name] else { return nil }
        func number(_ parameter: String) -> Int? {
            (type?[parameter].first).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        }
        return try? RawFormat(
            encoding: encoding, sampleRate: number("rate") ?? 8000, channels: number("channels") ?? 1)
    }
}
