/// How much is printed on standard error.
package enum Verbosity: Sendable {
    case quiet, normal, verbose

    /// Rejects `--quiet` together with `--verbose`.
    static func check(_ given: Set<String>) throws(UsageError) {
        if given.contains("--quiet"), given.contains("--verbose") {
            throw .contradiction("--quiet", "--verbose", why: "one prints less, the other more")
        }
    }
}

extension Flag {
    static func quiet(sets path: Path<Options, Verbosity>) -> Flag {
        .toggle("--quiet", "-q", in: .output, "only errors on standard error", sets: path, to: .quiet)
    }

    static func verbose(sets path: Path<Options, Verbosity>) -> Flag {
        .toggle("--verbose", "-v", in: .output, "more detail on standard error", sets: path, to: .verbose)
    }
}
