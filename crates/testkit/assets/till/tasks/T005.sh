cat > till/lines.py <<'E'
"""Lines of a receipt."""

from till.price import show_price


def item_line(name, cents, count):
    """The line of an item."""
    return f"{count} x {name}: {show_price(cents * count)}"
E
cat > tests/test_lines.py <<'E'
"""Tests of lines."""

import unittest

from till.lines import item_line


class LineTests(unittest.TestCase):
    def test_shows_count_and_price(self):
        self.assertEqual(item_line("egg", 30, 6), "6 x egg: 1,80")
E
