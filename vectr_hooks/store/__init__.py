"""All SQL: the notes, what triggers them, the ledger and the audit."""

APPLICATION_ID = 0x76656374  # "vect": tells our files from other SQLite databases
VERSION = 3
