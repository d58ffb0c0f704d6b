package import EngineAudio
package import EngineBasics
import EngineCompute
package import EngineModels

extension WhisperModel: SpeechModel {
    package var traits: ModelTraits { dimensions.traits }

    package var spelling: any TokenSpelling { tokenizer }

    package func workspace(
        for options: TranscriptionOptions, reusing last: (any DecodingWorkspace)?
    ) throws -> any DecodingWorkspace {
        let rows = options.decodingCapacity.rowsPerWindow
        let last = last as? WhisperWorkspace
        if let last, last.decoder.maxRows >= rows { return last }
        return try WhisperWorkspace(self, rows: rows, encoder: last?.encoder)
    }

    package func batch(slots: Int, options: TranscriptionOptions) throws -> any BatchDecoder {
        try WhisperBatch(
            self, slots: slots, rowsPerWindow: options.decodingCapacity.rowsPerWindow, terms: options.terms)
    }

    package func liveDecoder(_ options: StreamingOptions, cancellation: CancellationFlag) -> any LiveDecoder {
        NetworkLiveDecoder(self, options: options, cancellation: cancellation)
    }

    package func timer(of samples: [Float], tokens: Int, beamSize: Int) throws -> any WindowTimer {
        try WhisperTimer(self, samples: samples, tokens: tokens, beamSize: beamSize)
    }

    package func scan(of samples: SampleStore) -> (any RecordingScan)? {
        // The scan needs a thread of its own to be of use.
        backend.threads > 1 ? LoudnessScan(LogMelSpectrogram(bands: dimensions.nMels), of: samples) : nil
    }
}

extension Tokenizer: TokenSpelling {
    package func textBytes(of token: Int) -> [UInt8]? { token < special.endOfText ? bytes(of: token) : nil }
}
