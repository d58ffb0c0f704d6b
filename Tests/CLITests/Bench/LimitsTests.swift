import Foundation
import Testing
import WhisperEngine

/// What `bench --limits` prints; PartLimitsTests check its numbers.
@Suite("bench --limits")
struct LimitsTests {
    private struct Report: Decodable {
        struct Part: Decodable {
            let stage: String
            let part: String?
            let operations: Int
            let ms: Double
            let ratio: Double
        }
        struct Stage: Decodable {
            let ms: Double
            let limitMs: Double
        }
        struct Speed: Decodable {
            let oneCore: Double
            let allThreads: Double
        }

        let tokens: Int
        let peaks: [String: Speed]
        let memory: Speed
        let stages: [String: Stage]
        let parts: [Part]
    }

    private static let command =
        "whisper-local bench --limits --processor-time -m \"$MODELS/ggml-micro.en.bin\" --rounds 1 --tokens 3 --threads 1"

    @Test("as JSON, each part has a time and a share of it that this machine needs")
    func json() throws {
        let outcome = try Program.shell("\(Self.command) --json", in: Program.Scratch())
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let report = try decoder.decode(Report.self, from: Data(outcome.output.utf8))
        #expect(report.tokens == 3 && report.memory.oneCore > 0 && (report.peaks["float32"]?.allThreads ?? 0) > 0)
        #expect(Set(report.stages.keys) == ["features", "encoder", "decoder"])
        let parts = report.parts.filter { $0.part != nil }
        #expect(parts.count == 12 && parts.allSatisfy { $0.ms > 0 && $0.ratio > 0 && $0.ratio <= 1.1 }, "\(outcome)")
        #expect(report.stages.values.allSatisfy { $0.ms > 0 && $0.limitMs > 0 }, "\(outcome)")
    }

    @Test("as a table, each part has a line below its stage")
    func table() throws {
        let outcome = try Program.shell(Self.command, in: Program.Scratch())
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.contains { $0.wholeMatch(of: /encoder, reads .* at .* GB\/s/) != nil }, "\(outcome)")
        let part = /\ {2}[A-Za-z,-]+( [A-Za-z,-]+)* +[0-9.]+ ms( +[0-9.]+ ms +[0-9]+ %( {2}(arithmetic|reading))?)?/
        #expect(lines.filter { $0.wholeMatch(of: part) != nil }.count == 17, "\(outcome)")
    }

    @Test("the reference has no kernels to compare")
    func reference() throws {
        let outcome = try Program.shell("\(Self.command) --backend reference", in: Program.Scratch())
        #expect(outcome.status == 64 && outcome.error.contains("--backend reference"), "\(outcome)")
    }
}
