import WhisperEngine

/// The file of the enrolled voices, which only its user may read.
///
/// It is JSON: `{"version":1,"network":"CAM++","voices":[{"name":…,"enrolled":…,"speech":…,"vector":[…]}]}`.
struct VoiceStore {
    struct Entry: Hashable {
        let voice: KnownVoice
        let enrolled: WallTime
        /// Seconds of speech that the vector is the mean of.
        let seconds: Double
    }

    private static let version = 1
    /// Vectors of other networks cannot be compared.
    private static let network = "CAM++"
    private static let maxVoices = 1000
    private static let maxBytes = 8 << 20
    private static let maxNameBytes = 100

    let path: FilePath
    /// In the order of their names.
    private(set) var entries: [Entry] = []

    /// Reads the file; without it, no voices are enrolled.
    init(_ path: FilePath) throws(VoiceStoreError) {
        self.path = path
        switch FileSystem.contents(of: path, atMost: Self.maxBytes) {
        case .success(let bytes): entries = try Self.entries(bytes, of: path)
        case .failure(.missing): break
        case .failure(.tooLarge): throw .damaged(path, why: "is larger than \(ByteCount.text(Self.maxBytes))")
        case .failure(.notAFile): throw .damaged(path, why: "is not a file")
        case .failure: throw .unreadable(path)
        }
    }

    /// Changes the voices, with the file locked against other processes that change it.
    static func change(_ path: FilePath, _ body: (inout VoiceStore) -> Void) throws(VoiceStoreError) {
        do { try PrivateFile.createFolder(path.folder) } catch { throw .disk(error.fault.outputError(at: error.path)) }
        let lock: LockFile, lockPath = path.folder.appending(".voices.json.lock")
        do { lock = try LockFile(lockPath, mode: 0o600) } catch {
            switch error {
            case .held: throw .busy(path)
            case .foreign: throw .disk(.notALock(lockPath))
            case .failed(let fault): throw .disk(fault.outputError(at: lockPath))
            }
        }
        defer { lock.release() }
        var store = try VoiceStore(path)
        body(&store)
        guard store.entries.count <= maxVoices else { throw .full(path, limit: maxVoices) }
        if store.entries.isEmpty { return AtomicFile.remove(path) }
        do {
            try AtomicFile.write(Array(text(of: store.entries).utf8), to: path, isPrivate: true)
        } catch { throw .disk(error) }
    }

    /// Adds a voice; it replaces one of the same name.
    mutating func add(_ entry: Entry) {
        entries.removeAll { $0.voice.name == entry.voice.name }
        entries.append(entry)
        entries.sort { $0.voice.name < $1.voice.name }
    }

    mutating func remove(_ names: Set<String>) { entries.removeAll { names.contains($0.voice.name) } }

    /// Whether a voice may have this name: it must fit on a line, and must not be a label such as `speaker 1`.
    static func isValid(name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= maxNameBytes && name == WhiteSpace.strip(name)
            && name == name.replacingControlCharacters() && SpeakerNaming.number(in: name) == nil
    }

    /// The content of a file with these voices.
    static func text(of entries: [Entry]) -> String {
        let voices = entries.map { entry in
            JSONText.object([
                ("name", JSONText.string(entry.voice.name)), ("enrolled", JSONText.string(entry.enrolled.description)),
                ("speech", JSONText.number(entry.seconds)),
                ("vector", JSONText.array(entry.voice.vector.map { JSONText.number(Double($0), decimals: 1e6) })),
            ])
        }
        return JSONText.object([
            ("version", "\(version)"), ("network", JSONText.string(network)), ("voices", JSONText.array(voices)),
        ]) + "\n"
    }

    private static func entries(_ bytes: [UInt8], of path: FilePath) throws(VoiceStoreError) -> [Entry] {
        let file: JSONValue
        do { file = try JSONValue(bytes, depth: 4, members: maxVoices * (KnownVoice.size + 10)) } catch {
            throw .damaged(path, why: "is not valid JSON")
        }
        guard case .number(let version)? = file["version"], let number = Int(version), number >= 1 else {
            throw .damaged(path, why: "has no version")
        }
        guard number == Self.version, file["network"]?.string == network else { throw .newer(path) }
        guard case .array(let voices)? = file["voices"], voices.count <= maxVoices else {
            throw .damaged(path, why: "has no list of voices")
        }
        var entries: [Entry] = []
        for voice in voices {
            guard let entry = entry(voice) else {
                throw .damaged(path, why: "has a voice that is not valid (number \(entries.count + 1))")
            }
            if entries.contains(where: { $0.voice.name == entry.voice.name }) {
                throw .damaged(path, why: "has two voices called \(ShellQuoting.inQuotes(entry.voice.name.utf8))")
            }
            entries.append(entry)
        }
        return entries
    }

    /// - Returns: `nil` if something is missing or invalid.
    private static func entry(_ value: JSONValue) -> Entry? {
        guard let name = value["name"]?.string, isValid(name: name),
            let enrolled = value["enrolled"]?.string.flatMap(WallTime.init),
            case .number(let speech)? = value["speech"], let seconds = Double(speech),
            seconds >= 0, seconds < 1e9, case .array(let numbers)? = value["vector"], numbers.count == KnownVoice.size
        else { return nil }
        let vector = numbers.compactMap { number -> Float? in
            if case .number(let digits) = number { Float(digits) } else { nil }
        }
        let square = vector.reduce(0) { $0 + $1 * $1 }
        guard vector.count == numbers.count, abs(square - 1) < 1e-3 else { return nil }
        return Entry(voice: KnownVoice(name: name, vector: vector), enrolled: enrolled, seconds: seconds)
    }
}

/// Why known voices cannot be read or changed.
enum VoiceStoreError: Error, Equatable {
    case unreadable(FilePath)
    /// - Parameter why: a predicate.
    case damaged(FilePath, why: String)
    /// Of a later version of this program, or with vectors of another network.
    case newer(FilePath)
    /// Another process is changing it.
    case busy(FilePath)
    case full(FilePath, limit: Int)
    case disk(OutputError)
    case unknown([UInt8], nearest: String?)
}

extension VoiceStoreError: ReportedError {
    var report: ErrorReport {
        switch self {
        case .unreadable(let path):
            ErrorReport(.notPermitted, "cannot read \(path)", advice: "check its permissions and those of its folder")
        case .damaged(let path, let why):
            ErrorReport(
                .badData, "\(path), the file of known voices, \(why)",
                advice: "mv \(path) \(path.adding(".damaged")) and enroll the voices again")
        case .newer(let path):
            ErrorReport(
                .badData, "\(path) was written by another version of this program",
                advice: "update whisper-local, or move the file away and enroll the voices again")
        case .busy(let path):
            ErrorReport(.tryAgain, "another process is changing \(path)", advice: "run again when it has finished")
        case .full(let path, let limit):
            ErrorReport(
                .usage, "\(path) can have at most \(limit) voices",
                advice: "remove some first: whisper-local speakers remove NAME")
        case .disk(let error): error.conversionReport
        case .unknown(let name, let nearest):
            ErrorReport(
                .noInput,
                "no voice named \(ShellQuoting.inQuotes(name)) is enrolled"
                    + (nearest.map { "; did you mean \(ShellQuoting.inQuotes($0.utf8))?" } ?? ""),
                advice: "whisper-local speakers list")
        }
    }
}
