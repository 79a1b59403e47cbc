cat > till/layout.py <<'E'
"""Layout of a page."""

from till.lines import item_line
from till.price import show_price
from till.rounding import round_cash


def page(basket, cents):
    """All lines of a basket, and the sum in cash."""
    lines = [item_line(*item) for item in basket.items]
    return "\n".join([*lines, f"Cash: {show_price(round_cash(cents))}"])
E
cat > tests/test_layout.py <<'E'
"""Tests of the layout."""

import unittest

from till.basket import Basket
from till.layout import page


class LayoutTests(unittest.TestCase):
    def test_ends_with_the_sum(self):
        basket = Basket()
        basket.add("egg", 30, 6)
        self.assertEqual(page(basket, 183).splitlines(), ["6 x egg: 1,80", "Cash: 1,85"])
E
