import Foundation
import TestModels

/// The command line.
struct Options {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    var executions: Int?
    var seconds: Int?
    var seed = 1
    var formats = ModelFiles.Format.allCases
    var crashers = URL(filePath: "crashers")

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Problem(description: "\(name) needs a value") }
            switch name {
            case "--executions": executions = try Self.number(value)
            case "--seconds": seconds = try Self.number(value)
            case "--seed": seed = try Self.number(value)
            case "--save": crashers = URL(filePath: value)
            case "--formats": formats = try Self.formats(value)
            default: throw Problem(description: "unknown option \(name)")
            }
        }
        if executions == nil, seconds == nil { seconds = 60 }
    }

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text), number >= 0 else { throw Problem(description: "not a number: \(text)") }
        return number
    }

    static func formats(_ text: String) throws -> [ModelFiles.Format] {
        try text.split(separator: ",").map {
            guard let format = ModelFiles.Format(rawValue: String($0)) else {
                let names = ModelFiles.Format.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(description: "unknown format \($0), expected \(names)")
            }
            return format
        }
    }
}
