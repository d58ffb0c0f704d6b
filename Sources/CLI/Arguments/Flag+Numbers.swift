extension Flag {
    static func integer(
        _ name: String, _ short: String? = nil, in group: FlagGroup, _ help: String, range: ClosedRange<Int>,
        sets path: Path<Options, Int>
    ) -> Flag {
        let standard = Options()[keyPath: path]
        let rule = NumberRule(range)
        return Flag(entry(name, short, group, help, rule, standard: "\(standard)", example: "\(standard)")) {
            (value, options) throws(UsageError) in
            options[keyPath: path] = try rule.integer(value, option: name)
        }
    }

    /// A whole number or, where allowed, `None`.
    static func optionalInteger(
        _ name: String, _ short: String? = nil, in group: FlagGroup, _ help: String, range: ClosedRange<Int>,
        noneAllowed: Bool = true, standard: String? = nil, sets path: Path<Options, Int?>
    ) -> Flag {
        let standard = standard ?? Options()[keyPath: path].map { "\($0)" }
        let rule = NumberRule(range, orNone: noneAllowed)
        return Flag(entry(name, short, group, help, rule, standard: standard, example: rule.example)) {
            (value, options) throws(UsageError) in
            let isNone = noneAllowed && BooleanSyntax.isNone(value)
            options[keyPath: path] = isNone ? nil : try rule.integer(value, option: name)
        }
    }

    static func number(
        _ name: String, in group: FlagGroup, _ help: String, _ rule: NumberRule, sets path: Path<Options, Double>
    ) -> Flag {
        let standard = NumberRule.text(Options()[keyPath: path])
        return Flag(entry(name, nil, group, help, rule, standard: standard, example: standard)) {
            (value, options) throws(UsageError) in
            options[keyPath: path] = try rule.decimal(value, option: name)
        }
    }

    /// A number or `None`.
    static func optionalNumber(
        _ name: String, in group: FlagGroup, _ help: String, _ rule: NumberRule, sets path: Path<Options, Double?>
    ) -> Flag {
        let standard = Options()[keyPath: path].map(NumberRule.text)
        let rule = rule.orNone
        return Flag(entry(name, nil, group, help, rule, standard: standard, example: standard ?? rule.example)) {
            (value, options) throws(UsageError) in
            options[keyPath: path] = BooleanSyntax.isNone(value) ? nil : try rule.decimal(value, option: name)
        }
    }

    /// Seconds or `[hh:]mm:ss[.mmm]`.
    static func time(
        _ name: String, in group: FlagGroup, _ help: String, example: String, sets path: Path<Options, Double?>
    ) -> Flag {
        let entry = FlagEntry(
            name: name, group: group, shape: .value, placeholder: "TIME", help: help, example: example)
        return Flag(entry) { (value, options) throws(UsageError) in
            guard let seconds = TimeSyntax.seconds(value) else {
                throw .badValue(option: name, value: value, wanted: TimeSyntax.rule)
            }
            options[keyPath: path] = seconds
        }
    }

    private static func entry(
        _ name: String, _ short: String?, _ group: FlagGroup, _ help: String, _ rule: NumberRule, standard: String?,
        example: String
    ) -> FlagEntry {
        var entry = FlagEntry(
            name: name, short: short, group: group, shape: .value, placeholder: "N", help: help, example: example)
        entry.allowed = rule.allowed
        entry.standard = standard
        return entry
    }
}
