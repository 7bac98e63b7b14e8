"""The append-only journal: every event of every table, kept for good.

Map of the folder:

    memory      a journal that lasts as long as the program: for tests, replay and trying out
    journal     the journal in a database, through SQLAlchemy Core: SQLite by default, PostgreSQL by URL
    schema      its tables
    chain       each row's checksum, which takes in the row before
    sqlite      what only SQLite needs: WAL, full sync, and plain sentences for what can go wrong with a file
    lock        one service a journal
"""
