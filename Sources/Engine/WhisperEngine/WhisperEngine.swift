// What programs import: the public declarations of all modules of the engine.
@_exported public import EngineAlignment
@_exported public import EngineAudio
@_exported public import EngineBasics
@_exported public import EngineCompute
@_exported public import EngineInstalled
@_exported public import EngineModels
@_exported public import EngineParakeet
@_exported public import EngineSessions
@_exported public import EngineStreaming
@_exported public import EngineTools
@_exported public import EngineTranscription
@_exported public import EngineTranscripts
@_exported public import EngineVocabulary
@_exported public import EngineVoices
@_exported public import EngineWeights
@_exported public import EngineWhisper
