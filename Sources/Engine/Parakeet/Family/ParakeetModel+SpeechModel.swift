package import EngineAudio
package import EngineBasics
package import EngineModels
package import EngineWeights

extension ParakeetModel: SpeechModel {
    package var spelling: any TokenSpelling { vocabulary }
    package var warnings: [ModelWarning] { [] }
    private var isStreaming: Bool { dimensions.streaming != nil }

    package func workspace(
        for options: TranscriptionOptions, reusing last: (any DecodingWorkspace)?
    ) throws -> any DecodingWorkspace {
        if isStreaming { return try last ?? StreamWorkspace(self) }
        let beams = beams(options)
        if let last = last as? ParakeetWorkspace, last.decoder.beams == beams { return last }
        return try ParakeetWorkspace(self, beams: beams)
    }

    package func batch(slots: Int, options: TranscriptionOptions) throws -> any BatchDecoder {
        isStreaming
            ? try StreamBatch(self, terms: options.terms)
            : try ParakeetBatch(self, beams: beams(options), terms: options.terms)
    }

    package func liveDecoder(_ options: StreamingOptions, cancellation: CancellationFlag) -> any LiveDecoder {
        isStreaming
            ? ParakeetStreamDecoder(self, options: options, cancellation: cancellation)
            : ParakeetLiveDecoder(self, options: options, cancellation: cancellation)
    }

    package func timer(of samples: [Float], tokens: Int, beamSize: Int) throws -> any WindowTimer {
        isStreaming
            ? try StreamTimer(self, lookahead: longestLookahead, samples: samples)
            : try ParakeetTimer(self, samples: samples, beams: beamSize)
    }

    /// Number of beams; 1 for greedy search.
    func beams(_ options: TranscriptionOptions) -> Int { max(1, options.beamSize ?? traits.beams ?? 1) }

    package func scan(of samples: SampleStore) -> (any RecordingScan)? { nil }
}
