import CSystemCalls

/// The processes that this one has started, and those that they have started.
package enum ProcessTree {
    /// Runs `body`; in the meantime, processes whose parents have ended become children of this one, so that `descendants`
    /// has them even if they have left their group and session, as daemons do.
    package static func adoptingOrphans<R>(_ body: () -> R) -> R {
        cs_adopt_orphans(1)
        defer { cs_adopt_orphans(0) }
        return body()
    }

    /// The processes that descend from this one and have not ended, except those in `others` and their descendants.
    package static func descendants(except others: Set<Int32> = []) -> Set<Int32> {
        let parents = running
        var found: Set<Int32> = []
        var ancestors: Set<Int32> = [Int32(DiskAccess.processID)]
        while !ancestors.isEmpty {
            ancestors = Set(parents.filter { ancestors.contains($0.value) && !others.contains($0.key) }.keys)
                .subtracting(found)
            found.formUnion(ancestors)
        }
        return found
    }

    /// The parents of all processes that have not ended.
    private static var running: [Int32: Int32] {
        let names = (try? DiskAccess.names(in: FilePath("/proc"))) ?? []
        return names.reduce(into: [:]) { parents, name in
            guard let process = Int32(String(decoding: name.bytes, as: UTF8.self)),
                let text = SystemMemory.text(of: "/proc/\(process)/stat"), let end = text.lastIndex(of: ")")
            else { return }
            // `PID (NAME) STATE PARENT …`; the name may contain anything.
            let fields = text[text.index(after: end)...].split(separator: " ")
            if fields.count > 1, fields[0] != "Z", let parent = Int32(fields[1]) { parents[process] = parent }
        }
    }
}
