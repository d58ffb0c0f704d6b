import Glibc

/// Time as the capture thread sees it; tests bring their own.
package struct CaptureTime: Sendable {
    /// Since some moment; goes on while the machine sleeps.
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) -> Void

    package init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) -> Void) {
        self.now = now
        self.sleep = sleep
    }

    package static let system: CaptureTime = {
        let start = ContinuousClock.now
        return CaptureTime(
            now: { ContinuousClock.now - start },
            sleep: { usleep(UInt32(clamping: Int($0 / .microseconds(1)))) })
    }()
}
