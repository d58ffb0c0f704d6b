import WhisperEngine

extension AudioFormatError: ReportedError {
    package var report: ErrorReport { ErrorReport(status, description, advice: advice) }

    private var status: ExitStatus {
        switch self {
        case .url, .inputIsTerminal, .noSuchTrack, .badRawFormat: .usage
        case .noSuchFile, .danglingLink, .linkLoop, .nameTooLong, .isFolder, .inputClosed: .noInput
        case .notPermitted: .notPermitted
        case .needsFFmpeg, .ffmpegMissing: .unavailable
        case .readFailed, .decoderFailed, .readOnce: .inputOutput
        case .tooManyOpenFiles, .outOfMemory, .cancelled: .tryAgain
        case .notRegularFile, .emptyFile, .damagedWAV, .incompleteWAVHeader, .unsupportedCodec, .channels, .sampleRate,
            .notAudio, .model, .playlist, .noAudioTrack, .encrypted, .externalReferences, .damaged, .needsSeeking,
            .tooLong:
            .badData
        }
    }

    private var advice: String {
        switch self {
        case .noSuchFile(_, let nearest?): "did you mean \(nearest)?"
        case .noSuchFile, .nameTooLong: "check the name and the folder"
        case .danglingLink: "use the recording itself, or fix the link"
        case .linkLoop: "fix the link"
        case .notPermitted: "change the permissions, or run as a user who may read it"
        case .isFolder: "name the files in it"
        case .notRegularFile: "use a recording; `live` transcribes a microphone"
        case .url: "whisper-local works offline: download the file first"
        case .inputClosed, .inputIsTerminal: "pipe a recording in, or name a file"
        case .tooManyOpenFiles: "close other programs, or raise the limit (`ulimit -n`)"
        case .emptyFile, .damagedWAV, .incompleteWAVHeader, .damaged: "copy or record it again"
        case .unsupportedCodec: "convert it with ffmpeg"
        case .channels: "select some of the channels with another program first"
        case .sampleRate: "resample it with another program, if the rate is correct"
        case .notAudio: "use a recording; for samples without a header add `--raw s16le:16000:1`"
        case .model: "the arguments may be swapped: pass the model with `--model`"
        case .playlist: "use the files it lists"
        case .noAudioTrack: "use a recording with audio"
        case .noSuchTrack: "select one of these with `--track`"
        case .encrypted: "save it without encryption, if you are allowed to"
        case .externalReferences: "use the files that contain the audio, or save a self-contained copy"
        case .needsSeeking, .readOnce: "save it to a file first"
        case .needsFFmpeg: "convert it to WAV, or build with FFmpeg's headers installed"
        case .ffmpegMissing(_, let packages):
            "install FFmpeg (`apt install \(packages.joined(separator: " "))`), or convert the recording to WAV"
        case .tooLong: "split it into parts"
        case .readFailed: "check the disk or the connection, and whether the file is still being written"
        case .decoderFailed: "convert it with another program"
        case .outOfMemory: "close other programs"
        case .cancelled: "start again"
        case .badRawFormat:
            "ENCODING:RATE:CHANNELS such as s16le:16000:1; encodings: "
                + SampleEncoding.allCases.map(\.rawValue).joined(separator: " ")
        }
    }
}

extension AudioFile.Warning {
    /// The warning with what to do about it.
    var text: String {
        if case .multipleTracks = self { return "\(self); select one with --track" }
        return description
    }
}

extension SampleStoreError: ReportedError {
    package var report: ErrorReport {
        ErrorReport(.inputOutput, description, advice: "free some space, or set TMPDIR to another folder")
    }
}

extension CaptureError: ReportedError {
    package var report: ErrorReport { ErrorReport(status, description + suggestion, advice: advice) }

    private var status: ExitStatus {
        switch self {
        case .noMicrophone, .unknownDevice, .unsuitable, .libraryMissing: .unavailable
        case .busy, .serverNotRunning, .noThread: .tryAgain
        case .notPermitted: .notPermitted
        case .lost, .failed: .inputOutput
        }
    }

    private var suggestion: String {
        guard case .unknownDevice(let name, let known) = self,
            let nearest = Suggestion.nearest(to: name, among: known)
        else { return "" }
        return "; did you mean \(ShellQuoting.quoted(nearest))?"
    }

    private var advice: String {
        switch self {
        case .noMicrophone:
            "connect a microphone, or start PulseAudio or PipeWire (`whisper-local doctor` lists the devices); "
                + "--file FILE transcribes a recording"
        case .unknownDevice(_, let known):
            known.isEmpty
                ? "omit the device to use the default"
                : "use one of: \(known.map { ShellQuoting.quoted($0) }.joined(separator: " "))"
        case .busy: "close the other program, or choose another device"
        case .notPermitted: "have an administrator add you to the group audio, or use PulseAudio or PipeWire"
        case .serverNotRunning: "start PulseAudio or PipeWire"
        case .unsuitable: "choose another device"
        case .lost: "reconnect it and start again"
        case .failed: "try again, or choose another device"
        case .libraryMissing: "apt install libasound2"
        case .noThread: "close other programs"
        }
    }
}

extension RecorderError: ReportedError {
    package var report: ErrorReport { ErrorReport(status, description, advice: advice) }

    private var status: ExitStatus {
        switch self {
        case .exists, .notARecording, .folderMissing, .notPermitted, .cannotCreate: .cannotCreate
        case .busy: .tryAgain
        case .diskFull, .writeFailed: .inputOutput
        }
    }

    private var advice: String {
        switch self {
        case .exists, .notARecording: "choose another name"
        case .busy: "stop the other process, or choose another name"
        case .folderMissing: "create the folder first"
        case .notPermitted, .cannotCreate: "choose a folder you can write to"
        case .diskFull: "free some space; transcription continues without recording"
        case .writeFailed: "check the disk; transcription continues without recording"
        }
    }
}
