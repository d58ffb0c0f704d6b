// The program with a second family of models, for tests.
import TestModels
import WhisperCommands
import WhisperEngine

ModelFamilies.add(ScriptedFamily.self)
CommandLineProgram.main()
