import WhisperEngine

/// What the program reads besides its command line, and what its exit status means: part of `whisper-local --help` and of
/// the man page.
enum Surroundings {
    /// An empty variable counts as unset.
    static let environment: [(String, String)] = [
        (ModelChoice.variable, "the model to use without --model"),
        (ModelSearch.variable, "folders to search for models, separated by colons"),
        (ModelSource.variable, "the server that `models pull` downloads from"),
        (ServeOptions.unloadVariable, "when `serve` unloads an idle model without --unload-after"),
        (AudioInput.deviceVariable, "the microphone to use without --device"),
        (Processor.instructionSetVariable, "the newest processor instructions to use; see `doctor --help`"),
        (OpenBLASLibrary.coreTypeVariable, "the kernels that OpenBLAS uses"),
        ("XDG_CONFIG_HOME, XDG_DATA_HOME", "where the files below are, if not in ~/.config and ~/.local/share"),
        ("XDG_CACHE_HOME", "where other programs keep models, if not in ~/.cache"),
        ("HF_HUB_CACHE, HF_HOME", "where Hugging Face's programs keep models"),
        ("XDG_RUNTIME_DIR, TMPDIR", "where temporary files go"),
        ("https_proxy, no_proxy, SSL_CERT_FILE, SSL_CERT_DIR", "how `models pull` connects, as for curl"),
        ("NO_COLOR, TERM", "no colors with NO_COLOR, or on a terminal whose type is dumb"),
    ]

    static let files: [(String, String)] = [
        ("$XDG_CONFIG_HOME/whisper-local/config", "options for every run, one per line, as on the command line"),
        ("$XDG_DATA_HOME/whisper-local/models/", "downloaded models"),
        ("$XDG_DATA_HOME/whisper-local/sessions.db", "the sessions of `live` and `dictate`"),
        ("$XDG_DATA_HOME/whisper-local/voices.json", "enrolled voices"),
        (".NAME.stamp", "next to outputs: the model and the options that made them, for --skip-existing"),
    ]

    static var statuses: [(String, String)] { ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) } }
}
