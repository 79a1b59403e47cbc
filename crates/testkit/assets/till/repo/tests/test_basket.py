"""Tests of the basket."""

import unittest

from till.basket import Basket


class BasketTests(unittest.TestCase):
    def test_adds_up(self):
        basket = Basket()
        basket.add("bread", 250)
        basket.add("egg", 30, 6)
        self.assertEqual(basket.cents(), 430)

    def test_refuses_nothing(self):
        with self.assertRaises(ValueError):
            Basket().add("air", 1, 0)
