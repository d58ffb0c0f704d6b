package import EngineAudio
package import EngineBasics
package import EngineModels
package import EngineWeights

extension ParakeetModel: SpeechModel {
    package var spelling: any TokenSpelling { vocabulary }
    package var warnings: [ModelWarning] { [] }

    package func workspace(
        for options: TranscriptionOptions, reusing last: (any DecodingWorkspace)?
    ) throws -> any DecodingWorkspace { try last as? ParakeetWorkspace ?? ParakeetWorkspace(self) }

    package func batch(slots: Int, options: TranscriptionOptions) throws -> any BatchDecoder {
        try ParakeetBatch(self)
    }

    package func liveDecoder(_ options: StreamingOptions, cancellation: CancellationFlag) -> any LiveDecoder {
        ParakeetLiveDecoder(self, options: options, cancellation: cancellation)
    }

    package func timer(of samples: [Float], tokens: Int, beamSize: Int) throws -> any WindowTimer {
        try ParakeetTimer(self, samples: samples)
    }

    package func scan(of samples: SampleStore) -> (any RecordingScan)? { nil }
}
