/// The microphones that ALSA knows of, and what it takes for such.
public enum CaptureDevices {
    public struct Entry: Sendable, Equatable {
        /// For `ALSASource`.
        public let name: String
        /// In words, on one line; empty where there are none.
        public let description: String
    }

    /// In ALSA's order.
    ///
    /// - Parameter all: also those that are no microphones: converters, other sound systems, silence.
    public static func inputs(all: Bool = false) throws(CaptureError) -> [Entry] {
        guard let library = ALSALibrary.shared else { throw .libraryMissing }
        library.collectMessages()
        return inputs(library, all: all)
    }

    static func inputs(_ library: ALSALibrary, all: Bool = false) -> [Entry] {
        library.deviceHints().compactMap { hint in
            entry(name: hint.name, description: hint.description, direction: hint.direction, all: all)
        }
    }

    /// Plugins that convert, or lead to what is no microphone.
    private static let hidden: Set = [
        "null", "lavrate", "samplerate", "speexrate", "jack", "oss", "speex", "upmix", "vdownmix",
    ]

    /// - Returns: `nil` for what is no input, or to be hidden.
    package static func entry(name: String, description: String?, direction: String?, all: Bool) -> Entry? {
        guard direction == nil || direction == "Input", all || !hidden.contains(name) else { return nil }
        let lines = (description ?? "").split(separator: "\n").map(String.init)
        return Entry(name: name, description: lines.joined(separator: ", "))
    }
}
