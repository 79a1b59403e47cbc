cat > till/receipt.py <<'E'
"""Receipts."""

from till.layout import page
from till.price import show_price
from till.total import total


def receipt(basket, percent=0):
    """The receipt of a basket."""
    cents = total(basket, percent)
    return f"{page(basket, cents)}\nTotal: {show_price(cents)}"
E
cat > tests/test_receipt.py <<'E'
"""Tests of receipts."""

import unittest

from till.basket import Basket
from till.receipt import receipt


class ReceiptTests(unittest.TestCase):
    def test_shows_the_total(self):
        basket = Basket()
        basket.add("lamp", 1000)
        self.assertEqual(receipt(basket).splitlines()[-1], "Total: 11,90")
E
