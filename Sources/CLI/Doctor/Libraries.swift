import WhisperEngine

/// The libraries compiled in, with the versions found at run time, and what the missing ones would give.
enum Libraries {
    static var described: [String] {
        let given = ProcessEnvironment.process.bytes(OpenBLASLibrary.coreTypeVariable)
        let choice = KernelChoice.described(given: given.map { String(decoding: $0, as: UTF8.self) })
        return [openBLAS] + (choice.map { ["  " + $0] } ?? []) + [oneDNN, ffmpeg, alsa]
    }

    private static var openBLAS: String {
        let library = OpenBLASLibrary.shared
        guard library.isInstalled else { return "OpenBLAS missing (libopenblas0)" }
        let core = library.coreName.map { ", \($0) kernels" } ?? ""
        let version = library.configuration?.split(separator: " ").prefix(2).joined(separator: " ") ?? "OpenBLAS"
        let variable = OpenBLASLibrary.coreTypeVariable
        let isGiven = ProcessEnvironment.process.bytes(variable) != nil
        return version + core + (library.coreTypeChosenHere ? " (chosen here)" : isGiven ? " (from $\(variable))" : "")
    }

    private static var ffmpeg: String {
        #if HAS_FFMPEG
            return FFmpegSource.libraryVersion.map { "FFmpeg libavformat \($0)" }
                ?? "FFmpeg missing: only WAV is read (\(FFmpegSource.libraryPackages.joined(separator: " ")))"
        #else
            return "FFmpeg missing: only WAV is read (libavformat-dev libavcodec-dev libswresample-dev libavutil-dev)"
        #endif
    }

    private static var alsa: String {
        ALSALibrary.shared.map { "ALSA \($0.version ?? "")" } ?? "ALSA missing: no microphones (libasound2)"
    }

    private static var oneDNN: String {
        OneDNNLibrary.version.map { "oneDNN \($0)" }
            ?? "oneDNN missing: matrices are multiplied by OpenBLAS (libdnnl2)"
    }
}
