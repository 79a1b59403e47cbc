cat > till/price.py <<'E'
"""Prices as people write them."""

import re


def read_price(text):
    """Cents of a price such as `2,50`."""
    found = re.fullmatch(r"(\d+),(\d\d)", text.strip())
    if not found:
        raise ValueError(f"{text!r} is not a price; write it as 2,50")
    return int(found[1]) * 100 + int(found[2])


def show_price(cents):
    """A price as people write it."""
    return f"{cents // 100},{cents % 100:02}"
E
cat > tests/test_price.py <<'E'
"""Tests of prices."""

import unittest

from till.price import read_price, show_price


class PriceTests(unittest.TestCase):
    def test_reads_euros_and_cents(self):
        self.assertEqual(read_price("2,50"), 250)
        self.assertEqual(show_price(read_price("12,05")), "12,05")

    def test_refuses_other_texts(self):
        for text in ["", "2.50", "2,5", "-1,00"]:
            with self.assertRaises(ValueError):
                read_price(text)
E
