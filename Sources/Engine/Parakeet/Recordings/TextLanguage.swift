/// The language of a text, found by its most frequent words: a network that writes several languages need not say
/// which.
package struct TextLanguage: Hashable {
    package let code: String
    /// Its share of all frequent words in the text.
    package let probability: Double

    /// The number of pieces of a recording, at most, whose text is examined.
    static let pieces = 3
    /// Frequent words that are sufficient.
    private static let leastWords = 3

    /// - Parameter codes: the possible languages.
    /// - Returns: `nil` if the text has too few words for a guess.
    package init?(of text: String, among codes: [String]) {
        let words = text.lowercased().split { !$0.isLetter && $0 != "'" }
        var counts: [String: Int] = [:]
        for (code, frequent) in Self.frequentWords where codes.contains(code) {
            counts[code] = words.count { frequent.contains($0) }
        }
        let best = codes.max { counts[$0, default: 0] < counts[$1, default: 0] }
        guard let best, let count = counts[best], count >= Self.leastWords else { return nil }
        code = best
        probability = Double(count) / Double(counts.values.reduce(0, +))
    }

    private static let frequentWords: [String: Set<Substring>] = Dictionary(
        uniqueKeysWithValues: lists.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return (String(words[0]), Set(words.dropFirst()))
        })

    /// A code, and words that are frequent in the language and rare in the others.
    private static let lists = """
        en the and of to is that it you was with this are have not for we they what but be
        de der die und ist nicht das ich mit den sie ein eine auf auch wir es sich dem zu von
        fr le les est et des que une pas dans vous je nous qui il pour sur ce elle du avec
        es el los las y que es una no por con lo se para del como más pero su yo está
        it il di che è non una per sono gli con della anche più ma del ho nel questo si io
        pt os não que um uma com para é do da mais como mas foi ele se dos na no você
        nl de het een en van ik niet dat is zijn op te met voor ze wij maar ook er aan
        pl i nie się na jest to że z do w jak ale co tak po są przez był dla czy
        ru и в не на что это я с как он но по мы все было из так они у же
        uk і в не на що це я з як він але по ми та було із так вони у є
        bg и не на да се е за от че с това са по но ще ли като беше си ни
        cs a je se na že to v ne jsem jako ale jsou s by co pro tak nebo už byl
        da og det er at en på jeg ikke af som til med den har vi de for men du var
        el και το να η της που του τα είναι με δεν για την στο ο οι θα από τη μου
        et ja on ei et see ma ta kui oli mis siis ka aga me seda nad oma või kes nii
        fi ja on ei että se hän oli minä mutta kun niin ovat myös tämä mitä joka sen me jos olen
        hr i je se da u na to ne su za što ali kao bio sam od nije koji ili smo
        hu a az és hogy nem is egy van ez de ha meg már csak volt mint el azt lehet vagy
        lt ir kad ne tai yra su į iš bet kaip buvo jis aš mes apie jo bei nuo dėl tik
        lv un ir ka ar no par tas bija bet kā es tā mēs nav arī uz viņš ko lai jau
        mt li u il ta ma fil għal dan kien minn din jew hija bil kif hemm mhux dawn imma aħna
        ro și în nu că la de este un o pe din cu care pentru mai sunt fi dar am să
        sk a je sa na že to v nie som ako ale sú s by čo pre tak alebo už bol
        sl in je se da v na ni so za to ki ne pa bil sem kot ali tudi smo še
        sv och det är att en på jag inte av som till med den har vi de för men var ett
        """
}
