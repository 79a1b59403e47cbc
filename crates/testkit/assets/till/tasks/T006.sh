cat > till/total.py <<'E'
"""Totals of a basket."""

from till.discount import take_off
from till.tax import add_tax


def total(basket, percent=0):
    """The total of a basket: its discount first, then the tax."""
    return add_tax(take_off(basket.cents(), percent))
E
cat > tests/test_total.py <<'E'
"""Tests of totals."""

import unittest

from till.basket import Basket
from till.total import total


class TotalTests(unittest.TestCase):
    def test_discount_comes_first(self):
        basket = Basket()
        basket.add("lamp", 1000)
        self.assertEqual(total(basket, 10), 1071)
E
