import WhisperEngine

/// The identity of a video, taken from its address. Nothing is fetched, so short links are not resolved.
package enum VideoLink {
    package enum Platform: String, CaseIterable, Sendable {
        case tiktok, instagram, youtube
    }

    /// No platform has longer ids.
    private static let maxIDCount = 64

    /// The id of the video, as digits, letters, `-` and `_`.
    ///
    /// - Returns: `nil` if the address is not one of this platform's forms.
    package static func id(in address: String, on platform: Platform) -> String? {
        guard let address = Address(address) else { return nil }
        let id =
            switch platform {
            case .tiktok: tiktok(address)
            case .instagram: instagram(address)
            case .youtube: youtube(address)
            }
        guard let id, id.utf8.count <= maxIDCount else { return nil }
        return String(id)
    }

    // MARK: Platforms

    private static func tiktok(_ address: Address) -> String? {
        let path = address.path
        switch address.host {
        case "vm.tiktok.com", "vt.tiktok.com":
            guard path.count == 1, isWord(path[0]) else { return nil }
            return "t-" + path[0]
        case "tiktok.com": break
        default: return nil
        }
        switch (path.count, path.first) {
        case (3, let user?) where user.hasPrefix("@") && ["video", "photo"].contains(path[1]) && isDigits(path[2]):
            return String(path[2])
        case (3, "embed"?) where path[1] == "v2" && isDigits(path[2]): return String(path[2])
        case (2, "embed"?) where isDigits(path[1]): return String(path[1])
        case (2, "v"?):
            let name = path[1].hasSuffix(".html") ? path[1].dropLast(5) : path[1]
            if isDigits(name) { return String(name) }
        case (2, "t"?) where isWord(path[1]): return "t-" + path[1]
        default: break
        }
        return (address.query("item_id") ?? address.query("shareId")).flatMap { isDigits($0) ? String($0) : nil }
    }

    private static func instagram(_ address: Address) -> String? {
        let path = address.path
        guard address.host == "instagram.com" else { return nil }
        if path.count == 3, path[0] == "stories" { return isDigits(path[2]) ? String(path[2]) : nil }
        // The user's name may come first.
        guard (2...3).contains(path.count), ["p", "reel", "reels", "tv"].contains(path[path.count - 2]),
            let id = path.last, isWord(id)
        else { return nil }
        return String(id)
    }

    private static func youtube(_ address: Address) -> String? {
        let path = address.path
        let id: Substring?
        switch address.host {
        case "youtu.be":
            id = path.count == 1 ? path[0] : nil
        case "youtube.com", "music.youtube.com", "youtube-nocookie.com":
            if path == ["watch"] {
                id = address.query("v")
            } else if path.count == 2, ["shorts", "live", "embed", "v"].contains(path[0]) {
                id = path[1]
            } else {
                id = nil
            }
        default: return nil
        }
        // Embedded playlists and channels have these words, which are as long as an id, in its place.
        guard let id, id.utf8.count == 11, isWord(id), !["videoseries", "live_stream"].contains(id) else { return nil }
        return String(id)
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }
    }
}

/// The parts of an `http` or `https` address that name a video.
private struct Address {
    /// In lower case, without a leading `www.` or `m.`.
    let host: String
    /// Not decoded; empty components are dropped.
    let path: [Substring]
    private let parameters: [Substring]

    /// - Returns: `nil` for other schemes and for hosts with a user name or a port.
    init?(_ text: String) {
        guard let scheme = ["https://", "http://"].first(where: { text.prefix($0.count).lowercased() == $0 })
        else { return nil }
        let target = text.dropFirst(scheme.count).prefix { $0 != "#" }
        // Browsers read a backslash as a slash, so it must not hide the host.
        guard !target.contains("\\") else { return nil }
        let hierarchy = target.prefix { $0 != "?" }
        let authority = hierarchy.prefix { $0 != "/" }
        guard authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            !authority.contains(where: { $0 == "@" || $0 == ":" })
        else { return nil }
        let name = authority.lowercased()
        let prefix = ["www.", "m."].first { name.hasPrefix($0) } ?? ""
        host = String(name.dropFirst(prefix.count))
        path = hierarchy.dropFirst(authority.count).split(separator: "/")
        parameters = target.dropFirst(hierarchy.count + 1).split(separator: "&")
    }

    /// The first value of a name.
    func query(_ name: String) -> Substring? {
        parameters.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
    }
}
