import Testing
import WhisperEngine
import WhisperCommands

@Suite("Reports of storage errors")
struct StorageErrorReportTests {
    private static let path = FilePath("out/a.srt")
    private static let folder = FilePath("out")

    @Test(
        "an output error reports its description, advice and exit status",
        arguments: [
            (
                OutputError.unknownFormat("docx"), WhisperCommands.ExitStatus.usage,
                "use one or more of txt,md,srt,vtt,ass,tsv,json,csv,lrc,rttm, or all"
            ),
            (.emptyFormat, .usage, "use one or more of txt,md,srt,vtt,ass,tsv,json,csv,lrc,rttm, or all"),
            (
                .sameOutput(output: path, first: path, second: path), .cannotCreate,
                "use a different output folder for each input, or rename one of them"
            ),
            (.overwritesInput(output: path, input: path), .cannotCreate, "choose another output folder or format"),
            (.folderIsFile(folder), .cannotCreate, "choose another folder with --output-dir"),
            (.folderMissing(folder), .cannotCreate, "mkdir -p out"),
            (.currentFolderDeleted, .cannotCreate, "change to another folder (cd)"),
            (.folderNotWritable(folder), .cannotCreate, "choose another folder with --output-dir"),
            (.readOnlyFileSystem(folder), .cannotCreate, "choose another folder with --output-dir"),
            (.nameTooLong(path), .cannotCreate, "use a shorter file name"),
            (.outputIsFolder(path), .cannotCreate, "move it away, or choose another folder with --output-dir"),
            (.outputIsSpecial(path), .cannotCreate, "move it away, or choose another folder with --output-dir"),
            (.danglingLink(path), .cannotCreate, "rm out/a.srt"),
            (.ownerWouldChange(path), .cannotCreate, "remove the file, or choose another folder with --output-dir"),
            (.noSpace(folder), .inputOutput, "free some space and run again; the text so far is on standard output"),
            (
                .writeFailed(path, reason: "no"), .inputOutput,
                "choose another folder with --output-dir; the text so far is on standard output"
            ),
            (
                .busy(path, process: 7), .tryAgain,
                "wait for that run to finish, or choose another folder with --output-dir"
            ),
            (.outOfResources(path), .tryAgain, "close other programs and run again"),
        ])
    func output(error: OutputError, status: WhisperCommands.ExitStatus, advice: String) {
        #expect(error.report == ErrorReport(status, error.description, advice: advice))
    }

    @Test(
        "a journal error reports its description, advice and exit status",
        arguments: [
            (JournalError.badName(""), WhisperCommands.ExitStatus.usage), (.corrupt(path), .badData),
            (.notAFile(path), .badData),
            (.newer(path, version: 9, known: 1), .badData), (.noSavedAudio(name: "a", path), .noInput),
            (.notOpen(name: "a"), .internalError), (.outOfOrder(id: 2, expected: 1), .internalError),
            (.changed(id: 1), .internalError), (.badTime(id: 1), .internalError),
            (.cannotCreate(path, reason: "no"), .cannotCreate), (.readOnly(path), .cannotCreate),
            (.noSpace(path), .inputOutput), (.failed(path, reason: "no"), .inputOutput), (.gone(path), .inputOutput),
            (.storeBusy(path), .tryAgain), (.sessionBusy(name: "a", process: 7), .tryAgain),
            (.outOfMemory(path), .tryAgain), (.notPermitted(path), .notPermitted),
        ])
    func journal(error: JournalError, status: WhisperCommands.ExitStatus) throws {
        #expect(error.report.status == status && error.report.what == error.description)
        let advice = try #require(error.report.advice)
        #expect(!advice.isEmpty && !advice.contains("\n"))
    }

    @Test("a streaming error reports its description, advice and exit status")
    func streaming() {
        #expect(
            StreamingError.outOfRange(option: "step", allowed: "a number from 0.25 to 2").report
                == ErrorReport(
                    .usage, "step is out of range: it must be a number from 0.25 to 2",
                    advice: "use a number from 0.25 to 2"))
        #expect(
            StreamingError.decodingFailed(reason: "no", from: 1.04).report
                == ErrorReport(
                    .internalError, "recognition failed repeatedly at 1.0 s: no",
                    advice: "start again; the text recognized so far has been saved"))
        #expect(
            StreamingError.journalFailed(reason: "no", unsaved: 3).report
                == ErrorReport(
                    .inputOutput, "3 finals could not be stored: no",
                    advice: "free some space, and copy the missing text from this terminal"))
        #expect(
            StreamingError.spoolFailed(reason: "no", from: 2).report
                == ErrorReport(
                    .inputOutput, "audio from 2.0 s on could not be queued: no", advice: "use a smaller model"))
    }
}
