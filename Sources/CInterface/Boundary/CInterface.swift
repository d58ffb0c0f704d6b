// The functions of whisper_local.h. Each checks its arguments, copies them, and hands on to code without pointers.
//
// Invariant: what callers pass is what the header asks for; pointers to results may be NULL.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import BuildRecord
import CWhisperLocal
import EngineBasics
import EngineModels
import Glibc

// MARK: - Library

@c @implementation
public func wl_abi() -> UInt32 { UInt32(WL_ABI) }

@c @implementation
public func wl_version() -> UnsafePointer<CChar>? { unsafe text(of: BuildRecord.version) }

@c @implementation
public func wl_features() -> UnsafeMutablePointer<CChar>? {
    unsafe result(nil) { unsafe CallerMemory.string(Library.features()) }
}

@c @implementation
public func wl_free(_ memory: UnsafeMutableRawPointer?) { unsafe free(memory) }

// MARK: - Models

@c @implementation
public func wl_model_open(
    _ name: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
    _ model: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    unsafe state(error) {
        guard let model = unsafe model else { throw InterfaceError(.option, "there is no place for the model: NULL") }
        let bytes = try unsafe bytes(name, "the path or name")
        unsafe model.pointee = Handles.add(try LoadedModel(bytes, options: CallerMemory.bytes(options)))
    }
}

@c @implementation
public func wl_find_model(
    _ name: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> UnsafeMutablePointer<CChar>? {
    unsafe result(error) {
        let name = try unsafe bytes(name, "the path or name")
        return unsafe CallerMemory.string(try Library.find(name, options: CallerMemory.bytes(options)))
    }
}

@c @implementation
public func wl_model_info(_ model: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
    unsafe result(nil) { unsafe CallerMemory.string(try Handles.object(model, LoadedModel.self).info) }
}

@c @implementation
public func wl_model_encode(
    _ model: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> UnsafeMutablePointer<CChar>? {
    unsafe result(error) {
        let model = try unsafe Handles.object(model, LoadedModel.self)
        let text = String(decoding: try unsafe bytes(text, "the text"), as: UTF8.self)
        return unsafe CallerMemory.string(JSONText.array(model.speech.spelling.encode(text).map { "\($0)" }))
    }
}

@c @implementation
public func wl_model_decode(
    _ model: OpaquePointer?, _ tokens: UnsafePointer<Int32>?, _ count: Int,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> UnsafeMutablePointer<CChar>? {
    unsafe result(error) {
        let model = try unsafe Handles.object(model, LoadedModel.self)
        guard (0...1 << 24).contains(count), unsafe tokens != nil || count == 0 else {
            throw InterfaceError(.option, "the tokens are NULL, or too many")
        }
        let size = model.speech.traits.vocabularySize
        let ids = unsafe UnsafeBufferPointer(start: tokens, count: count).map { Int($0) }
        return unsafe CallerMemory.string(model.speech.spelling.text(of: ids.filter { (0..<size).contains($0) }))
    }
}

@c @implementation
public func wl_model_close(_ model: OpaquePointer?) {
    if !Fork.isInChild { _ = unsafe Handles.remove(model, LoadedModel.self) }
}

// MARK: - Jobs

@c @implementation
public func wl_transcribe_samples(
    _ model: OpaquePointer?, _ samples: UnsafePointer<Float>?, _ count: Int, _ options: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OpaquePointer? {
    unsafe result(error) {
        let model = try unsafe Handles.object(model, LoadedModel.self)
        try CallerMemory.check(unsafe samples != nil, count)
        let job = try Job(model, options: unsafe CallerMemory.bytes(options)) {
            unsafe CallerSamples(samples, count, borrows: $0)
        }
        return unsafe Handles.add(JobHandle(job))
    }
}

@c @implementation
public func wl_transcribe_file(
    _ model: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OpaquePointer? {
    unsafe result(error) {
        let model = try unsafe Handles.object(model, LoadedModel.self)
        let path = FilePath(bytes: try unsafe bytes(path, "the path"))
        return unsafe Handles.add(JobHandle(try Job(model, options: CallerMemory.bytes(options), file: path)))
    }
}

@c @implementation
public func wl_transcribe_descriptor(
    _ model: OpaquePointer?, _ descriptor: Int32, _ options: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OpaquePointer? {
    unsafe result(error) {
        let model = try unsafe Handles.object(model, LoadedModel.self)
        let job = try Job(model, options: unsafe CallerMemory.bytes(options), descriptor: descriptor)
        return unsafe Handles.add(JobHandle(job))
    }
}

@c @implementation
public func wl_detect_language(
    _ model: OpaquePointer?, _ samples: UnsafePointer<Float>?, _ count: Int, _ options: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OpaquePointer? {
    unsafe result(error) {
        let model = try unsafe Handles.object(model, LoadedModel.self)
        try CallerMemory.check(unsafe samples != nil, count)
        let job = try Job(detectingLanguageWith: model, options: unsafe CallerMemory.bytes(options)) {
            unsafe CallerSamples(samples, count, borrows: $0)
        }
        return unsafe Handles.add(JobHandle(job))
    }
}

@c @implementation
public func wl_job_next(
    _ job: OpaquePointer?, _ milliseconds: Int32, _ event: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe next(event, length) {
        guard let handle = try? unsafe Handles.object(job, JobHandle.self) else { return nil }
        return (handle.job.events, handle.event)
    } wait: {
        $0.next(milliseconds: Int(milliseconds))
    }
}

@c @implementation
public func wl_job_cancel(_ job: OpaquePointer?) {
    guard !Fork.isInChild, let handle = try? unsafe Handles.object(job, JobHandle.self) else { return }
    handle.job.cancel()
}

@c @implementation
public func wl_job_free(_ job: OpaquePointer?) {
    if !Fork.isInChild { unsafe Handles.remove(job, JobHandle.self)?.job.free() }
}

// MARK: - Live streams

@c @implementation
public func wl_stream_open(
    _ model: OpaquePointer?, _ options: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OpaquePointer? {
    unsafe result(error) {
        let model = try unsafe Handles.object(model, LoadedModel.self)
        let stream = try LiveStream(model, options: unsafe CallerMemory.bytes(options))
        return unsafe Handles.add(StreamHandle(stream))
    }
}

@c @implementation
public func wl_stream_push(_ stream: OpaquePointer?, _ samples: UnsafePointer<Float>?, _ count: Int) -> Int32 {
    state(nil) {
        try unsafe Handles.object(stream, StreamHandle.self).stream.push(CallerMemory.samples(samples, count))
    }
}

@c @implementation
public func wl_stream_flush(_ stream: OpaquePointer?) -> Int32 {
    state(nil) { try unsafe Handles.object(stream, StreamHandle.self).stream.flush() }
}

@c @implementation
public func wl_stream_stop(_ stream: OpaquePointer?) -> Int32 {
    state(nil) { try unsafe Handles.object(stream, StreamHandle.self).stream.stop() }
}

@c @implementation
public func wl_stream_next(
    _ stream: OpaquePointer?, _ milliseconds: Int32, _ event: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe next(event, length) {
        guard let handle = try? unsafe Handles.object(stream, StreamHandle.self) else { return nil }
        return (handle.stream.events, handle.event)
    } wait: {
        $0.next(milliseconds: Int(milliseconds))
    }
}

@c @implementation
public func wl_stream_free(_ stream: OpaquePointer?) {
    if !Fork.isInChild { unsafe Handles.remove(stream, StreamHandle.self)?.stream.free() }
}

// MARK: - Audio and text without a model

@c @implementation
public func wl_decode_file(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
    _ samples: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    unsafe state(error) {
        guard let samples = unsafe samples, let count = unsafe count else {
            throw InterfaceError(.option, "there is no place for the samples: NULL")
        }
        let path = FilePath(bytes: try unsafe bytes(path, "the path"))
        let decoded = try Recordings.samples(of: path, options: unsafe CallerMemory.bytes(options))
        unsafe samples.pointee = try CallerMemory.copy(decoded)
        unsafe count.pointee = decoded.count
    }
}

@c @implementation
public func wl_speech(
    _ samples: UnsafePointer<Float>?, _ count: Int, _ options: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> UnsafeMutablePointer<CChar>? {
    unsafe result(error) {
        let samples = try unsafe CallerMemory.samples(samples, count)
        let speech = try Recordings.speech(in: samples, options: unsafe CallerMemory.bytes(options))
        return unsafe CallerMemory.string(speech)
    }
}

@c @implementation
public func wl_format(
    _ transcript: UnsafePointer<CChar>?, _ format: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> UnsafeMutablePointer<CChar>? {
    unsafe result(error) {
        let transcript = try unsafe bytes(transcript, "the transcript")
        let format = String(decoding: try unsafe bytes(format, "the format"), as: UTF8.self)
        let text = try TranscriptFormatting.text(
            of: transcript, as: format, options: unsafe CallerMemory.bytes(options))
        return unsafe CallerMemory.string(text)
    }
}

// MARK: - What the functions share

/// What a `wl_job *` stands for.
private final class JobHandle: Sendable {
    let job: Job
    let event = ReturnedEvent()

    init(_ job: Job) { self.job = job }
}

/// What a `wl_stream *` stands for.
private final class StreamHandle: Sendable {
    let stream: LiveStream
    let event = ReturnedEvent()

    init(_ stream: LiveStream) { self.stream = stream }
}

/// Returns what `body` returns, or `nil` and the error.
private func result<Value>(
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ body: () throws -> Value?
) -> Value? {
    if Fork.isInChild {
        unsafe error?.pointee = strdup(text(of: Fork.errorText))
        return nil
    }
    Fork.watch()
    do {
        return try body()
    } catch let failure {
        unsafe error?.pointee = CallerMemory.string(InterfaceError(failure).text)
        return nil
    }
}

/// Returns `WL_OK`, or `WL_FAILED` and the error.
private func state(
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ body: () throws -> Void
) -> Int32 {
    let isDone: Void? = unsafe result(error) { try body() }
    return isDone == nil ? WL_FAILED : WL_OK
}

/// Waits for an event and returns it.
private func next(
    _ event: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ length: UnsafeMutablePointer<Int>?,
    _ find: () -> (EventQueue, ReturnedEvent)?, wait: (EventQueue) -> EventQueue.Answer
) -> Int32 {
    func fail(_ constant: StaticString) -> Int32 {
        unsafe event?.pointee = text(of: constant)
        unsafe length?.pointee = constant.utf8CodeUnitCount
        return WL_FAILED
    }
    unsafe event?.pointee = nil
    unsafe length?.pointee = 0
    if Fork.isInChild { return fail(Fork.errorEvent) }
    guard let (events, returned) = find() else {
        return fail(
            """
            {"type":"error","code":"handle","message":"the handle is NULL, or was closed or freed"}
            """)
    }
    func give(_ text: String) {
        let (start, count) = unsafe returned.set(text)
        unsafe event?.pointee = start
        unsafe length?.pointee = count
    }
    switch wait(events) {
    case .event(let text):
        give(text)
        return WL_EVENT
    case .failed(let text):
        // The handle may have been freed while this thread waited, and the text with it.
        guard find() != nil else {
            return fail(
                """
                {"type":"error","code":"cancelled","message":"the handle was freed"}
                """)
        }
        give(text)
        return WL_FAILED
    case .timeout: return WL_TIMEOUT
    case .end: return WL_END
    case .busy:
        return fail(
            """
            {"type":"error","code":"handle","message":"another thread is waiting for an event of this handle"}
            """)
    }
}

private func bytes(_ text: UnsafePointer<CChar>?, _ what: String) throws(InterfaceError) -> [UInt8] {
    guard let bytes = unsafe CallerMemory.bytes(text) else { throw InterfaceError(.option, "\(what) is NULL") }
    return bytes
}

/// A constant, which ends in a zero.
private func text(of constant: StaticString) -> UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(constant.utf8Start).assumingMemoryBound(to: CChar.self)
}
