/// A recording: sound that has an end, and about which there is something to tell.
public protocol RecordedAudio: AudioSource {
    /// What was noticed so far: complete once the samples were read to their end.
    var warnings: [AudioWarning] { get }

    /// Tells the same file under two names; `nil` for pipes.
    var identity: FileIdentity? { get }
}

/// What makes a file the same file, whatever its name.
public struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}
