"""Settings of the shop."""

CURRENCY = "EUR"
