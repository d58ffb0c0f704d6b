import WhisperEngine

/// A network for speech detection or for speakers: a safetensors file that is made of Python packages (`PackagedModel`). The
/// publisher of the models does not offer it, but the user's own server may.
struct HelperNetwork {
    /// The name that `models pull` knows.
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
        HelperNetwork(
            name: "speakers-2022", fileName: "speakers-2022.safetensors", bytes: 33_722_748,
            sha256: "d453a71f561e7cefe48425768756c23ef83c5e8926a7567c529b1e759dd81ab7"),
    ]
}
