"""Accounts and their keys."""

import hashlib


class Accounts:
    """Keys are kept as digests; one account may have several."""

    def __init__(self, store):
        self.store = store

    def account_of(self, key):
        """The account that a key belongs to, or None."""
        if not key:
            return None
        digest = hashlib.sha256(key.encode()).hexdigest()
        row = self.store.one("SELECT account FROM keys WHERE digest = ?", digest)
        return row[0] if row else None

    def add_key(self, account, key):
        """Gives an account one more key."""
        digest = hashlib.sha256(key.encode()).hexdigest()
        self.store.change("INSERT INTO keys (digest, account) VALUES (?, ?)", digest, account)
