/// Words that belong to what follows them: articles, prepositions, conjunctions, possessives, subject pronouns, auxiliaries
/// and negations. A line or cue should rather break before than after one. Letters only, in lower case; apostrophes divide.
package enum LeadingWords {
    package static func of(_ language: String) -> Set<String> { lists[language] ?? [] }

    /// Abbreviations whose period ends no sentence, in all languages, without the period.
    static let abbreviations: Set<String> = [
        "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "gen", "capt", "lt", "sgt", "rev", "fig", "vol",
        "dept",
        "approx", "mme", "mlle", "cf", "chap", "sra", "srta", "dra", "uds", "sig", "dott", "avv", "pag", "nr", "bzw",
        "ca",
        "vgl", "evtl", "inkl", "ggf", "dhr", "mevr", "bijv", "г", "ул", "стр", "тыс",
    ]

    private static let lists: [String: Set<String>] = words.mapValues { Set($0.split(separator: " ").map(String.init)) }

    private static let words = [
        "en":
            "a an the this that these those my your his her its our their whose each every some any another of to in on at by "
            + "for from with without within into onto over under about above below between among through during before after "
            + "against toward towards upon behind beside near off across along around until till since despite via per and or "
            + "but nor so yet if whether when while where because although though unless than as like who whom which what how i "
            + "you he she it we they there is are was were be been being am has have had having will would can could shall "
            + "should may might must do does did not never no very too quite rather more most less just only such mr mrs ms dr "
            + "st im ive youre hes shes theyre were lets dont doesnt didnt cant wont isnt arent wasnt",
        "fr":
            "le la les l un une des du de d au aux ce cet cette ces c mon ma mes ton ta tes son sa ses notre nos votre vos leur "
            + "leurs chaque quelques plusieurs tout toute tous toutes aucun aucune à en dans sur sous par pour sans avec chez "
            + "vers entre contre depuis pendant avant après dès jusque devant derrière parmi selon malgré et ou mais donc or ni "
            + "car que qu qui quoi dont où si quand lorsque puisque comme comment parce afin je j tu il elle on nous vous ils "
            + "elles ne n pas plus se s me m te t y est es suis sont sommes êtes a ai as ont avons avez était étaient ont "
            + "sera seront être avoir été peut peuvent doit doivent va vont très trop plus moins bien m mme",
        "es":
            "el la los las un una unos unas lo al del de a ante bajo con contra desde durante en entre hacia hasta mediante para "
            + "por según sin sobre tras y e o u ni pero sino que si cuando como donde porque aunque mientras quien quienes cuyo "
            + "cuya mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro este esta estos estas ese esa esos esas "
            + "aquel aquella cada todo toda todos todas algún alguna yo tú él ella usted nosotros ellos ellas ustedes me te se "
            + "le les nos os no es son está están era eran ser fue ha han he había habían hay será puede pueden debe muy más "
            + "menos tan sr sra",
        "it":
            "il lo la i gli le l un uno una di a da in con su per tra fra del dello della dell dei degli delle al allo alla all "
            + "ai agli alle dal dallo dalla dall dai dalle nel nello nella nell nei nelle sul sullo sulla sull sui sulle e ed o "
            + "od ma né che chi cui se quando come dove perché mentre anche quindi oppure mio mia miei mie tuo tua tuoi suo sua "
            + "suoi sue nostro nostra vostro vostra loro questo questa questi queste quel quello quella quei ogni io tu lui lei "
            + "noi voi essi non mi ti si ci vi ne è sono sei siamo siete era erano ha hanno ho hai abbiamo essere avere può "
            + "possono deve sarà stato molto più meno così sig dott",
        "pt":
            "o a os as um uma uns umas de do da dos das em no na nos nas num numa ao à aos às por pelo pela pelos pelas com sem "
            + "para sobre entre até desde contra após durante e ou nem mas que se quando como onde porque embora enquanto quem "
            + "cujo cuja meu minha meus minhas teu tua seu sua seus suas nosso nossa este esta estes estas esse essa esses "
            + "essas aquele aquela cada todo toda todos todas eu tu ele ela você nós eles elas vocês me te lhe não é são está "
            + "estão era eram ser foi tem têm tinha há vai vão pode podem deve será muito mais menos tão sr sra",
        "de":
            "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner mein meine meinen meinem "
            + "meiner dein deine sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere euer dieser diese "
            + "dieses diesen diesem jeder jede jedes jeden in im ins an am ans auf aus bei beim mit nach von vom zu zum zur für "
            + "durch gegen ohne um über unter vor hinter neben zwischen seit bis während wegen und oder aber denn sondern dass "
            + "ob wenn weil als wie damit obwohl bevor nachdem wo ich du er sie es wir man nicht nie sich mich dich uns bin bist "
            + "ist sind seid war waren habe hast hat haben hatte hatten wird werde werden wurde wurden kann können muss müssen "
            + "soll sollen will wollen darf sehr so zu mehr noch nur auch herr frau dr",
        "nl":
            "de het een deze die dit dat mijn jouw je uw zijn haar ons onze hun elke ieder geen in op aan bij met naar van voor "
            + "door tegen zonder om over onder achter naast tussen tot uit sinds tijdens te ten ter en of maar want dus als dan "
            + "toen terwijl omdat hoewel zodat wanneer waar wie wat hoe ik jij hij zij ze we wij jullie u er niet nooit zich me "
            + "is ben bent was waren heb hebt heeft hebben had wordt worden werd kan kunnen moet moeten zal zullen zou mag wil "
            + "heel erg zeer zo meer nog",
        "ru":
            "в во на с со к ко от ото до из изо у о об обо по за над под подо при про без для через между перед среди около "
            + "после против ради кроме вместо и а но или либо да что чтобы как так если когда пока где куда потому хотя который "
            + "которая которое которые которого кто чем не ни мой моя моё мои твой твоя его её их наш наша наше наши ваш ваша "
            + "ваше ваши свой своя своё свои этот эта это эти тот та то те весь вся все каждый я ты он она оно мы вы они бы же "
            + "ли был была было были будет будут есть очень более самый уже ещё только",
        "pl":
            "w we na z ze do od o u po za nad pod przy przez bez dla między przed i a ale lub albo że żeby aby jak jeśli gdy kiedy "
            + "który która które nie mój moja twój jego jej ich nasz wasz swój ten ta to ci te ja ty on ona ono my wy oni się "
            + "jest są był była było być bardzo",
        "uk":
            "в у на з із зі до від о об по за над під при про без для через між перед і й та а але або що щоб як якщо коли де який "
            + "яка яке які не ні мій моя твій його її їх наш ваш свій цей ця це ці той та те я ти він вона воно ми ви вони би же "
            + "був була було були є дуже",
    ]
}
