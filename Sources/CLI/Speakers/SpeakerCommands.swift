import WhisperEngine

/// The `speakers` commands: the voices by which `--known-speakers` names speakers.
enum SpeakerCommands {
    static let group = CommandGroup(
        name: "speakers", summary: "Enroll, list, remove and export known voices",
        notes: [
            "With --speakers --known-speakers, `transcribe` and `live` name the speakers whose voices have been enrolled. "
                + "Of each voice, only 192 numbers are kept, in $XDG_DATA_HOME/whisper-local/voices.json, which only you "
                + "can read; no audio is kept, and nothing leaves this computer.",
            "Voice prints are personal data, in many countries biometric data under special protection: they identify people "
                + "in other recordings. Ask people before you enroll them, and remove voices that you no longer need.",
        ],
        members: [
            SpeakersEnrollCommand.self, SpeakersListCommand.self, SpeakersRemoveCommand.self,
            SpeakersExportCommand.self,
        ])

    /// The enrolled voices.
    ///
    /// - Throws: `VoiceStoreError`, or a report if there is no folder for their file.
    static func voices(_ environment: ProcessEnvironment) throws -> VoiceStore {
        try VoiceStore(environment.dataFile("voices.json", to: "keep voices"))
    }

    /// The voices with these names, in their order and without repetition.
    static func chosen(_ operands: [[UInt8]], from store: VoiceStore) throws(VoiceStoreError) -> [VoiceStore.Entry] {
        var chosen: [VoiceStore.Entry] = []
        for operand in operands {
            let name = String(decoding: operand, as: UTF8.self)
            guard let entry = store.entries.first(where: { $0.voice.name == name }) else {
                throw .unknown(
                    operand, nearest: Suggestion.nearest(to: name, among: store.entries.map(\.voice.name)))
            }
            if !chosen.contains(entry) { chosen.append(entry) }
        }
        return chosen
    }
}
