/// The program that records from a sound card, as the kernel tells in `/proc/asound`.
package struct CaptureHolder: Sendable, Hashable {
    package let process: Int
    /// Its name, `nil` where that is not told.
    package let name: String?

    package init(process: Int, name: String?) {
        self.process = process
        self.name = name
    }

    private static let (cards, devices, substreams) = (0..<16, 0..<16, 0..<8)

    /// - Parameters:
    ///   - device: ALSA's name; only hardware has a holder.
    ///   - system: text of a file below `/proc`, `nil` where there is none.
    package static func find(
        of device: String, system: (String) -> String? = { SystemMemory.text(of: "/proc/" + $0) }
    ) -> CaptureHolder? {
        guard let (card, number) = hardware(device) else { return nil }
        let cardIndex = Int(card) ?? cards.first { system("asound/card\($0)/id").map(firstLine) == card }
        guard let cardIndex else { return nil }
        for device in number.map({ $0..<($0 + 1) }) ?? devices {
            for substream in substreams {
                let path = "asound/card\(cardIndex)/pcm\(device)c/sub\(substream)/status"
                guard let status = system(path) else { break }
                guard let process = owner(status) else { continue }
                return CaptureHolder(process: process, name: system("\(process)/comm").map(firstLine))
            }
        }
        return nil
    }

    /// Card and device of `hw:1,0`, `plughw:CARD=PCH,DEV=0` and the like.
    package static func hardware(_ name: String) -> (card: String, device: Int?)? {
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
