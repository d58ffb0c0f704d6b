import Testing

@Suite("Program")
struct ProgramTests {}
