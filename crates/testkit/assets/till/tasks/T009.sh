mkdir -p till/report
cat > till/report/__init__.py <<'E'
"""The report of a day."""
E
cat > till/report/day.py <<'E'
"""A day of the till."""

from till.total import total


def day_total(baskets):
    """The sum of all receipts of a day."""
    return sum(total(basket) for basket in baskets)
E
cat > tests/test_day.py <<'E'
"""Tests of the day."""

import unittest

from till.basket import Basket
from till.report.day import day_total


class DayTests(unittest.TestCase):
    def test_adds_up_all_receipts(self):
        basket = Basket()
        basket.add("lamp", 1000)
        self.assertEqual(day_total([basket, basket]), 2380)
E
