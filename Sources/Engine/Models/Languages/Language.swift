/// A language that models can transcribe.
public struct Language: Hashable, Sendable {
    /// The index of its token among Whisper's language tokens, from 0.
    package let index: Int
    /// The code of two or three letters that openai-whisper uses, such as `en`.
    public let code: String
    /// The English name in lower case, such as `english`.
    public let name: String
    /// Alternative English names in lower case.
    package let aliases: [String]

    /// Whether the language is written without spaces, so that each character counts as a word.
    package var splitsWithoutSpaces: Bool { Self.codesWithoutSpaces.contains(code) }

    /// All 100 languages in the order of Whisper's tokens. Vocabularies with 99 languages do not have the last.
    public static let all: [Language] = table.split(separator: "\n").enumerated().map { index, line in
        let fields = line.split(separator: ":").map(String.init)
        return Language(index: index, code: fields[0], name: fields[1], aliases: Array(fields[2...]))
    }

    private init(index: Int, code: String, name: String, aliases: [String]) {
        self.index = index
        self.code = code
        self.name = name
        self.aliases = aliases
    }

    private static let codesWithoutSpaces: Set<String> = ["zh", "ja", "th", "lo", "my", "yue"]

    /// Code, name, aliases: openai-whisper's `LANGUAGES` and `TO_LANGUAGE_CODE`.
    private static let table = """
        en:english
        zh:chinese:mandarin
        de:german
        es:spanish:castilian
        ru:russian
        ko:korean
        fr:french
        ja:japanese
        pt:portuguese
        tr:turkish
        pl:polish
        ca:catalan:valencian
        nl:dutch:flemish
        ar:arabic
        sv:swedish
        it:italian
        id:indonesian
        hi:hindi
        fi:finnish
        vi:vietnamese
        he:hebrew
        uk:ukrainian
        el:greek
        ms:malay
        cs:czech
        ro:romanian:moldavian:moldovan
        da:danish
        hu:hungarian
        ta:tamil
        no:norwegian
        th:thai
        ur:urdu
        hr:croatian
        bg:bulgarian
        lt:lithuanian
        la:latin
        mi:maori
        ml:malayalam
        cy:welsh
        sk:slovak
        te:telugu
        fa:persian
        lv:latvian
        bn:bengali
        sr:serbian
        az:azerbaijani
        sl:slovenian
        kn:kannada
        et:estonian
        mk:macedonian
        br:breton
        eu:basque
        is:icelandic
        hy:armenian
        ne:nepali
        mn:mongolian
        bs:bosnian
        kk:kazakh
        sq:albanian
        sw:swahili
        gl:galician
        mr:marathi
        pa:punjabi:panjabi
        si:sinhala:sinhalese
        km:khmer
        sn:shona
        yo:yoruba
        so:somali
        af:afrikaans
        oc:occitan
        ka:georgian
        be:belarusian
        tg:tajik
        sd:sindhi
        gu:gujarati
        am:amharic
        yi:yiddish
        lo:lao
        uz:uzbek
        fo:faroese
        ht:haitian creole:haitian
        ps:pashto:pushto
        tk:turkmen
        nn:nynorsk
        mt:maltese
        sa:sanskrit
        lb:luxembourgish:letzeburgesch
        my:myanmar:burmese
        bo:tibetan
        tl:tagalog
        mg:malagasy
        as:assamese
        tt:tatar
        haw:hawaiian
        ln:lingala
        ha:hausa
        ba:bashkir
        jw:javanese
        su:sundanese
        yue:cantonese
        """
}
