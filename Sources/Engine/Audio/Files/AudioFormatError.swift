public import EngineBasics

/// An error while opening or reading a recording. Every case but the last names the file.
public enum AudioFormatError: Error, Equatable, Sendable {
    /// `nearest`: an existing file with a similar name.
    case noSuchFile(FilePath, nearest: FilePath?)
    case danglingLink(FilePath, target: FilePath)
    case linkLoop(FilePath)
    case nameTooLong(FilePath)
    /// `component`: the file, or the folder on the path, that cannot be accessed.
    case notPermitted(FilePath, component: FilePath)
    case isFolder(FilePath)
    /// `kind`: with its article, such as `a socket`.
    case notRegularFile(FilePath, kind: String)
    case url(FilePath)
    case inputClosed(FilePath)
    case inputIsTerminal(FilePath)
    case tooManyOpenFiles(FilePath)

    case emptyFile(FilePath)
    /// `chunk`: its four-character code; `offset`: where it starts, bytes from the start of the file.
    case damagedWAV(FilePath, chunk: String, offset: Int)
    /// The file ends within the header.
    case incompleteWAVHeader(FilePath, bytes: Int)
    /// `tag`: a number such as `0x9999`, or the codec's name.
    case unsupportedCodec(FilePath, tag: String)
    case channels(FilePath, Int)
    case sampleRate(FilePath, Int)
    /// `looksLike`: what its first bytes are, such as `an HTML page`; `nil` if unknown.
    case notAudio(FilePath, looksLike: String?)
    /// `kind`: such as `ggml weights`.
    case model(FilePath, kind: String)
    case playlist(FilePath)
    case noAudioTrack(FilePath, videoTracks: Int)
    case noSuchTrack(FilePath, track: Int, tracks: [AudioFile.Track])
    case encrypted(FilePath, scheme: String)
    case externalReferences(FilePath)
    /// The format was recognized, but nothing could be decoded.
    case damaged(FilePath)
    /// The format requires seeking, which a pipe does not support.
    case needsSeeking(FilePath)
    /// The format requires FFmpeg, and this build does not support it.
    case needsFFmpeg(FilePath)
    /// The format requires FFmpeg, which is not installed, or not in the version of this build; `packages`: the Debian
    /// packages that provide it.
    case ffmpegMissing(FilePath, packages: [String])
    case tooLong(FilePath)

    /// `at`: bytes from the start; `of`: the size when the file was opened.
    case readFailed(FilePath, at: Int, of: Int?)
    /// `at`: seconds from the start; `of`: the length in seconds.
    case decoderFailed(FilePath, at: Double, of: Double?)
    /// A pipe was read a second time.
    case readOnce(FilePath)
    /// Reading the channels of a pipe one by one requires a temporary copy, which could not be written.
    case pipeNotStored(FilePath)
    case outOfMemory(FilePath)
    case cancelled(FilePath)
    case badRawFormat(String)
}

extension AudioFormatError {
    /// Whether reading or decoding failed midway, so that the audio before is usable.
    package var isReadError: Bool {
        switch self {
        case .readFailed, .decoderFailed, .readOnce, .pipeNotStored: true
        default: false
        }
    }
}

extension AudioFormatError: CustomStringConvertible {
    /// What went wrong and where; one line.
    public var description: String {
        switch self {
        case .noSuchFile(let file, _): "no such file: \(shown(file))"
        case .danglingLink(let file, let target): "no such file: \(shown(file)) is a broken link to \(target)"
        case .linkLoop(let file): "no such file: \(shown(file)) is a circular link"
        case .nameTooLong(let file): "file name too long (\(file.bytes.count) bytes): \(shown(file))"
        case .notPermitted(let file, let component):
            "cannot read \(shown(file)): permission denied" + (file == component ? "" : " for the folder \(component)")
        case .isFolder(let file): "a folder, not a recording: \(shown(file))"
        case .notRegularFile(let file, let kind): "\(kind), not a regular file: \(shown(file))"
        case .url(let file): "URLs are not supported: \(shown(file))"
        case .inputClosed(let file): "\(shown(file)) is closed"
        case .inputIsTerminal(let file): "\(shown(file)) is a terminal: nothing to read"
        case .tooManyOpenFiles(let file): "cannot open \(shown(file)): too many open files"
        case .emptyFile(let file): "empty file: \(shown(file))"
        case .damagedWAV(let file, let chunk, let offset):
            "damaged WAV: chunk \(ShellQuoting.quoted(chunk)) at byte \(offset) of \(shown(file))"
        case .incompleteWAVHeader(let file, let bytes):
            "damaged or incomplete WAV header (file ends after \(bytes) bytes): \(shown(file))"
        case .unsupportedCodec(let file, let tag): "unsupported codec \(tag): \(shown(file))"
        case .channels(let file, let count):
            "unsupported number of channels \(count) (\(AudioLimits.channels.lowerBound) to "
                + "\(AudioLimits.channels.upperBound)): \(shown(file))"
        case .sampleRate(let file, let rate):
            "unsupported sample rate \(rate) Hz (\(AudioLimits.sampleRates.lowerBound) to "
                + "\(AudioLimits.sampleRates.upperBound)): \(shown(file))"
        case .notAudio(let file, let kind):
            "not an audio file" + (kind.map { ", looks like \($0)" } ?? "") + ": \(shown(file))"
        case .model(let file, let kind): "a model (\(kind)), not a recording: \(shown(file))"
        case .playlist(let file): "a playlist, not a recording: \(shown(file))"
        case .noAudioTrack(let file, let videos):
            "no audio track (\(Counted.text(videos, "video track"))): \(shown(file))"
        case .noSuchTrack(let file, let track, let tracks):
            "no track \(track) in \(shown(file)), which has \(tracks.count == 1 ? "track" : "tracks") "
                + tracks.map(\.description).joined(separator: ", ")
        case .encrypted(let file, let scheme):
            "encrypted (\(scheme)), cannot be decoded without the key: \(shown(file))"
        case .externalReferences(let file):
            "the audio is in other files, and external references are not followed: \(shown(file))"
        case .damaged(let file): "damaged, nothing can be decoded: \(shown(file))"
        case .needsSeeking(let file): "this format cannot be read from a pipe: \(shown(file))"
        case .needsFFmpeg(let file): "this build reads only WAV files (built without FFmpeg): \(shown(file))"
        case .ffmpegMissing(let file, _): "only WAV files can be read without FFmpeg: \(shown(file))"
        case .tooLong(let file): "longer than \(AudioLimits.maxSeconds / 3600) h: \(shown(file))"
        case .readFailed(let file, let position, let size):
            "read error at byte \(position)\(size.map { " of \($0)" } ?? ""): \(shown(file))"
        case .decoderFailed(let file, let position, let length):
            "decoding failed at \(AudioFile.Warning.clock(position))"
                + "\(length.map { " of \(AudioFile.Warning.clock($0))" } ?? ""): \(shown(file))"
        case .readOnce(let file): "a pipe can be read only once: \(shown(file))"
        case .pipeNotStored(let file):
            "cannot write the temporary copy of \(shown(file)) that reading its channels one by one requires"
        case .outOfMemory(let file): "not enough memory to read \(shown(file))"
        case .cancelled(let file): "cancelled while reading \(shown(file))"
        case .badRawFormat(let text): "invalid raw format: \(ShellQuoting.quoted(text))"
        }
    }

    private func shown(_ file: FilePath) -> String { file == FilePath("-") ? "standard input" : file.description }
}
