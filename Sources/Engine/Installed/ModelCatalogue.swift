/// A published recognizer, which is one file.
package struct PublishedModel {
    /// openai-whisper's name of the model, with whisper.cpp's suffix if it is quantized: `base.en`, `large-v3-q5_0`.
    package let name: String
    /// The name of the file when it is installed.
    package let fileName: String
    /// The name of its repository, if it has one of its own: `parakeet-tdt-0.6b-v3`.
    fileprivate let repository: String?
    /// Where the file is, if not beside whisper.cpp's.
    package let address: String?
    /// The size of the file, if it is known.
    package let bytes: Int?
    /// The digest of the file, in lower-case hexadecimal digits.
    package let sha1: String?
    package let sha256: String?
    /// The type of its weights.
    package let type: String
    /// The number of languages that it knows.
    package let languages: Int

    /// whisper.cpp's file `ggml-NAME.bin`.
    fileprivate init(_ name: String, bytes: Int, sha1: String) {
        self.name = name
        fileName = "ggml-\(name).bin"
        repository = nil
        (address, self.bytes, self.sha1, sha256) = (nil, bytes, sha1, nil)
        let suffix = name.split(separator: "-").last.map(String.init) ?? ""
        type = suffix.hasPrefix("q") ? suffix : "f16"
        // Large-v3 and its descendants know Cantonese, too.
        languages = name.hasSuffix(".en") || name.contains(".en-") ? 1 : name.hasPrefix("large-v3") ? 100 : 99
    }

    /// A model of NVIDIA's, in a repository of its name.
    fileprivate init(
        _ name: String, of repository: String, file: String, bytes: Int?, sha256: String?, type: String, languages: Int
    ) {
        self.name = name
        fileName = name + "." + (file.split(separator: ".").last ?? "")
        self.repository = repository
        address = "https://huggingface.co/nvidia/\(repository)/resolve/main/\(file)"
        (self.bytes, sha1, self.sha256) = (bytes, nil, sha256)
        (self.type, self.languages) = (type, languages)
    }

    /// The names that its file may have: its own, and the one that its publisher gave it.
    package var names: [String] { [name] + [repository].compactMap { $0 } }

    /// The types that end the names of a model's versions, the most precise first.
    private static let types = ["f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0"]

    /// The place of a model's name among those of the versions of this one, such as `parakeet-tdt-0.6b-v3.q8_0`; `nil`
    /// if it is none. Whisper's quantized models are published models of their own.
    package func rank(ofVersion name: String) -> Int? {
        guard repository != nil, let base = names.first(where: { name.hasPrefix($0) }) else { return nil }
        let end = name.dropFirst(base.count)
        return [".", "-"].contains(end.prefix(1)) ? Self.types.firstIndex(of: end.dropFirst().lowercased()) : nil
    }

    /// The first of these names that is one of this model's, or else of its most precise version.
    package func best(among names: [String]) -> String? {
        if let name = self.names.first(where: names.contains) { return name }
        let versions = names.compactMap { name in rank(ofVersion: name).map { (name: name, rank: $0) } }
        return versions.min { $0.rank < $1.rank }?.name
    }

    /// Whether a model's name is one of this model, or of a version of it.
    package func isNamed(_ name: String) -> Bool { names.contains(name) || rank(ofVersion: name) != nil }
}

/// The models in whisper.cpp's download list that have a published digest, and NVIDIA's own files of Parakeet.
///
/// The digests are whisper.cpp's own. The sizes follow from the models' dimensions and vocabularies; those of tiny.en,
/// base.en and medium were compared with the published files. Size and digest of Parakeet are those with which other
/// programs check NVIDIA's file; of version 2, there is only a NeMo file, of which neither is published.
package enum ModelCatalogue {
    /// In the order of their families: English-only before multilingual, quantized before full precision.
    package static let models: [PublishedModel] = [
        PublishedModel("tiny.en", bytes: 77_704_715, sha1: "c78c86eb1a8faa21b369bcd33207cc90d64ae9df"),
        PublishedModel("tiny", bytes: 77_691_713, sha1: "bd577a113a864445d4c299885e0cb97d4ba92b5f"),
        PublishedModel("base.en", bytes: 147_964_211, sha1: "137c40403d78fd54d454da0f9bd998f78703390c"),
        PublishedModel("base", bytes: 147_951_465, sha1: "465707469ff3a37a2b9b8d8f89f2f99de7299dac"),
        PublishedModel("small.en", bytes: 487_614_201, sha1: "db8a495a91d927739e50b3fc1cc4c6b8f6c2d022"),
        PublishedModel("small", bytes: 487_601_967, sha1: "55356645c2b361a969dfd0ef2c5a50d530afd8d5"),
        PublishedModel("medium.en", bytes: 1_533_774_781, sha1: "8c30f0e44ce9560643ebd10bbe50cd20eafd3723"),
        PublishedModel("medium", bytes: 1_533_763_059, sha1: "fd9727b6e1217c2f614f9b698455c4ffd82463b4"),
        PublishedModel("large-v3-turbo-q5_0", bytes: 574_041_195, sha1: "e050f7970618a659205450ad97eb95a18d69c9ee"),
        PublishedModel("large-v3-turbo", bytes: 1_624_555_275, sha1: "4af2b29d7ec73d781377bfd1758ca957a807e941"),
        PublishedModel("large-v1", bytes: 3_094_623_691, sha1: "b1caaf735c4cc1429223d5a74f0f4d0b9b59a299"),
        PublishedModel("large-v2-q5_0", bytes: 1_080_732_091, sha1: "00e39f2196344e901b3a2bd5814807a769bd1630"),
        PublishedModel("large-v2", bytes: 3_094_623_691, sha1: "0f4c8e34f21cf1a914c59d8b3ce882345ad349d6"),
        PublishedModel("large-v3-q5_0", bytes: 1_081_140_203, sha1: "e6e2ed78495d403bef4b7cff42ef4aaadcfea8de"),
        PublishedModel("large-v3", bytes: 3_095_033_483, sha1: "ad82bf6a9043ceed055076d0fd39f5f186ff8062"),
        PublishedModel(
            "parakeet-v2", of: "parakeet-tdt-0.6b-v2", file: "parakeet-tdt-0.6b-v2.nemo", bytes: nil, sha256: nil,
            type: "f32", languages: 1),
        PublishedModel(
            "parakeet-v3", of: "parakeet-tdt-0.6b-v3", file: "parakeet-tdt-0.6b-v3.q8_0.gguf", bytes: 713_975_456,
            sha256: "e3880d0aaaaf2c308ea2c35016b2b895c423eb3fda924c1b463d1c19b7f4d32e", type: "q8_0", languages: 25),
    ]

    /// The names of everything that can be pulled.
    package static let names = models.map(\.name) + HelperNetwork.all.map(\.name)

    /// The published digest of the file `ggml-NAME.bin`.
    package static func digest(named name: String) -> String? {
        models.first { $0.name == name }?.sha1 ?? elsewhere[name]
    }

    /// Digests of models that are published in other places than the rest.
    private static let elsewhere = ["small.en-tdrz": "b6c6e7e89af1a35c08e6de56b66ca6a02a2fdfa1"]

    /// Short names for the newest models.
    package static let aliases = ["large": "large-v3", "turbo": "large-v3-turbo", "parakeet": "parakeet-v3"]

    /// Whether a name is that of a published model with a suffix that whisper.cpp gives to quantized ones. Most of these
    /// are published, too, but without digests.
    package static func isQuantized(_ name: String) -> Bool {
        ["-q5_0", "-q5_1", "-q8_0"].contains { suffix in
            name.hasSuffix(suffix) && models.contains { $0.name + suffix == name }
        }
    }

    /// A name and the others of the published model that it stands for.
    package static func spellings(of name: [UInt8]) -> [[UInt8]] {
        let names = model(named: String(decoding: name, as: UTF8.self))?.names ?? []
        return [name] + names.map { Array($0.utf8) }.filter { $0 != name }
    }

    /// The published model with this name, or with the name that this alias stands for.
    package static func model(named name: String) -> PublishedModel? {
        let full = aliases[name] ?? name
        return models.first { $0.names.contains(full) }
    }

    /// NVIDIA's repositories on the Hugging Face hub by the names of their models.
    static let repositories = Dictionary(
        uniqueKeysWithValues: models.compactMap { model in model.repository.map { (model.name, "nvidia/" + $0) } })
}
