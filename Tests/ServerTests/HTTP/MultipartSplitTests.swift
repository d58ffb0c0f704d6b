import Glibc
import Testing
import WhisperServer

@Suite("Multipart parser: reads of any size")
struct MultipartSplitTests {
    private typealias Sample = MultipartSample

    private static let body =
        Array("pre\r\n--XyZ-\r\n".utf8)
        + Sample.body(
            Sample.part("name=\"model\"", "whisper-1"), Sample.part("name=\"timestamp_granularities[]\"", "word"),
            Sample.part("name=\"prompt\"", "\r\n--XyY\r\r\n--"),
            Sample.part(
                "name=\"file\"; filename=\"ü.m4a\"", "\r\n--XyZ\r--XyZ\r\n--XyZ \t\r-\r\n\r\n--Xy\0",
                lines: ["Content-Type: audio/mp4"])) + Array("epilogue\r\n--XyZ\r\n".utf8)

    @Test("every division into two reads gives the same form")
    func everyCut() {
        let whole = Sample.parse(Self.body)
        #expect(whole.error == nil)
        for cut in 0...Self.body.count { #expect(Sample.parse(Self.body, cuts: [cut]) == whole, "cut at \(cut)") }
    }

    @Test("reads of every size give the same form")
    func everySize() {
        let whole = Sample.parse(Self.body)
        for size in 1...Self.body.count {
            let cuts = Array(stride(from: size, to: Self.body.count, by: size))
            #expect(Sample.parse(Self.body, cuts: cuts) == whole, "reads of \(size)")
        }
    }

    @Test("mutated forms never trap, and every division gives the same result", arguments: 0..<20)
    func mutations(seed: UInt64) {
        var random = SplitMix(state: seed)
        let pieces: [[UInt8]] = [
            "\r\n", "--XyZ", "--XyZ--", "\r\n--XyZ\r\n", "\r", "\n", "\"", ";", "%22", "\\", ":", " ", "name=", "\0",
            "--",
            "Content-Disposition: form-data; name=\"file\"\r\n\r\n", "\r\n\r\n", "filename*=", "\u{fffd}",
        ].map { Array($0.utf8) }
        for _ in 0..<100 {
            var body = Self.body
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let position = Int.random(in: 0..<body.count, using: &random)
                let end = min(body.count, position + Int.random(in: 0...12, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: body[position] = UInt8.random(in: 0...255, using: &random)
                case 1: body.removeSubrange(position..<end)
                case 2: body.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: position)
                default:
                    body.insert(contentsOf: body[position..<end], at: Int.random(in: 0...body.count, using: &random))
                }
                if body.isEmpty { body = [0] }
            }
            let whole = Sample.parse(body)
            if let status = whole.error?.status { #expect([400, 413].contains(status)) }
            let cuts = (0..<5).map { _ in Int.random(in: 0...body.count, using: &random) }.sorted()
            #expect(Sample.parse(body, cuts: cuts) == whole, "seed \(seed): \(String(decoding: body, as: UTF8.self))")
            #expect(Sample.parse(body, cuts: Array(1..<max(1, body.count))) == whole)
        }
    }

    @Test("time is linear in the size of a body made of almost-boundaries")
    func linear() {
        let hostile = Array("\r\n--Xy\r\n--XyZ \t \r".utf8)
        let start = Array(Sample.part("name=file; filename=a", "").utf8.dropLast(2))
        let seconds = [1, 8].map { factor -> Double in
            let body = start + Array(repeating: hostile, count: 20_000 * factor).joined() + Array("\r\n--XyZ--".utf8)
            return (0..<3).map { _ -> Double in
                let before = Self.processorSeconds
                #expect(Sample.parse(body, limit: 1 << 24, cuts: [body.count / 2]).error == nil)
                return Self.processorSeconds - before
            }.min() ?? 0
        }
        #expect(seconds[1] < seconds[0] * 40, "\(seconds)")
    }

    /// What this thread alone has used, because other tests run beside it.
    private static var processorSeconds: Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Steele and others' generator, so that a failure can be repeated.
    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
            return z ^ z >> 31
        }
    }
}
