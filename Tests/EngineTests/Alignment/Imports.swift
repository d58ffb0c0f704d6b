// What every file of these tests sees.
@_exported public import EngineAlignment
@_exported public import EngineAudio
@_exported public import EngineBasics
@_exported public import EngineModels
@_exported public import EngineTranscription
@_exported public import EngineTranscripts
@_exported public import TestModels
@_exported public import TestSupport
