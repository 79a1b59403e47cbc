"""What a customer buys."""


class Basket:
    """Items with their prices and counts, in the order they were added."""

    def __init__(self):
        self.items = []

    def add(self, name, cents, count=1):
        """Adds an item."""
        if count < 1:
            raise ValueError("a basket holds whole items")
        self.items.append((name, cents, count))

    def cents(self):
        """Sum of all items."""
        return sum(cents * count for _, cents, count in self.items)
