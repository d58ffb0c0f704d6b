import Foundation
import Synchronization
import Testing
import WhisperCommands
import WhisperEngine

/// `dictate --key`, with pipes in place of keyboards: `struct input_event` is what the kernel reports.
@Suite("Keys of all keyboards")
struct InputDevicesTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private final class Log: Sendable {
        let changes = Mutex<[Bool]>([])
        var text: [Bool] { changes.withLock { $0 } }
    }

    /// Two times of 8 bytes, type, code and value.
    private static func event(type: UInt16 = 1, _ code: UInt16, _ value: Int32) -> Data {
        var data = Data(repeating: 7, count: 16)
        for half in [type, code, UInt16(value), 0] { data += [UInt8(half & 0xff), UInt8(half >> 8)] }
        return data
    }

    private func wait(_ isTrue: () -> Bool) -> Bool {
        for _ in 0..<2000 where !isTrue() { usleep(10_000) }
        return isTrue()
    }

    /// Whether everything that was written to a pipe has been read.
    private static func isEmpty(_ pipe: FileHandle) -> Bool {
        var waiting = pollfd(fd: pipe.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, 0) == 0
    }

    @Test(
        "presses and releases of the key are reported, without repeats and other keys, from keyboards that come and go")
    func keys() throws {
        let folder = FilePath(scratch.url.path)
        func plug(_ name: String) -> FileHandle? {
            let path = scratch.url.appending(path: name).path
            return unsafe mkfifo(path, 0o600) == 0 ? FileHandle(forUpdatingAtPath: path) : nil
        }
        let (first, mouse) = (try #require(plug("event0")), try #require(plug("mouse0")))
        let devices = try InputDevices(try #require(InputKey("f9")), folder: folder)
        let log = Log()
        devices.watch { isDown in log.changes.withLock { $0.append(isDown) } }
        let f9 = UInt16(67)
        // A press with the scan code before it, repeats, another key meanwhile, and the release.
        try first.write(contentsOf: Self.event(type: 4, 4, 67) + Self.event(f9, 1) + Self.event(type: 0, 0, 0))
        try first.write(contentsOf: Self.event(f9, 2) + Self.event(30, 1) + Self.event(f9, 2) + Self.event(30, 0))
        try first.write(contentsOf: Self.event(f9, 0))
        try mouse.write(contentsOf: Self.event(f9, 1))
        #expect(wait { log.text == [true, false] })
        // A second keyboard does not press it again, and unplugging the first releases it.
        let second = try #require(plug("event1"))
        try first.write(contentsOf: Self.event(f9, 1))
        #expect(wait { log.text.count == 3 })
        try second.write(contentsOf: Self.event(f9, 1) + Self.event(f9, 0))
        #expect(wait { Self.isEmpty(second) })
        try first.close()
        #expect(wait { log.text == [true, false, true, false] })
        try second.write(contentsOf: Self.event(f9, 1))
        #expect(wait { log.text == [true, false, true, false, true] })
        devices.stop()
    }

    @Test("keys have names, in any case, and numbers")
    func names() {
        #expect(["F1", "f10", "F11", "F13", "F24"].map { InputKey($0)?.code } == [59, 68, 87, 183, 194])
        #expect(InputKey("scrolllock") == InputKey("ScrollLock") && InputKey("ScrollLock")?.code == 70)
        #expect(InputKey("582")?.name == "key 582")
        for text in ["", "F25", "0", "768", "A"] { #expect(InputKey(text) == nil) }
    }

    @Test("without a keyboard that may be read, the error says what else there is")
    func unreadable() {
        #expect {
            _ = try InputDevices(try #require(InputKey("F9")), folder: FilePath(scratch.url.path))
        } throws: {
            ($0 as? ErrorReport)?.what == "--key: there are no keyboards in \(scratch.url.path)"
        }
    }
}
