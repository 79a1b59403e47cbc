mkdir -p till/report
cat > till/report/text.py <<'E'
"""The report as a text."""

from till import settings
from till.price import show_price


def report_text(cents):
    """The report of a day."""
    return f"Sum of the day: {show_price(cents)} {settings.CURRENCY}"


if __name__ == "__main__":
    print(report_text(0))
E
cat > tests/test_report_text.py <<'E'
"""Tests of the text of the report."""

import unittest

from till.report.text import report_text


class ReportTextTests(unittest.TestCase):
    def test_names_the_currency(self):
        self.assertEqual(report_text(2380), "Sum of the day: 23,80 EUR")
E
