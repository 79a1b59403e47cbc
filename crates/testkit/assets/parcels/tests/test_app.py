"""The application as its clients see it."""

import json
import os
import tempfile
import unittest

from parcels.accounts import Accounts
from parcels.app import application
from parcels.settings import Settings
from parcels.store import Store

from .client import ask


class AppTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        database = os.path.join(folder.name, "test.sqlite")
        Accounts(Store(database)).add_key("acme", "secret")
        self.application = application(Settings(database=database))

    def test_health_needs_no_key(self):
        status, _, body = ask(self.application, "GET", "/health")
        self.assertEqual((status, body), ("200 OK", {"status": "ok"}))

    def test_a_wrong_key_is_refused(self):
        status, _, body = ask(self.application, "GET", "/parcels/1", key="guess")
        self.assertEqual((status, body["error"]), ("401 Unauthorized", "unknown-key"))

    def test_an_announced_parcel_is_found(self):
        parcel = {"number": "1", "place": "Basel"}
        body = json.dumps(parcel).encode()
        status, _, _ = ask(self.application, "POST", "/parcels", key="secret", body=body)
        self.assertEqual(status, "201 Created")
        status, _, found = ask(self.application, "GET", "/parcels/1", key="secret")
        self.assertEqual((status, found), ("200 OK", parcel))

    def test_every_error_has_a_code(self):
        status, _, body = ask(self.application, "GET", "/parcels/9", key="secret")
        self.assertEqual((status, body["error"]), ("404 Not Found", "no-such-parcel"))


if __name__ == "__main__":
    unittest.main()
