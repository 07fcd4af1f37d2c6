"""The demo: a scripted model works on a small real project in a temporary folder of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path

PROMPT = "The order totals are off by a cent. Make them exact, and check with the tests."

SCENARIO = Path(__file__).with_name("demo.toml")

OVER = """\
That was the whole script of the demo. To talk to a real model, leave with ctrl+d and set a key, such as

    export ANTHROPIC_API_KEY=…

or start a local server (Ollama, llama.cpp, LM Studio)."""

FILES = {
    "README.md": "# Shop\n\nA very small shop. Run the tests with `python3 -m unittest`.\n",
    "shop/__init__.py": "",
    "shop/totals.py": '''\
"""Totals of an order."""

from collections.abc import Iterable

from shop.items import Item


def total(items: Iterable[Item]) -> float:
    """The sum of the prices."""
    return sum(float(item.price) for item in items)


def count(items: Iterable[Item]) -> int:
    """How many items there are."""
    return sum(1 for _ in items)
''',
    "shop/items.py": '''\
"""What the shop sells."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Item:
    """A name and its price in euros."""

    name: str
    price: Decimal
''',
    "tests/__init__.py": "",
    "tests/test_totals.py": '''\
"""Totals must be exact to the cent."""

import unittest
from decimal import Decimal

from shop.items import Item
from shop.totals import count, total

PENCILS = [Item("pencil", Decimal("0.10"))] * 3


class Totals(unittest.TestCase):
    def test_three_pencils_cost_thirty_cents(self):
        self.assertEqual(total(PENCILS), Decimal("0.30"))

    def test_nothing_costs_nothing(self):
        self.assertEqual(total([]), 0)

    def test_items_are_counted(self):
        self.assertEqual(count(PENCILS), 3)
''',
}


class DemoProject:
    """The temporary project, gone after `close`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pyagent-tui-demo-", ignore_cleanup_errors=True)
        self.path = Path(self._folder.name) / "shop"
        for name, text in FILES.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def close(self) -> None:
        """Remove the folder and all that the demo did in it."""
        self._folder.cleanup()
