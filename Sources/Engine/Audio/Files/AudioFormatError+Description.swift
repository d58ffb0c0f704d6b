extension AudioFormatError: CustomStringConvertible {
    /// What is wrong and where, one line.
    public var description: String {
        switch self {
        case .noSuchFile(let file, _): "no such file: \(shown(file))"
        case .danglingLink(let file, let target): "no such file: \(shown(file)) is a link to \(target)"
        case .linkLoop(let file): "no such file: \(shown(file)) is a link that leads back to itself"
        case .nameTooLong(let file): "no such file: the name is too long (\(file.bytes.count) bytes): \(shown(file))"
        case .notPermitted(let file, let component):
            file == component
                ? "not permitted to read \(shown(file))"
                : "not permitted to read \(shown(file)): the folder \(component) is closed"
        case .isFolder(let file): "a folder, not a recording: \(shown(file))"
        case .notRegularFile(let file, let kind): "not a regular file but \(kind.rawValue): \(shown(file))"
        case .url(let file): "URLs are not opened (offline program): \(shown(file))"
        case .inputClosed(let file): "closed, nothing to read: \(shown(file))"
        case .inputIsTerminal(let file): "a terminal, nothing to read: \(shown(file))"
        case .tooManyOpenFiles(let file): "too many open files, cannot open \(shown(file))"
        case .emptyFile(let file): "empty file: \(shown(file))"
        case .damagedWAV(let file, let chunk, let offset):
            "damaged WAV: chunk \(ShellQuoting.quoted(chunk)) at byte \(offset) of \(shown(file))"
        case .incompleteWAVHeader(let file, let bytes):
            "damaged or incomplete WAV header (file ends after \(bytes) bytes): \(shown(file))"
        case .unsupportedCodec(let file, let tag):
            "sound coded as \(tag) which is not supported here: \(shown(file))"
        case .channels(let file, let count):
            "\(count) channels, \(AudioLimits.channels.lowerBound) to \(AudioLimits.channels.upperBound) supported: "
                + shown(file)
        case .sampleRate(let file, let rate): "sample rate \(rate) Hz, \(supportedRates): \(shown(file))"
        case .notSound(let file, let kind):
            "not a sound file" + (kind == .unknown ? "" : ", looks like \(kind)") + ": \(shown(file))"
        case .isModel(let file, let kind): "this is a model (\(kind)), not a recording: \(shown(file))"
        case .playlist(let file): "a playlist, not a recording: \(shown(file))"
        case .noSoundTrack(let file, let videos):
            "no sound track in it (\(videos) video track\(videos == 1 ? "" : "s")): \(shown(file))"
        case .noSuchTrack(let file, let track, let tracks):
            "no track \(track): there \(tracks.count == 1 ? "is 1 track" : "are \(tracks.count) tracks") in "
                + "\(shown(file)): \(tracks.map(\.description).joined(separator: ", "))"
        case .encrypted(let file, let scheme):
            "encrypted (\(scheme)), cannot be read without its key: \(shown(file))"
        case .externalReferences(let file):
            "the sound lies in other files, external references are not followed: \(shown(file))"
        case .damaged(let file): "damaged, nothing in it can be decoded: \(shown(file))"
        case .needsSeeking(let file): "this format cannot be read from a pipe: \(shown(file))"
        case .needsFFmpeg(let file): "this build reads WAV only (it was built without FFmpeg): \(shown(file))"
        case .ffmpegMissing(let file, _): "FFmpeg is not installed, without it only WAV is read: \(shown(file))"
        case .tooLong(let file): "sound longer than \(AudioLimits.longestSeconds / 3600) h: \(shown(file))"
        case .readFailed(let file, let position, let size):
            "reading failed at byte \(position)\(size.map { " of \($0)" } ?? ""): \(shown(file))"
        case .decoderFailed(let file, let position, let length):
            "read \(AudioWarning.clock(position))\(length.map { " of \(AudioWarning.clock($0))" } ?? ""), "
                + "then the decoder failed: \(shown(file))"
        case .readOnce(let file): "a pipe can be read only once: \(shown(file))"
        case .outOfMemory(let file): "not enough memory to read \(shown(file))"
        case .cancelled(let file): "stopped while reading \(shown(file))"
        case .badRawFormat(let text): "not a raw format: \(ShellQuoting.quoted(text))"
        }
    }

    /// What to do about it, one line.
    public var advice: String {
        switch self {
        case .noSuchFile(_, let nearest?): "did you mean \(nearest)?"
        case .noSuchFile, .nameTooLong: "check the name and the folder"
        case .danglingLink: "give the recording itself, or repair the link"
        case .linkLoop: "repair the link"
        case .notPermitted: "change the permissions, or run as a user who may read it"
        case .isFolder: "give the files in it"
        case .notRegularFile: "give a recording; for a microphone use `live`"
        case .url: "download it first, then give the file"
        case .inputClosed, .inputIsTerminal: "pipe a recording in, or give a file"
        case .tooManyOpenFiles: "close other programs, or raise the limit (`ulimit -n`)"
        case .emptyFile: "record or copy it again"
        case .damagedWAV, .incompleteWAVHeader, .damaged: "copy or record it again"
        case .unsupportedCodec: "convert it with ffmpeg"
        case .channels: "choose some of the channels with another program first"
        case .sampleRate: "resample it with another program, if the rate is true"
        case .notSound: "give a recording; samples without a header need `--raw s16le:16000:1`"
        case .isModel: "the arguments may be swapped: the model belongs behind `--model`"
        case .playlist: "give the files themselves"
        case .noSoundTrack: "give a recording with sound"
        case .noSuchTrack: "choose one of these with `--track`"
        case .encrypted: "save it without encryption where you may"
        case .externalReferences: "give the files that hold the sound, or save a self-contained copy"
        case .needsSeeking: "save it to a file first"
        case .needsFFmpeg: "convert it to WAV, or build with FFmpeg's headers installed"
        case .ffmpegMissing(_, let packages):
            "`apt install \(packages.joined(separator: " "))` brings it, or convert the recording to WAV"
        case .tooLong: "cut it into parts"
        case .readFailed: "check the disk or the connection, and whether the file is still being written"
        case .decoderFailed: "convert it with another program"
        case .readOnce: "save it to a file first"
        case .outOfMemory: "close other programs"
        case .cancelled: "start again"
        case .badRawFormat: RawFormat.usage
        }
    }

    private var supportedRates: String {
        guard case .sampleRate(_, let rate) = self, rate > AudioLimits.sampleRates.upperBound else {
            return "at least \(AudioLimits.sampleRates.lowerBound) supported"
        }
        return "at most \(AudioLimits.sampleRates.upperBound) supported"
    }

    private func shown(_ file: FilePath) -> String { file == FilePath("-") ? "standard input" : file.description }
}
