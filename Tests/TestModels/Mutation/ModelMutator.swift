package import EngineBasics

/// Makes mutants of valid models, the same for the same seed.
package struct ModelMutator: Sendable {
    /// A valid model and the layouts of its files.
    private struct Seed: Sendable {
        let model: ModelFiles
        let layouts: [FileLayout]

        init(_ model: ModelFiles) {
            self.model = model
            layouts = model.files.map { FileLayout($0.bytes) }
        }
    }

    private let seeds: [ModelFiles.Format: [Seed]]
    private let slowSeeds: [ModelFiles.Format: [Seed]]
    /// One mutant in this many has a complete vocabulary or wide tensors, which take hundreds of times as long.
    private static let slowShare = 2000

    package init() throws {
        seeds = try Dictionary(
            uniqueKeysWithValues: ModelFiles.Format.allCases.map { ($0, try $0.seeds().map(Seed.init)) })
        slowSeeds = try Dictionary(
            uniqueKeysWithValues: ModelFiles.Format.allCases.map { ($0, try $0.slowSeeds().map(Seed.init)) })
    }

    /// The valid models.
    package var originals: [ModelFiles] {
        ModelFiles.Format.allCases.flatMap { ((seeds[$0] ?? []) + (slowSeeds[$0] ?? [])).map(\.model) }
    }

    /// The mutant with a number of its own.
    package func mutant(_ format: ModelFiles.Format, seed: Int, index: Int) -> ModelFiles {
        var draws = SplitMix64(seed: UInt64(bitPattern: Int64(seed)) ^ UInt64(index) &* 0x9e37_79b9_7f4a_7c15)
        let list = draws.oneIn(Self.slowShare) ? slowSeeds[format] ?? [] : []
        let seeds = list.isEmpty ? self.seeds[format] ?? [] : list
        guard let seed = draws.element(seeds), let other = draws.element(seeds) else { return ModelFiles(format, []) }
        var model = seed.model
        let count = 1 + (draws.oneIn(4) ? 1 : 0)
        for _ in 0..<count {
            let at = draws.below(model.files.count), file = model.files[at]
            let others = other.model.files.firstIndex { $0.name == file.name }
            Self.mutate(
                &model.files[at], seed.model.files[at] == file ? seed.layouts[at] : FileLayout(file.bytes),
                other: others.map { (other.model.files[$0].bytes, other.layouts[$0]) }
                    ?? (seed.model.files[at].bytes, seed.layouts[at]),
                using: &draws)
        }
        if model.files.count > 1, draws.oneIn(50) { model.files.remove(at: draws.below(model.files.count)) }
        return model
    }

    /// A mutant of any model.
    package static func mutant(of model: ModelFiles, using draws: inout SplitMix64) -> ModelFiles {
        var model = model
        let at = draws.below(model.files.count)
        guard at < model.files.count else { return model }
        let layout = FileLayout(model.files[at].bytes)
        mutate(&model.files[at], layout, other: (model.files[at].bytes, layout), using: &draws)
        return model
    }

    private static func mutate(
        _ file: inout ModelFiles.File, _ layout: FileLayout, other: (bytes: [UInt8], layout: FileLayout),
        using draws: inout SplitMix64
    ) {
        if file.name.hasSuffix(".json"), !draws.oneIn(20) {
            var json = JSONMutator(file.bytes)
            json.mutate(using: &draws)
            file.bytes = json.bytes
        } else if file.name.hasSuffix(".safetensors") {
            SafetensorsMutator.mutate(&file.bytes, other: other.bytes, using: &draws)
        } else if file.bytes.starts(with: [0x50, 0x4b]) {
            ZIPMutator.mutate(&file.bytes, other: other.bytes, using: &draws)
        } else if file.name.hasSuffix(".nemo") {
            TarMutator.mutate(&file.bytes, other: other.bytes, using: &draws)
        } else if file.name.hasSuffix(".txt") {
            ByteMutator.resize(&file.bytes, layout, other: other, using: &draws)
        } else {
            ByteMutator.mutate(&file.bytes, layout, other: other, using: &draws)
        }
    }
}
