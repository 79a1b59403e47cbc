"""A till for a small shop. Amounts are whole cents."""
