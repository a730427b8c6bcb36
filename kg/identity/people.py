"""Which names are one person: those that fold to the same words.

A first version: "José García", "Jose Garcia" and "García, José" are one person, "J. García"
is another until something joins them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from kg.model import Person
from kg.text import fold, plain

_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "phd", "md"})


def display_name(name: str) -> str:
    """The name as one reads it: TeX as letters, "Last, First" as "First Last"."""
    readable = " ".join(plain(name).text.split())
    last, comma, first = readable.partition(", ")
    if comma and first and "," not in first and fold(first) not in _SUFFIXES:
        return f"{first.strip()} {last.strip()}"
    return readable or " ".join(name.split())


def person_key(name: str) -> str:
    """What a name is compared by."""
    display = display_name(name)
    return fold(display) or display.casefold()


def people(names: Iterable[str]) -> tuple[Person, ...]:
    """The persons behind names, each as often as it is written; sorted by key.

    A person goes by the form written most often; among equals by the longest, then the first
    in code point order.
    """
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for name, times in Counter(names).items():
        if display := display_name(name):
            written[person_key(name)][display] += times
    persons = []
    for key in sorted(written):
        ranked = sorted(written[key].items(), key=lambda form: (-form[1], -len(form[0]), form[0]))
        forms = [form for form, _ in ranked]
        persons.append(Person(key, forms[0], tuple(sorted(forms[1:]))))
    return tuple(persons)
