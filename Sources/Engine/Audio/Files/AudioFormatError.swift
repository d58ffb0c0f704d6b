/// Why a recording cannot be read.
///
/// Every case names the file. `description` says what and where, `advice` what to do, `category` which kind of
/// failure it is.
public enum AudioFormatError: Error, Equatable, Sendable {
    case noSuchFile(FilePath, nearest: FilePath?)
    case danglingLink(FilePath, target: FilePath)
    case linkLoop(FilePath)
    case nameTooLong(FilePath)
    /// `component`: the file or the folder on the way that is closed.
    case notPermitted(FilePath, component: FilePath)
    case isFolder(FilePath)
    case notRegularFile(FilePath, kind: SpecialFileKind)
    case url(FilePath)
    case inputClosed(FilePath)
    case inputIsTerminal(FilePath)
    case tooManyOpenFiles(FilePath)

    case emptyFile(FilePath)
    /// `chunk`: its four letters; `offset`: where it begins, bytes from the start of the file.
    case damagedWAV(FilePath, chunk: String, offset: Int)
    /// The file ends inside the header.
    case incompleteWAVHeader(FilePath, bytes: Int)
    /// `tag`: `0x9999`, or the coding's name.
    case unsupportedCodec(FilePath, tag: String)
    case channels(FilePath, Int)
    case sampleRate(FilePath, Int)
    case notSound(FilePath, looksLike: FileKind)
    case isModel(FilePath, kind: FileKind)
    case playlist(FilePath)
    case noSoundTrack(FilePath, videoTracks: Int)
    case noSuchTrack(FilePath, track: Int, tracks: [AudioTrack])
    case encrypted(FilePath, scheme: String)
    case externalReferences(FilePath)
    /// The format was recognized, but nothing in it can be decoded.
    case damaged(FilePath)
    /// The format can be read only where seeking back is possible.
    case needsSeeking(FilePath)
    /// The format needs FFmpeg, which is not built in.
    case needsFFmpeg(FilePath)
    /// The format needs FFmpeg, which is not installed, or in a version other than this program was built for;
    /// `packages`: those that bring it.
    case ffmpegMissing(FilePath, packages: [String])
    case tooLong(FilePath)

    /// `at`: bytes from the start; `of`: the size at the beginning.
    case readFailed(FilePath, at: Int, of: Int?)
    /// Seconds.
    case decoderFailed(FilePath, at: Double, of: Double?)
    /// A pipe is asked for its samples a second time.
    case readOnce(FilePath)
    case outOfMemory(FilePath)
    case cancelled(FilePath)
    case badRawFormat(String)
}

/// What a file is that is neither a regular file nor a pipe.
public enum SpecialFileKind: String, Sendable {
    case characterDevice = "a character device"
    case blockDevice = "a block device"
    case socket = "a socket"
    case other = "a special file"
}

/// Which kind of failure, with the exit status of sysexits.h.
public enum AudioErrorCategory: Int, Sendable {
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case ioError = 74
    case temporaryFailure = 75
    case noPermission = 77
}

extension AudioFormatError {
    public var category: AudioErrorCategory {
        switch self {
        case .url, .inputIsTerminal, .noSuchTrack, .badRawFormat: .usage
        case .noSuchFile, .danglingLink, .linkLoop, .nameTooLong, .isFolder, .inputClosed: .noInput
        case .notPermitted: .noPermission
        case .needsFFmpeg, .ffmpegMissing: .unavailable
        case .readFailed, .decoderFailed, .readOnce: .ioError
        case .tooManyOpenFiles, .outOfMemory, .cancelled: .temporaryFailure
        case .notRegularFile, .emptyFile, .damagedWAV, .incompleteWAVHeader, .unsupportedCodec, .channels, .sampleRate,
            .notSound, .isModel, .playlist, .noSoundTrack, .encrypted, .externalReferences, .damaged, .needsSeeking,
            .tooLong:
            .data
        }
    }
}
