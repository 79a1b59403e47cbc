"""The database: one connection, one lock."""

import sqlite3
import threading

TABLES = """
CREATE TABLE IF NOT EXISTS parcels (number TEXT PRIMARY KEY, place TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS keys (digest TEXT PRIMARY KEY, account TEXT NOT NULL);
"""


class Store:
    """Every statement takes the lock, so threads do not meet in SQLite."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.connection = sqlite3.connect(path, check_same_thread=False)
        self.connection.executescript(TABLES)

    def one(self, statement, *values):
        """The first row, or None."""
        with self.lock:
            return self.connection.execute(statement, values).fetchone()

    def change(self, statement, *values):
        """Changes something and commits. Returns how many rows that were."""
        with self.lock, self.connection:
            return self.connection.execute(statement, values).rowcount
