import Foundation
import Testing

@Suite("Portability")
struct PortabilityTests {
    @Test("instructions of newer processors occur only in functions selected at run time")
    func instructions() throws {
        let outcome = try Program.shell(
            """
            uname -m
            objdump -d --no-show-raw-insn "$(command -v whisper-local)" > listing || exit 1
            case $(uname -m) in
            x86_64) newer='\\t(v[a-z]|.*%[yz]mm)' ;;
            *) newer='\\t(sdot|usdot|smmla|bf[a-z]+)\\t' ;;
            esac
            awk -v newer="$newer" '/^[0-9a-f]+ <.*>:$/ { name = $2 } $0 ~ newer { print name }' listing | sort -u
            """, in: Program.Scratch())
        #expect(outcome.status == 0, "\(outcome.error)")
        let lines = outcome.output.split(separator: "\n")
        let sets = ["_avx2", "_avx512", "_dotprod", "_i8mm"]
        let stray = lines.dropFirst().filter { line in !sets.contains { line.contains($0) } }
        #expect(stray == [])
        let expected =
            lines.first == "x86_64"
            ? ["softmax_avx512", "softmax_avx2"] : ["int8_rows_dotprod", "int8_rows_i8mm", "multiply_i8_i8mm"]
        for name in expected { #expect(lines.contains("<\(name)>:"), "\(name)") }
    }

    @Test("linked addresses are bound at startup and read-only afterwards")
    func relocations() throws {
        let outcome = try Program.shell(
            "readelf -dW \"$(command -v whisper-local)\"; readelf -lW \"$(command -v whisper-local)\"",
            in: Program.Scratch())
        #expect(outcome.status == 0, "\(outcome.error)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.contains { $0.contains("(FLAGS_1)") && $0.contains("NOW") && $0.contains("PIE") })
        #expect(lines.contains { $0.contains("GNU_RELRO") })
        #expect(lines.contains { $0.contains("GNU_STACK") && $0.contains(" RW ") })
    }

    @Test("no source file uses time zone or locale, and only one the wall clock")
    func sources() throws {
        let folder = Fixtures.folder.appending(path: "../../../Sources").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { ["swift", "c", "h"].contains($0.pathExtension) }
            .filter { $0.lastPathComponent != "WallTime.swift" }
        #expect(files.count > 100)
        let pattern = try NSRegularExpression(
            pattern:
                #"\b(gettimeofday|CLOCK_REALTIME|localtime(_r)?|strftime|setlocale|newlocale|Date|Locale|TimeZone)\b"#
                + #"|\btime\((nil|NULL|&)"#)
        for file in files {
            for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
                let code = line.components(separatedBy: "//")[0]
                let range = NSRange(code.startIndex..., in: code)
                #expect(pattern.firstMatch(in: code, range: range) == nil, "\(file.lastPathComponent): \(line)")
            }
        }
    }
}
