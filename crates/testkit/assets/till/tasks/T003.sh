cat >> till/settings.py <<'E'

# Tax on every amount, in percent.
TAX_PERCENT = 19
E
cat > till/tax.py <<'E'
"""Taxes."""

from till import settings


def add_tax(cents):
    """The amount with its tax, rounded to whole cents."""
    return cents + round(cents * settings.TAX_PERCENT / 100)
E
cat > tests/test_tax.py <<'E'
"""Tests of taxes."""

import unittest

from till.tax import add_tax


class TaxTests(unittest.TestCase):
    def test_adds_nineteen_percent(self):
        self.assertEqual(add_tax(1000), 1190)
E
