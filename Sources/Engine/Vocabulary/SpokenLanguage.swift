/// The commands of a language, and the words that cannot precede them.
struct SpokenLanguage: Sendable {
    typealias Command = SpokenPunctuation.Command

    let commands: [Command]
    /// Articles and other words that need a noun.
    let determiners: Set<String>
    let numbers: Set<String>
    /// Ends of adjectives.
    let adjectives: [String]
    /// Words with which the first word of a command is an expression.
    let expressions: [String: Set<String>]

    static let maxWords = 3

    /// Whether a command cannot follow a word.
    func precludes(_ command: Command, _ previous: String) -> Bool {
        if determiners.contains(previous) { return true }
        guard command.risk != .none else { return false }
        return numbers.contains(previous) || previous.allSatisfy(\.isNumber)
            || command.risk == .high
                && (adjectives.contains { previous.count > $0.count + 2 && previous.hasSuffix($0) }
                    || expressions[command.words[0]]?.contains(previous) == true)
    }

    private static func mark(_ words: String, _ sign: String, _ risk: SpokenPunctuation.Risk) -> Command {
        Command(words: words.split(separator: " ").map(String.init), sign: .mark(sign), risk: risk)
    }

    private static func lines(_ words: String, _ sign: String, _ risk: SpokenPunctuation.Risk = .some) -> Command {
        Command(words: words.split(separator: " ").map(String.init), sign: .lines(sign), risk: risk)
    }

    private static func set(_ words: String) -> Set<String> { Set(words.split(separator: " ").map(String.init)) }

    static let all: [String: SpokenLanguage] = [
        "en": SpokenLanguage(
            commands: [
                mark("full stop", ".", .some), mark("period", ".", .high), mark("comma", ",", .some),
                mark("question mark", "?", .none), mark("exclamation mark", "!", .none),
                mark("exclamation point", "!", .none), mark("colon", ":", .high), lines("new line", "\n", .none),
                lines("new paragraph", "\n\n", .none),
                Command(words: ["open", "quote"], sign: .opening("\""), risk: .none), mark("close quote", "\"", .none),
            ],
            determiners: set(
                "a an the this that these those my your his her its our their each every any some no one another what "
                    + "which first second third last next same whole of in and or"),
            numbers: set("two three four five six seven eight nine ten eleven twelve hundred thousand"),
            adjectives: ["ian", "al", "ic", "ous", "ive", "ary", "ish", "ful", "ing", "ed"],
            expressions: [
                "period": set(
                    "grace time trial waiting notice cooling-off probation rest transition holding incubation warranty study "
                        + "class lunch free long short dry wet hot cold brief quiet early late post-war war sales peak dot"
                ),
                "colon": set("semi spastic ascending descending"),
            ]),
        "de": SpokenLanguage(
            commands: [
                mark("punkt", ".", .high), mark("komma", ",", .some), mark("fragezeichen", "?", .none),
                mark("ausrufezeichen", "!", .none), mark("doppelpunkt", ":", .some), lines("neue zeile", "\n"),
                lines("neuer absatz", "\n\n"),
            ],
            determiners: set(
                "der die das den dem des ein eine einen einem einer eines kein keine keinen jeder jede jedes dieser diese dieses "
                    + "diesen diesem mein dein sein ihr unser auf am im zum vom beim und oder erste zweite dritte letzte nächste"
            ),
            numbers: set("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend"),
            adjectives: ["ige", "igen", "iger", "iges", "iche", "ichen", "icher", "ische", "ischen", "ten", "ste"],
            expressions: ["punkt": set("um wunder stich stand dreh treff höhe schwer mittel")]),
        "fr": SpokenLanguage(
            commands: [
                mark("point", ".", .high), mark("virgule", ",", .some), mark("point d'interrogation", "?", .none),
                mark("point d'exclamation", "!", .none), mark("deux points", ":", .high), lines("à la ligne", "\n"),
                lines("nouveau paragraphe", "\n\n"),
            ],
            determiners: set(
                "un une le la les l' du des au aux ce cet cette ces mon ton son notre votre leur chaque quel quelle aucun premier "
                    + "dernier à de ne et ou"),
            numbers: set("zéro deux trois quatre cinq six sept huit neuf dix onze douze cent mille"),
            adjectives: ["al", "el", "eux", "ier", "ique", "ain"],
            expressions: ["point": set("n'est pas rond mise pêche fort faible bon mauvais")]),
        "es": SpokenLanguage(
            commands: [
                mark("punto", ".", .high), mark("coma", ",", .some), mark("signo de interrogación", "?", .none),
                mark("signo de exclamación", "!", .none), mark("dos puntos", ":", .high), lines("nueva línea", "\n"),
                lines("nuevo párrafo", "\n\n"),
            ],
            determiners: set(
                "un una el la los las lo al del este esta ese esa mi tu su nuestro cada qué ningún primer último a en de y o que no"
            ),
            numbers: set("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce cien mil"),
            adjectives: ["al", "oso", "ico", "ivo"], expressions: ["punto": set("hasta cierto")]),
        "it": SpokenLanguage(
            commands: [
                mark("punto", ".", .high), mark("virgola", ",", .some), mark("punto interrogativo", "?", .none),
                mark("punto esclamativo", "!", .none), mark("due punti", ":", .high), lines("a capo", "\n"),
                lines("nuovo paragrafo", "\n\n"),
            ],
            determiners: set(
                "un una uno il lo la i gli le al del dal nel sul questo questa quel quella mio tuo suo nostro ogni che nessun primo "
                    + "ultimo a di in e o andare"),
            numbers: set("zero due tre quattro cinque sei sette otto nove dieci undici dodici cento mille"),
            adjectives: ["ale", "oso", "ico", "ivo"], expressions: ["punto": set("certo bel buon")]),
        "ru": SpokenLanguage(
            commands: [
                mark("точка", ".", .high), mark("запятая", ",", .some), mark("вопросительный знак", "?", .none),
                mark("восклицательный знак", "!", .none), mark("двоеточие", ":", .some), lines("новая строка", "\n"),
                lines("новый абзац", "\n\n"),
            ],
            determiners: set("эта та моя твоя его её наша ваша их каждая одна первая последняя и или в на"),
            numbers: set("два три четыре пять шесть семь восемь девять десять сто тысяча ноль"),
            adjectives: ["ная", "ская", "вая", "шая"], expressions: [:]),
    ]
}
