cat > till/discount.py <<'E'
"""Discounts in percent."""


def take_off(cents, percent):
    """The amount without a discount, rounded down."""
    return cents * (100 - percent) // 100
E
cat > tests/test_discount.py <<'E'
"""Tests of discounts."""

import unittest

from till.discount import take_off
from till.price import read_price


class DiscountTests(unittest.TestCase):
    def test_rounds_down(self):
        self.assertEqual(take_off(read_price("0,99"), 10), 89)
E
