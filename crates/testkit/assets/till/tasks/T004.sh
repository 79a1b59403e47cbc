cat >> till/settings.py <<'E'

# Smallest coin, in cents.
CASH_STEP = 5
E
cat > till/rounding.py <<'E'
"""Rounding of cash."""

from till import settings


def round_cash(cents):
    """The amount rounded to the smallest coin."""
    step = settings.CASH_STEP
    return (cents + step // 2) // step * step
E
cat > tests/test_rounding.py <<'E'
"""Tests of rounding."""

import unittest

from till.rounding import round_cash


class RoundingTests(unittest.TestCase):
    def test_rounds_to_five(self):
        self.assertEqual([round_cash(cents) for cents in (97, 98, 100, 102, 103)], [95, 100, 100, 100, 105])
E
