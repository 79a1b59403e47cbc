"""Settings from the environment."""

import unittest

from parcels.settings import Settings, load


class SettingsTest(unittest.TestCase):
    def test_nothing_set_is_the_default(self):
        self.assertEqual(load({}), Settings())

    def test_numbers_are_numbers(self):
        self.assertEqual(load({"PARCELS_THREADS": "8"}).threads, 8)

    def test_a_number_that_is_none_is_an_error(self):
        with self.assertRaises(ValueError):
            load({"PARCELS_PORT": "eighty"})
