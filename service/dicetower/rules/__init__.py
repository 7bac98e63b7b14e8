"""The rules as values in, values out: no clock, no dice of their own, no I/O but the reading of a pack file.

    pack.load / pack.standard      a rule pack file -> RuleSet (checked whole, or BadRulePack)
    ruleset.RuleSet                the rows, the dice, the damage table; `choices(system)` for a page
    declared.declared              Attack as typed -> Attack in the rules' own words, or RulesRefusal
    plan.plan                      RuleSet, Attack -> Plan (four slots, printed effectiveness, notes)
    odds.odds                      RuleSet, Plan -> Odds (exact fractions)
    face.face                      Die, what was typed or reported -> the face's value, or RulesRefusal
    resolve.resolve                RuleSet, Plan, four faces -> Outcome with its explanation

`docs/rules.md` has every row, every ruling and "Adding a weapon system".
"""
