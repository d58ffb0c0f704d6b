// What every file of these tests sees.
@_exported public import EngineBasics
@_exported public import EngineCompute
@_exported public import EngineWeights
@_exported public import EngineWhisper
@_exported public import TestModels
@_exported public import TestSupport
