import EngineBasics

extension Microphone {
    /// An input device known to ALSA.
    public struct Device: Sendable, Equatable {
        /// The name to pass to `Microphone`.
        public let name: String
        /// A description on one line; may be empty.
        public let description: String

        /// Plugins that convert, or that do not lead to a microphone.
        private static let hidden: Set = [
            "null", "lavrate", "samplerate", "speexrate", "jack", "oss", "speex", "upmix", "vdownmix",
        ]

        /// Returns `nil` for outputs and, unless `all` is set, for hidden plugins.
        package init?(name: String, description: String?, direction: String?, all: Bool) {
            guard direction == nil || direction == "Input", all || !Self.hidden.contains(name) else { return nil }
            self.name = name
            self.description = (description ?? "").split(separator: "\n").joined(separator: ", ")
        }
    }

    /// Returns the input devices in ALSA's order, with the sources of PulseAudio after its device, and without that if
    /// PulseAudio is not running.
    ///
    /// - Parameter all: whether to include devices that are not microphones: converters, other sound systems, silence.
    /// - Throws: `CaptureError.libraryMissing` if ALSA is not installed.
    public static func devices(all: Bool = false) throws(CaptureError) -> [Device] {
        guard let library = ALSALibrary.shared else { throw .libraryMissing }
        library.collectMessages()
        return devices(library, all: all)
    }

    static func devices(_ library: ALSALibrary, all: Bool = false) -> [Device] {
        let devices = library.deviceHints().compactMap { hint in
            Device(name: hint.name, description: hint.description, direction: hint.direction, all: all)
        }
        return devices.flatMap { device in
            guard device.name == "pulse" else { return [device] }
            return PulseServer.sources().map { [device] + $0.compactMap(pulseSource) } ?? []
        }
    }

    private static func pulseSource(_ source: PulseServer.Source) -> Device? {
        Device(name: "pulse:\(source.name)", description: source.description, direction: nil, all: true)
    }
}

/// The process that is recording from a sound card, according to `/proc/asound`.
package struct DeviceOwner: Sendable, Hashable {
    package let process: Int
    /// The process's name; `nil` if unknown.
    package let name: String?

    package init(process: Int, name: String?) {
        self.process = process
        self.name = name
    }

    private static let (cards, devices, substreams) = (0..<16, 0..<16, 0..<8)

    /// Finds the process that is using a device.
    ///
    /// - Parameters:
    ///   - device: ALSA's name; only hardware devices have an owner.
    ///   - procFile: returns the text of a file below `/proc`, `nil` if it does not exist.
    package static func find(
        of device: String, procFile: (String) -> String? = { SystemMemory.text(of: "/proc/" + $0) }
    ) -> DeviceOwner? {
        guard let (card, number) = hardware(device) else { return nil }
        let cardIndex = Int(card) ?? cards.first { procFile("asound/card\($0)/id").map(firstLine) == card }
        guard let cardIndex else { return nil }
        for device in number.map({ $0..<($0 + 1) }) ?? devices {
            for substream in substreams {
                let path = "asound/card\(cardIndex)/pcm\(device)c/sub\(substream)/status"
                guard let status = procFile(path) else { break }
                guard let process = owner(status) else { continue }
                return DeviceOwner(process: process, name: procFile("\(process)/comm").map(firstLine))
            }
        }
        return nil
    }

    /// Returns the card and device of names such as `hw:1,0` and `plughw:CARD=PCH,DEV=0`.
    private static func hardware(_ name: String) -> (card: String, device: Int?)? {
        let parts = name.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, ["hw", "plughw", "sysdefault", "front", "dsnoop"].contains(parts[0]) else { return nil }
        let arguments = parts[1].split(separator: ",").map { $0.split(separator: "=").last.map(String.init) ?? "" }
        guard let card = arguments.first, !card.isEmpty else { return nil }
        return (card, arguments.dropFirst().first.flatMap { Int($0) })
    }

    private static func owner(_ status: String) -> Int? {
        status.split(separator: "\n").first { $0.hasPrefix("owner_pid") }
            .flatMap { $0.split(separator: ":").last }
            .flatMap { Int($0.drop { $0 == " " || $0 == "\t" }) }
    }

    private static func firstLine(_ text: String) -> String {
        text.split(separator: "\n").first.map(String.init) ?? ""
    }
}
