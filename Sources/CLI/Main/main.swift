import WhisperCommands

CommandLineProgram.main()
