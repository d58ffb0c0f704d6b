// What every file of these tests sees.
@_exported public import EngineBasics
@_exported public import EngineTranscripts
@_exported public import EngineVocabulary
@_exported public import TestSupport
