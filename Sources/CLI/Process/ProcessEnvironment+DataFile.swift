import WhisperEngine

extension ProcessEnvironment {
    /// A file in `dataFolder`.
    ///
    /// - Parameter use: what it is needed for, such as `keep voices`.
    /// - Throws: a report if there is no such folder.
    func dataFile(_ name: String, to use: String) throws(ErrorReport) -> FilePath {
        guard let dataFolder else {
            throw ErrorReport(
                .cannotCreate, "nowhere to \(use): neither XDG_DATA_HOME nor HOME is an absolute path",
                advice: "set XDG_DATA_HOME to a folder of your own")
        }
        return dataFolder.appending(name)
    }
}
