/// Names of sound and video files, for walks through folders; a file that is named itself is always tried.
enum MediaType {
    #if HAS_FFMPEG
        private static let extensions: Set<String> = [
            "3gp", "aac", "ac3", "aif", "aiff", "amr", "ape", "asf", "au", "avi", "caf", "dsf", "eac3", "flac", "m2ts",
            "m4a", "m4b", "m4v", "mka", "mkv", "mov", "mp2", "mp3", "mp4", "mpeg", "mpg", "mts", "oga", "ogg", "opus",
            "snd", "ts", "tta", "w64", "wav", "webm", "wma", "wmv", "wv",
        ]
    #else
        private static let extensions: Set<String> = ["wav"]
    #endif

    static func isMedia(lowercasedExtension: String) -> Bool { extensions.contains(lowercasedExtension) }
}
