"""Tapes: what a table was given, kept and played again. The format is docs/tapes.md, its folder `sources.tape`.

Map of the folder:

    inputs      each kind of input as a value, to and from a tape's line
    results     what came of an input at a table; the first difference between two lists of them, in words
    start       the table a tape begins with
    ports       the e-dice at their serial ports, with time from the tape
    stage       a table that is given inputs in place of devices and people
    replay      a tape on a stage of its own: results, compared, or taken as the new expectation
    show        tapes at their own pace at a table that is being served
    recorder    a live table, and what it is given, as a tape
    report      many tapes as JUnit XML
    bundled     where the tapes lie that come with the program
"""
