package import EngineBasics
package import Foundation

/// The contents of a safetensors file to write, intact or damaged.
package struct SafetensorsContents {
    /// The header entries of the tensors, `"name":{"dtype":…}`.
    package var entries: [String] = []
    package var data = Data()

    package init() {}

    package mutating func add(_ name: String, _ shape: [Int], _ values: [Float]) {
        let start = data.count
        for value in values { data.append(contentsOf: Self.littleEndian(UInt64(value.bitPattern), 4)) }
        entries.append(
            #""\#(name)":{"dtype":"F32","shape":\#(shape),"data_offsets":[\#(start),\#(data.count)]}"#)
    }

    package var header: String { "{" + entries.joined(separator: ",") + "}" }

    package func bytes(header: String? = nil) -> Data {
        let text = Data((header ?? self.header).utf8)
        return Data(Self.littleEndian(UInt64(text.count), 8)) + text + data
    }

    private static func littleEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    package func write(to url: URL) throws -> FilePath {
        try bytes().write(to: url)
        return FilePath(url.path)
    }
}
