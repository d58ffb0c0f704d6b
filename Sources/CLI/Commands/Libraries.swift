// Invariant: versions are numbers, or static texts of the libraries that are copied at once.
import CALSA
import CZlib
import WhisperEngine

#if HAS_FFMPEG
    import CFFmpeg
#endif
#if HAS_ONEDNN
    import COneDNN
#endif

/// The libraries compiled in, with the versions found at run time, and what the missing ones would give.
enum Libraries {
    static var described: [String] { [openBLAS, oneDNN, ffmpeg, alsa, zlib] }

    private static var openBLAS: String {
        let library = OpenBLASLibrary.shared
        guard library.isInstalled else { return "OpenBLAS missing: install libopenblas0" }
        let core = library.coreName.map { ", \($0) kernels" } ?? ""
        let version = library.configuration?.split(separator: " ").prefix(2).joined(separator: " ") ?? "OpenBLAS"
        let variable = OpenBLASLibrary.coreTypeVariable
        let isGiven = ProcessEnvironment.process.bytes(variable) != nil
        return version + core + (library.coreTypeChosenHere ? " (chosen here)" : isGiven ? " (from $\(variable))" : "")
    }

    private static var ffmpeg: String {
        #if HAS_FFMPEG
            let version = avformat_version()
            return "FFmpeg libavformat \(version >> 16).\(version >> 8 & 0xff).\(version & 0xff)"
        #else
            return "FFmpeg missing: only WAV is read (libavformat-dev libavcodec-dev libswresample-dev libavutil-dev)"
        #endif
    }

    private static var oneDNN: String {
        #if HAS_ONEDNN
            guard let version = unsafe dnnl_version() else { return "oneDNN" }
            return unsafe "oneDNN \(version.pointee.major).\(version.pointee.minor).\(version.pointee.patch)"
        #else
            return "oneDNN missing: float32 through OpenBLAS only (libdnnl-dev)"
        #endif
    }

    private static var alsa: String {
        guard let version = unsafe snd_asoundlib_version() else { return "ALSA" }
        return "ALSA \(unsafe String(cString: version))"
    }

    private static var zlib: String {
        guard let version = unsafe zlibVersion() else { return "zlib" }
        return "zlib \(unsafe String(cString: version))"
    }
}
