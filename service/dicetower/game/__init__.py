"""A table as a fold over its events: no clock, no I/O, no randomness.

Map of the folder:

    codec       frozen dataclasses <-> JSON, strict
    events      what may happen at a table; each has a stable kind, and goes to and from a journal row
    state       what a table is: settings, players, attacks with their slots, unassigned dice, steps to take back
    fold        apply(state, event) -> state
    undo        what taking back the last decision would do
    acts        what somebody wants -> the events it makes, or the sentence that refuses it
    view        state -> the dict of docs/api.md
    ledger      events -> a row for every attack and every die
"""
