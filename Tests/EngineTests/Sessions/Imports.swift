// What every file of these tests sees.
@_exported public import EngineAudio
@_exported public import EngineBasics
@_exported public import EngineSessions
@_exported public import EngineStreaming
@_exported public import EngineTranscripts
@_exported public import EngineVoices
@_exported public import TestModels
@_exported public import TestSupport
