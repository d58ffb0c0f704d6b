import Testing

@Suite("GGUF files")
struct GGUFFileTests {
    private static var valid: GGUFContents {
        var contents = GGUFContents()
        contents.settings = [
            ("a", GGUFContents.value("x")), ("b", GGUFContents.value(7)), ("c", [7, 0, 0, 0, 1]),
            ("d", [5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]), ("e", [6, 0, 0, 0, 0, 0, 0x80, 0x3e]),
            ("f", [9, 0, 0, 0, 8, 0, 0, 0] + GGUFContents.long(2) + GGUFContents.text("y") + GGUFContents.text("▁")),
            ("g", [10, 0, 0, 0] + GGUFContents.long(1 << 40)),
            ("h", [9, 0, 0, 0, 0, 0, 0, 0] + GGUFContents.long(1) + [9]),
        ]
        contents.tensors = [
            .init("one", [2, 3], data: [UInt8](repeating: 1, count: 24)),
            .init("two", [32], type: 8, data: [UInt8](repeating: 2, count: 34)),
            .init("x.num_batches_tracked", [1], type: 27, data: [0, 0, 0, 0, 0, 0, 0, 0]),
        ]
        return contents
    }

    @Test("settings and tensors are read")
    func contents() throws {
        let folder = try TemporaryFolder(), path = try folder.write(Self.valid.bytes)
        #expect(GGUFFile.recognizes(path))
        let file = try GGUFFile(path)
        #expect(
            file.settings == [
                "a": .string("x"), "b": .number("7"), "c": .bool(true), "d": .number("-1"), "e": .number("0.25"),
                "f": .array([.string("y"), .string("▁")]), "g": .number("\(1 << 40)"), "h": .array([.number("9")]),
            ])
        #expect(file.tensors.keys.sorted() == ["one", "two"])
        #expect(try file.tensor("one").shape == [3, 2] && file.tensor("two").type == .q8_0)
        #expect(try file.tensor("two").bytes.count == 34)
    }

    @Test("what lies about its size, place or type is an error")
    func damage() throws {
        func error(_ change: (inout GGUFContents) -> Void) throws -> String {
            var contents = Self.valid
            change(&contents)
            let folder = try TemporaryFolder(), path = try folder.write(contents.bytes)
            do throws(ModelError) {
                _ = try GGUFFile(path)
                return ""
            } catch { return error.description }
        }
        #expect(try error { _ in }.isEmpty)
        #expect(try error { $0.version = 1 }.contains("the version is 1"))
        #expect(try error { $0.version = 3 << 24 }.contains("the version is"))
        #expect(try error { $0.tensorCount = 1 << 40 }.contains("the number of tensors"))
        #expect(try error { $0.settingCount = -1 }.contains("has the number 18446744073709551615"))
        #expect(try error { $0.tensorCount = 4 }.contains("has"))
        #expect(try error { $0.settings[1].key = "a" }.contains("repeats the setting a"))
        #expect(try error { $0.settings[0].value = [8, 0, 0, 0] + GGUFContents.long(1 << 50) }.contains("a text of"))
        #expect(
            try error { $0.settings[0].value = [8, 0, 0, 0] + GGUFContents.long(1) + [0xff] }.contains("not UTF-8"))
        #expect(
            try error { $0.settings[0].value = [9, 0, 0, 0, 0, 0, 0, 0] + GGUFContents.long(1 << 40) }
                .contains("a list of"))
        #expect(
            try error { $0.settings[0].value = [9, 0, 0, 0, 9, 0, 0, 0] + GGUFContents.long(1) }.contains("of type 9"))
        #expect(
            try error { $0.settings.append(("general.alignment", GGUFContents.value(3))) }.contains("a power of two"))
        #expect(try error { $0.tensors[0].sizes = [2, 3, 1, 1, 1] }.contains("has 5 dimensions"))
        #expect(try error { $0.tensors[0].sizes = [0] }.contains("a dimension of 0"))
        #expect(try error { $0.tensors[0].sizes = [1 << 40, 1 << 40] }.contains("the impossible shape"))
        #expect(try error { $0.tensors[0].sizes = [1 << 40] }.contains("is truncated"))
        #expect(try error { $0.tensors[1].sizes = [31] }.contains("31 elements, not a multiple of 32"))
        #expect(try error { $0.tensors[1].type = 12 }.contains("Q4_K"))
        #expect(try error { $0.tensors[1].offset = 0 }.contains("overlaps"))
        #expect(try error { $0.tensors[1].offset = 8 }.contains("not a multiple of 32"))
        #expect(try error { $0.tensors[1].offset = 1 << 62 }.contains("is truncated"))
        #expect(try error { $0.tensors[1].name = "one" }.contains("duplicate tensor one"))
    }
}
