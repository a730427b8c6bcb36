"""What may be written as a value of a datatype: the lexical spaces of XML Schema 1.1, part 2.

As in RDF, white space around a value is not taken away before: " 1" is no number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from rdflib import Literal

_XSD = "http://www.w3.org/2001/XMLSchema#"
_RDF_JSON = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON"

_INTEGER = "[+-]?[0-9]+"
_DECIMAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_DOUBLE = rf"{_DECIMAL}(?:[eE]{_INTEGER})?|[+-]?INF|NaN"

_YEAR = "-?(?:[1-9][0-9]{3,}|0[0-9]{3})"
# Of a leap year the last four digits tell, in any century.
_FOURS = "(?:0[48]|[2468][048]|[13579][26])"
_LEAP = f"-?(?:[1-9][0-9]*)?(?:[0-9]{{2}}{_FOURS}|(?:00|{_FOURS})00)"
_TO_28 = "(?:0[1-9]|1[0-9]|2[0-8])"
_TO_30 = "(?:0[1-9]|[12][0-9]|30)"
_TO_31 = "(?:0[1-9]|[12][0-9]|3[01])"
_LONG = f"(?:(?:0[13578]|1[02])-{_TO_31}|(?:0[469]|11)-{_TO_30})"  # all months but February
_DATE = f"(?:{_YEAR}-(?:{_LONG}|02-{_TO_28})|{_LEAP}-02-29)"
_TIME = r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)"
_ZONE = "(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))"

_MONTHS = "(?:[0-9]+Y(?:[0-9]+M)?|[0-9]+M)"
_SECONDS = r"[0-9]+(?:\.[0-9]+)?S"
_HOURS = rf"T(?:[0-9]+H(?:[0-9]+M)?(?:{_SECONDS})?|[0-9]+M(?:{_SECONDS})?|{_SECONDS})"
_DAYS = f"(?:[0-9]+D(?:{_HOURS})?|{_HOURS})"

_SIX = "[A-Za-z0-9+/] ?"  # bits
_ENDS = f"(?:{_SIX}{_SIX}[AEIMQUYcgkosw048] ?=|{_SIX}[AQgw] ?= ?=)"

# Characters that names in XML begin with, besides the colon, and that they have further on.
_FIRST = (
    r"A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d"
    r"\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_INSIDE = rf"{_FIRST}.0-9\u00b7\u0300-\u036f\u203f\u2040\-"

_PATTERNS = {
    "boolean": "true|false|1|0",
    "decimal": _DECIMAL,
    "integer": _INTEGER,
    "nonNegativeInteger": r"\+?[0-9]+|-0+",
    "nonPositiveInteger": r"-[0-9]+|\+?0+",
    "positiveInteger": r"\+?0*[1-9][0-9]*",
    "negativeInteger": "-0*[1-9][0-9]*",
    "double": _DOUBLE,
    "float": _DOUBLE,
    "date": f"{_DATE}{_ZONE}?",
    "dateTime": f"{_DATE}T{_TIME}{_ZONE}?",
    "dateTimeStamp": f"{_DATE}T{_TIME}{_ZONE}",
    "time": f"{_TIME}{_ZONE}?",
    "gYear": f"{_YEAR}{_ZONE}?",
    "gYearMonth": f"{_YEAR}-(?:0[1-9]|1[0-2]){_ZONE}?",
    "gMonth": f"--(?:0[1-9]|1[0-2]){_ZONE}?",
    "gMonthDay": f"--(?:{_LONG}|02-(?:{_TO_28}|29)){_ZONE}?",
    "gDay": f"---{_TO_31}{_ZONE}?",
    "duration": f"-?P(?:{_MONTHS}{_DAYS}?|{_DAYS})",
    "yearMonthDuration": f"-?P{_MONTHS}",
    "dayTimeDuration": f"-?P{_DAYS}",
    "hexBinary": "(?:[0-9A-Fa-f]{2})*",
    "base64Binary": f"(?:(?:{_SIX}){{4}})*(?:{_SIX * 3}[A-Za-z0-9+/]|{_ENDS})|",
    "normalizedString": r"[^\t\n\r]*",
    "token": r"(?:[^\t\n\r ]+(?: [^\t\n\r ]+)*)?",
    "language": "[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*",
    "NMTOKEN": f"[:{_INSIDE}]+",
    "Name": f"[:{_FIRST}][:{_INSIDE}]*",
    "NCName": f"[{_FIRST}][{_INSIDE}]*",
}
# The whole of a value of a datatype, in what Python and Rust read alike.
PATTERNS: Mapping[str, str] = {_XSD + name: text for name, text in _PATTERNS.items()}
_ANY = ("string", "anyURI")
# Integers of so many bits, and whether they have a sign.
_BITS = {"byte": (8, True), "short": (16, True), "int": (32, True), "long": (64, True)}
_BITS |= {f"unsigned{name.capitalize()}": (bits, False) for name, (bits, _) in _BITS.items()}


def well_formed(text: str, datatype: str) -> bool | None:
    """Whether a datatype has a value that is written so; None for one that is not known here."""
    fits = _FORMS.get(datatype)
    return None if fits is None else bool(fits(text))


def ill_formed(literal: Literal) -> bool:
    """Whether a literal is not written as its datatype asks for; rdflib tells of the unknown."""
    fits = well_formed(literal, str(literal.datatype))
    return bool(literal.ill_typed) if fits is None else not fits


def _within(bits: int, signed: bool) -> Callable[[str], bool]:
    """Whether a text is an integer of so many bits."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    # No more digits than there can be: Python takes its time for very long numbers.
    form = re.compile(rf"([+-]?)0*([0-9]{{1,{len(str(high))}}})")

    def fits(text: str) -> bool:
        found = form.fullmatch(text)
        return found is not None and low <= int(found[1] + found[2]) <= high

    return fits


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_no_json)
    except ValueError:
        return False
    except RecursionError:
        return True  # as far as can be told
    return True


def _no_json(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


_FORMS: dict[str, Callable[[str], object]] = {
    **{name: re.compile(pattern).fullmatch for name, pattern in PATTERNS.items()},
    **{_XSD + name: _within(*bits) for name, bits in _BITS.items()},
    **{_XSD + name: lambda _: True for name in _ANY},
    _RDF_JSON: _is_json,
}
