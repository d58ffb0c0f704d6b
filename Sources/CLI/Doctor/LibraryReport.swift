import WhisperEngine

#if HAS_SOUP
    import WhisperServer
#endif

/// What `doctor` reports about number formats and libraries: versions, speed, and what missing libraries would add.
enum LibraryReport {
    /// A line per number format, with its speed on this processor.
    static func numberFormats() throws -> [String] {
        let types = ComputeType.allCases.filter { $0 != .auto }
        let lines = try types.map { type in
            guard let speed = try type.measuredSpeed() else {
                return "\(type.rawValue): no fast kernels for this processor; the encoder uses float32"
            }
            let share = 100 * speed.gigaflops / max(1, speed.peakGigaflops)
            return "\(type.rawValue): \(Int(speed.gigaflops.rounded())) GFLOPS on one core, "
                + "\(Int(share.rounded())) % of its peak; kernels: \(speed.kernels)"
        }
        return lines + ["--compute-type auto is \(ComputeType.auto.resolved.rawValue) here"]
    }

    static func libraries() -> [String] {
        let given = ProcessEnvironment.process.bytes(OpenBLASLibrary.coreTypeVariable)
        let speeds = OpenBLASKernels.comparison(given: given.map { String(decoding: $0, as: UTF8.self) })
        return [openBLAS] + (speeds.map { ["  " + $0] } ?? []) + [ffmpeg, alsa, curl, soup]
    }

    private static var openBLAS: String {
        let library = OpenBLASLibrary.shared
        guard library.isInstalled else { return "OpenBLAS missing: no `--backend openblas` (libopenblas0)" }
        let core = library.coreName.map { ", \($0) kernels" } ?? ""
        let version = library.configuration?.split(separator: " ").prefix(2).joined(separator: " ") ?? "OpenBLAS"
        let variable = OpenBLASLibrary.coreTypeVariable
        let isGiven = ProcessEnvironment.process.bytes(variable) != nil
        return version + core
            + (library.coreTypeChosenHere ? " (chosen by this program)" : isGiven ? " (from $\(variable))" : "")
    }

    private static var ffmpeg: String {
        #if HAS_FFMPEG
            return FFmpegSource.libraryVersion.map { "FFmpeg libavformat \($0)" }
                ?? "FFmpeg missing: only WAV can be read (\(FFmpegSource.libraryPackages.joined(separator: " ")))"
        #else
            return
                "FFmpeg missing: only WAV can be read (libavformat-dev libavcodec-dev libswresample-dev libavutil-dev)"
        #endif
    }

    private static var alsa: String {
        ALSALibrary.shared.map { "ALSA \($0.version ?? "")" } ?? "ALSA missing: no microphones (libasound2)"
    }

    private static var curl: String {
        CurlLibrary.version.map { "libcurl \($0)" } ?? "libcurl missing: no models can be downloaded (libcurl4)"
    }

    private static var soup: String {
        #if HAS_SOUP
            return SoupLibrary.version.map { "libsoup \($0)" }
                ?? "libsoup missing: no `whisper-local serve` (\(SoupLibrary.package))"
        #else
            return "libsoup missing: no `whisper-local serve` (libsoup-3.0-dev)"
        #endif
    }
}

/// Compares the speeds of OpenBLAS's kernels on this machine.
///
/// The kernels can only be chosen before the library is loaded, so each choice is measured in a separate process.
enum OpenBLASKernels {
    /// Set in the measuring process, which prints only the kernels' name and speed.
    private static let variable = "WHISPER_LOCAL_MEASURE_OPENBLAS"

    static func isMeasuring(_ environment: ProcessEnvironment) -> Bool { environment.bytes(variable) != nil }

    /// The output of the measuring process: name of the kernels, a space, 10⁹ operations per second.
    static func measurement() throws -> String {
        let library = OpenBLASLibrary.shared
        return "\(library.coreName ?? "unknown") \(Int(try library.measuredGigaflops().rounded()))\n"
    }

    /// A line for `doctor`, or `nil` if a measurement failed.
    ///
    /// - Parameter given: the user's choice of kernels, if any.
    static func comparison(given: String?) -> String? {
        guard let own = measure(["\(OpenBLASLibrary.choiceVariable)=own"]), let ours = measure([]) else { return nil }
        var parts = ["\(own.speed) with OpenBLAS's choice (\(own.kernels))"]
        func add(_ choice: String, _ other: (kernels: String, speed: Int)) {
            let ratio = (Double(other.speed) / Double(max(1, own.speed)) * 100).rounded() / 100
            parts.append("\(other.speed) with \(choice) (\(other.kernels)), \(ratio) times as fast")
        }
        if ours.kernels != own.kernels { add("this program's choice", ours) }
        let variable = OpenBLASLibrary.coreTypeVariable
        if let given, let users = measure(["\(variable)=\(given)"]) { add("yours", users) }
        return "GFLOPS on one core: " + parts.joined(separator: "; ")
    }

    private static func measure(_ environment: [String]) -> (kernels: String, speed: Int)? {
        let fields = ChildProcess.output(["doctor"], environment: ["\(variable)=1"] + environment)?
            .split { $0 == " " || $0 == "\n" }
        guard let fields, fields.count == 2, let speed = Int(fields[1]) else { return nil }
        return (String(fields[0]), speed)
    }
}
