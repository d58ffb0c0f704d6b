// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Names are those in the fixture files.

import EngineWhisper
import Foundation

/// A reference spectrogram, `[bands, frames]`, and the clips it was computed from.
package struct MelFixture {
    package let values: [Float]
    package let frames: Int
    package let tail: Float
    /// The number of frames of the spectrogram that this is a prefix of.
    package let totalFrames: Int

    private struct Header: Decodable {
        package let shape: [Int]
        package let tail_value: Float
        package let frames_total: Int
    }

    package init(_ path: String) throws {
        let header: Header = try Fixtures.json(path + ".json")
        values = try Fixtures.floats(path + ".f32")
        frames = header.shape[1]
        tail = header.tail_value
        totalFrames = header.frames_total
    }

    /// The spectrogram as `[frames, bands]`, padded with the tail value to `count` frames.
    package func window(_ count: Int) -> [Float] {
        let bands = values.count / frames
        return (0..<count).flatMap { frame in
            (0..<bands).map { frame < frames ? values[$0 * frames + frame] : tail }
        }
    }

    /// The samples of a 16-bit mono WAV file.
    package static func samples(_ path: String) throws -> [Float] {
        let data = try Data(contentsOf: Fixtures.url(path))
        guard let marker = data.range(of: Data("data".utf8)) else { return [] }
        let bytes = Array(data[(marker.upperBound + 4)...])
        return stride(from: 0, to: bytes.count - 1, by: 2).map {
            Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32_768
        }
    }

    package static func scaled(_ samples: [Float], bands: Int, frames: Range<Int>) -> [Float] {
        let spectrogram = LogMelSpectrogram(bands: bands)
        let read = { (range: Range<Int>) in Array(samples[range]) }
        let loudest = spectrogram.loudest(sampleCount: samples.count, read: read)
        var values = spectrogram.logarithms(frames, sampleCount: samples.count, read: read)
        LogMelSpectrogram.scale(&values, loudest: loudest)
        return values
    }
}
