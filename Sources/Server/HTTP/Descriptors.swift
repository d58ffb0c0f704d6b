import Glibc

/// How many descriptors this process has left for connections.
///
/// Every new descriptor gets the lowest number that is free, so that number shows how many are in use.
struct Descriptors {
    /// How many may be open.
    let limit: Int
    /// Connections are accepted while the next descriptor has a lower number: the rest is for their recordings.
    private let ceiling: Int

    /// Call when everything but the connections is open.
    init() {
        var limits = rlimit()
        let isKnown = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0
        limit = isKnown ? Int(clamping: limits.rlim_cur) : .max
        let used = Self.next ?? limit
        ceiling = used + (limit - used) / 2
    }

    var areScarce: Bool { Self.next.map { $0 >= ceiling } ?? true }

    /// The number of the next descriptor; `nil` if there is none left.
    private static var next: Int? {
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        close(descriptor)
        return Int(descriptor)
    }
}
