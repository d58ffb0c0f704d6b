/// What `live --session` has kept.
enum HistoryGroup {
    static let group = CommandGroup(
        name: "history", summary: "Show, search, export and delete the sessions of `live --session`",
        notes: [
            "Sessions are in $XDG_DATA_HOME/whisper-local/sessions.db. A SESSION is a name, an id, or the first four "
                + "digits and more of an id."
        ],
        members: [
            HistoryListCommand.self, HistoryShowCommand.self, HistoryExportCommand.self, HistorySearchCommand.self,
            HistoryDeleteCommand.self, HistoryRecoverCommand.self,
        ])
}
