/// A part of a network in the terms of its family, for measurements.
package struct ModelPart: Sendable, Hashable {
    /// As in `WindowTimes`.
    package enum Stage: String, Sendable, CaseIterable {
        case features
        case encoder
        case decoder
    }

    package let stage: Stage
    package let name: String

    package init(_ stage: Stage, _ name: String) {
        self.stage = stage
        self.name = name
    }
}
