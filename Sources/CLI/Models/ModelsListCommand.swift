import WhisperEngine

/// `models list`: the installed models, and those that can be downloaded.
enum ModelsListCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var printsJSON = false
        var printsNames = false
    }

    static let manual = CommandManual(
        name: "models list", summary: "List installed and available models", usage: ["[--json | --names]"],
        notes: [
            "Installed models are listed in the order in which they are searched; of several with the same name, the first "
                + "is used. `models pull` installs the available ones, and the networks for speech detection and for "
                + "speakers, which come last."
        ])

    static let flags: [Flag<Options>] = [
        .toggle("--json", in: .output, "print a JSON object instead of a table", sets: \.printsJSON, to: true),
        .toggle(
            "--names", in: .output, "print only the names of the installed models, one on each line",
            sets: \.printsNames, to: true),
    ]

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if let operand = operands.first { throw UsageError.unwantedOperand(operand) }
        let search = ModelCommands.search(context)
        let entries = entries(search.all())
        if options.printsNames {
            if options.printsJSON { throw UsageError.contradiction("--names", "--json", why: "they are two formats") }
            for entry in entries where entry.problem == nil && !entry.isHidden {
                try context.streams.writeOutput(line: Array(entry.model.name.utf8))
            }
            return .success
        }
        let names = Set(entries.filter { $0.problem == nil }.map(\.model.name))
        let available = ModelCatalogue.models.filter { !names.contains(where: $0.isNamed) }
        if options.printsJSON {
            try context.streams.writeOutput(TerminalText(json(entries, available, search)))
            return .success
        }
        try context.streams.writeOutput(TerminalText(table(entries, available, search)))
        for case (let model, let problem?) in entries.map({ ($0.model, $0.problem) }) {
            context.streams.writeError("note: \(ShellQuoting.quoted(model.name)) cannot be used: \(problem)\n")
        }
        for part in search.places.filter({ $0.owner == .own }).flatMap({ PartialDownload.all(in: $0.folder) }) {
            context.streams.writeError(
                "note: \(ShellQuoting.quoted(part.name)) is partly downloaded (\(ByteCount.text(part.bytes))); to resume: "
                    + "whisper-local models pull \(ShellQuoting.quoted(part.name)); to delete it: whisper-local models "
                    + "remove \(ShellQuoting.quoted(part.name))\n")
        }
        return .success
    }

    private struct Entry {
        let model: InstalledModel
        let stored: (any StoredModel)?
        /// Why the model cannot be used.
        let problem: String?
        /// An earlier place has a model of the same name.
        let isHidden: Bool
    }

    private static func entries(_ found: [FoundModel]) -> [Entry] {
        var names: Set<String> = []
        return found.map { found in
            let model = found.model
            switch found.state {
            case .usable, .onnx: break
            case .notPermitted:
                let report = ModelSearchError.notPermitted(model.path).report
                return Entry(model: model, stored: nil, problem: report.what, isHidden: false)
            case .incomplete:
                let report = ModelSearchError.incomplete(model).report
                return Entry(model: model, stored: nil, problem: report.what, isHidden: false)
            }
            let isHidden = !names.insert(model.name).inserted
            do throws(ModelError) {
                return Entry(model: model, stored: try ModelFamilies.open(model.path), problem: nil, isHidden: isHidden)
            } catch {
                return Entry(model: model, stored: nil, problem: error.report.what, isHidden: isHidden)
            }
        }
    }

    private static func table(
        _ entries: [Entry], _ available: [PublishedModel], _ search: ModelSearch
    ) -> String {
        var table = TextTable(header: ["NAME", "SIZE", "LANGUAGES", "TYPE", "WHERE"])
        table.rightAligned = [1]
        table.maximumWidths = [0: 40]
        table.rows = entries.map { entry in
            [
                ShellQuoting.quoted(entry.model.name), ByteCount.text(entry.model.bytes),
                entry.stored.map { LanguageText.of($0.traits.languages) } ?? "-", entry.stored?.mainType?.name ?? "-",
                entry.model.origin + (entry.isHidden ? ", not used" : ""),
            ]
        }
        table.rows += available.map { model in
            [
                model.name, model.bytes.map { ByteCount.text($0) } ?? "-",
                LanguageText.of(Language.all.prefix(model.languages)), model.type, "not installed",
            ]
        }
        table.rows += HelperNetwork.all.map { network in
            [
                network.name, ByteCount.text(network.bytes), "-", "f32",
                search.file(named: network.fileName)?.place.description ?? "not installed",
            ]
        }
        return table.text
    }

    private static func json(
        _ entries: [Entry], _ available: [PublishedModel], _ search: ModelSearch
    ) -> String {
        let installed = entries.map { entry in
            JSONText.object([
                ("name", JSONText.string(entry.model.name)),
                ("path", JSONText.string(String(decoding: entry.model.path.bytes, as: UTF8.self))),
                ("place", JSONText.string(entry.model.place.owner.rawValue)),
                ("repository", JSONText.string(entry.model.repository)), ("bytes", "\(entry.model.bytes)"),
                ("format", JSONText.string(entry.stored?.format)),
                ("type", JSONText.string(entry.stored?.mainType?.name)),
                ("languages", entry.stored.map { "\($0.traits.languages.count)" } ?? "null"),
                ("used", "\(!entry.isHidden && entry.problem == nil)"),
                ("problem", JSONText.string(entry.problem)),
            ])
        }
        let available = available.map { model in
            JSONText.object([
                ("name", JSONText.string(model.name)), ("bytes", model.bytes.map { "\($0)" } ?? "null"),
                ("type", JSONText.string(model.type)), ("languages", "\(model.languages)"),
                ("sha1", JSONText.string(model.sha1)), ("sha256", JSONText.string(model.sha256)),
            ])
        }
        let networks = HelperNetwork.all.map { network in
            let found = search.file(named: network.fileName)
            return JSONText.object([
                ("name", JSONText.string(network.name)), ("bytes", "\(network.bytes)"),
                ("path", JSONText.string(found.map { String(decoding: $0.path.bytes, as: UTF8.self) })),
                ("place", JSONText.string(found?.place.owner.rawValue)),
            ])
        }
        return JSONText.object([
            ("installed", JSONText.array(installed)), ("available", JSONText.array(available)),
            ("networks", JSONText.array(networks)),
        ]) + "\n"
    }
}
