/// A GGUF file to write, intact or damaged.
package struct GGUFContents: Sendable {
    package struct Tensor: Sendable {
        package var name: String
        /// As stored, the fastest-varying dimension first.
        package var sizes: [Int]
        package var type: Int
        package var data: [UInt8]
        /// From the beginning of the data, if not the next multiple of the alignment.
        package var offset: Int?

        package init(_ name: String, _ sizes: [Int], type: Int = 0, data: [UInt8]) {
            (self.name, self.sizes, self.type, self.data) = (name, sizes, type, data)
        }
    }

    package var version = 3
    /// Keys, and values with their types in front.
    package var settings: [(key: String, value: [UInt8])] = []
    package var tensors: [Tensor] = []
    /// The numbers of tensors and settings, if others.
    package var tensorCount: Int?
    package var settingCount: Int?

    package init() {}

    package static func long(_ number: Int) -> [UInt8] { GGMLContents.bytes(number) + GGMLContents.bytes(number >> 32) }

    package static func text(_ text: String) -> [UInt8] { long(text.utf8.count) + Array(text.utf8) }

    /// A setting that is a text, or a number of 32 bits.
    package static func value(_ value: String) -> [UInt8] { GGMLContents.bytes(8) + text(value) }
    package static func value(_ value: Int) -> [UInt8] { GGMLContents.bytes(4) + GGMLContents.bytes(value) }

    package var bytes: [UInt8] {
        let alignment = 32
        func padding(_ count: Int) -> [UInt8] {
            [UInt8](repeating: 0, count: (alignment - count % alignment) % alignment)
        }
        var bytes = Array("GGUF".utf8) + GGMLContents.bytes(version), data: [UInt8] = []
        bytes += Self.long(tensorCount ?? tensors.count) + Self.long(settingCount ?? settings.count)
        for (key, value) in settings { bytes += Self.text(key) + value }
        for tensor in tensors {
            bytes += Self.text(tensor.name) + GGMLContents.bytes(tensor.sizes.count) + tensor.sizes.flatMap(Self.long)
            bytes += GGMLContents.bytes(tensor.type) + Self.long(tensor.offset ?? data.count)
            data += tensor.data + padding(tensor.data.count)
        }
        return bytes + padding(bytes.count) + data
    }
}
