import Testing
import WhisperEngine
import WhisperCommands

@Suite("Reports of model errors")
struct ModelErrorReportTests {
    static let path = FilePath("tiny model.bin")
    static let again = "download it again; it is damaged or incomplete"

    static let cases: [(ModelError, String, String, ModelError.Category)] = [
        (
            .noFile(path: path), "no model at 'tiny model.bin'",
            "check the path, or run `whisper-local models list`", .unavailable
        ),
        (
            .notPermitted(path: path), "cannot read the model 'tiny model.bin': permission denied",
            "make the file readable", .noPermission
        ),
        (
            .isFolder(path: path), "'tiny model.bin' is a folder, not a model file", "specify a file", .data
        ),
        (
            .notRegularFile(path: path), "'tiny model.bin' is a device or a pipe, not a model file",
            "specify a regular file", .data
        ),
        (
            .notReadable(path: path, errno: 5), "cannot read the model 'tiny model.bin'",
            "check the disk or network drive", .ioError
        ),
        (
            .notReadable(path: path, errno: 24),
            "too many open files or not enough memory to open the model 'tiny model.bin'",
            "close other programs and try again", .outOfResources
        ),
        (
            .changedWhileRead(path: path), "the model 'tiny model.bin' was changed while it was being loaded",
            "wait until the program that writes it has finished", .ioError
        ),
        (.empty(path: path), "'tiny model.bin' is an empty file, not a model", again, .data),
        (.tooShort(path: path, bytes: 1), "'tiny model.bin' is too short to be a model (1 byte)", again, .data),
        (
            .anotherFormat(path: path, looksLike: "a GGUF file", instead: "another"),
            "cannot use 'tiny model.bin' as a model: it is a GGUF file", "another", .data
        ),
        (
            .unknownFormat(path: path, firstBytes: [0, 10, 255]),
            "'tiny model.bin' is not in a known model format (first bytes 00 0a ff)", again, .data
        ),
        (
            .badField(path: path, field: "n_mels", found: 79, expected: "80 or 128"),
            "'tiny model.bin': n_mels is 79, expected 80 or 128", again, .data
        ),
        (
            .badVocabulary(path: path, entry: 7, offset: 64_416, problem: "has 4097 bytes"),
            "'tiny model.bin': vocabulary entry 7 at offset 64416 has 4097 bytes", again, .data
        ),
        (
            .damagedVocabulary(path: path), "'tiny model.bin': the vocabulary was damaged by an old converter",
            "download the current ggml file; this one would lose most accented and non-Latin letters", .data
        ),
        (
            .badHeader(path: path, problem: "is missing a colon at offset 9"),
            "'tiny model.bin': the header is missing a colon at offset 9", again, .data
        ),
        (
            .badRecord(path: path, offset: 9, problem: "has 5 dimensions"),
            "'tiny model.bin': tensor record at offset 9 has 5 dimensions", again, .data
        ),
        (
            .unsupportedType(path: path, tensor: "t", type: "Q4_K"),
            "'tiny model.bin': tensor t is stored as Q4_K, which is not supported",
            "convert the model to f16, q5_0 or q8_0", .data
        ),
        (
            .unknownTensor(path: path, name: "\u{1b}x", offset: 9),
            #"'tiny model.bin': unknown tensor $'\x1bx' at offset 9"#, again, .data
        ),
        (.duplicateTensor(path: path, name: "t"), "'tiny model.bin': duplicate tensor t", again, .data),
        (.missingTensors(path: path, names: ["t"]), "'tiny model.bin': 1 tensor missing: t", again, .data),
        (
            .missingTensors(path: path, names: ["t", "u", "v", "w"]),
            "'tiny model.bin': 4 tensors missing: t, u, v, …", again, .data
        ),
        (
            .wrongShape(path: path, tensor: "t", expected: [2, 3], found: [3, 2]),
            "'tiny model.bin': tensor t has the shape [3, 2], expected [2, 3]", again, .data
        ),
        (
            .oddRow(path: path, tensor: "t", row: 48, block: 32),
            "'tiny model.bin': rows of tensor t have 48 elements, not a multiple of 32", again, .data
        ),
        (
            .headerCut(path: path, bytes: 50, part: "mel filters"),
            "'tiny model.bin' is truncated: it ends after 50 bytes, inside its mel filters", again, .data
        ),
        (
            .truncated(path: path, bytes: 41_943_040, promised: 77_704_715),
            "'tiny model.bin' is truncated: it ends after 41943040 of 77704715 bytes", again, .data
        ),
        (
            .trailingBytes(path: path, count: 1, offset: 100),
            "'tiny model.bin': 1 unexpected byte at offset 100, after the last tensor", again, .data
        ),
        (
            .notFinite(path: path, tensor: "t", index: 7),
            "'tiny model.bin': element 7 of tensor t is not a finite number",
            "download it again; a model fine-tuned in 16 bits may have overflowed", .data
        ),
        (
            .badContents(path: path, problem: "is not a list"), "'tiny model.bin' is not a list", again, .data
        ),
        (
            .badSetting(path: path, key: "k", found: "1", expected: "2"), "'tiny model.bin': k is 1, expected 2", again,
            .data
        ),
        (
            .untiedOutput(path: path, tensor: "t"),
            "'tiny model.bin': tensor t differs from the token embedding; an untied output layer is not supported",
            "use a model with tied embeddings", .data
        ),
        (
            .missingFiles(path: path, names: ["a", "b"], purpose: "the weights"),
            "'tiny model.bin': a, b missing (the weights)", "download the whole folder again", .data
        ),
        (
            .noModelInFolder(path: path, names: []), "'tiny model.bin' is an empty folder, not a model",
            "specify a ggml file, or a CTranslate2 or Hugging Face folder with its config.json", .data
        ),
        (
            .noModelInFolder(path: path, names: (0..<10).map { FilePath("\u{1b}\($0)") }),
            #"'tiny model.bin' is a folder without a model; it contains $'\x1b0', $'\x1b1', $'\x1b2', $'\x1b3', "#
                + #"$'\x1b4', $'\x1b5', $'\x1b6', $'\x1b7', … (10 in all)"#,
            "specify a ggml file, or a CTranslate2 or Hugging Face folder with its config.json", .data
        ),
        (
            .severalModels(path: path, names: [FilePath("a"), FilePath("b")]),
            "'tiny model.bin' is a folder with several models: a, b", "specify one of the files", .data
        ),
        (
            .vocabularyOnly(path: path), "'tiny model.bin' contains a vocabulary but no weights; it is a test file",
            "use the ggml file of the whole model", .data
        ),
        (
            .noArchiveDirectory(path: path, bytes: 1),
            "'tiny model.bin' is truncated: it ends after 1 byte, "
                + "before its ZIP directory", again, .data
        ),
        (
            .badArchive(path: path, problem: "has a damaged end record"),
            "'tiny model.bin': the ZIP archive has a damaged end record", again, .data
        ),
        (
            .badPickle(path: path, offset: 7, problem: "STOP is missing"),
            "'tiny model.bin': data.pkl, offset 7: STOP is missing", again, .data
        ),
        (
            .foreignName(path: path, name: "os.system"),
            "'tiny model.bin' refers to os.system, which no weight file needs; nothing was executed",
            "use a model from a source that you trust, and do not load this one anywhere", .data
        ),
        (
            .badCheckpoint(path: path, problem: "has no number n_mels in dims"),
            "'tiny model.bin': the checkpoint has no number n_mels in dims", again, .data
        ),
        (
            .otherCheckpoint(path: path, keys: ["epoch", "a b"]),
            "'tiny model.bin' is not a Whisper checkpoint: expected the keys dims and model_state_dict, found epoch, "
                + "'a b'",
            "use OpenAI's .pt file; Hugging Face's pytorch_model.bin needs the folder with its config.json", .data
        ),
        (
            .otherCheckpoint(path: path, keys: ["1", "2", "3", "4", "5", "6", "7"]),
            "'tiny model.bin' is not a Whisper checkpoint: expected the keys dims and model_state_dict, found 1, 2, 3, "
                + "4, 5, 6, …",
            "use OpenAI's .pt file; Hugging Face's pytorch_model.bin needs the folder with its config.json", .data
        ),
        (
            .badTensor(path: path, tensor: "t", problem: "is not a tensor"),
            "'tiny model.bin': tensor t is not a tensor", again, .data
        ),
        (
            .notEnoughMemory(path: path, needs: 6_540_000_000, available: 2_003_000_000),
            "'tiny model.bin' needs about 6.54 GB of memory, but only 2.00 GB is available",
            "use a smaller model, close other programs, or raise the limit if there is one (ulimit -v)", .outOfResources
        ),
    ]

    @Test("an error has a description, advice and a category", arguments: cases)
    func texts(error: ModelError, description: String, advice: String, category: ModelError.Category) {
        #expect(error.description == description)
        #expect(error.report.advice == advice)
        #expect(error.category == category)
    }
}
