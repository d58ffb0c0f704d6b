import Glibc
import Synchronization

/// Whether this process is a child, made by fork, of one that had used the library. It has none of its parent's threads, so
/// that anything that needs one would wait forever.
enum Fork {
    private static let isChild = Atomic(false)
    /// Registers the handler once.
    private static let registration: Void = {
        pthread_atfork(nil, nil, { Fork.isChild.store(true, ordering: .relaxed) })
    }()

    static var isInChild: Bool { isChild.load(ordering: .relaxed) }

    /// Called by the first use of the library.
    static func watch() { registration }

    static let errorText: StaticString = """
        {"code":"fork","message":"the library was used before this process was forked; start it anew instead (exec, \
        posix_spawn; in Python multiprocessing.set_start_method(\\"spawn\\")), or fork first"}
        """
    static let errorEvent: StaticString = """
        {"type":"error","code":"fork","message":"the library was used before this process was forked; start it anew \
        instead (exec, posix_spawn; in Python multiprocessing.set_start_method(\\"spawn\\")), or fork first"}
        """
}
