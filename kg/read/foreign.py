"""Files of other forms: they are told by how they begin, or by their names.

A list of abstracts has no mark of its own, so that what is nothing else is taken for one. The
rules here are narrow where the text is all that there is, for abstracts begin with anything and
hold code; the name of a file counts only where its text has no mark.
"""

from __future__ import annotations

import csv
import re
from pathlib import PurePath
from shlex import quote

from kg.errors import printable

_RDF = {
    ".ttl": "Turtle", ".nt": "N-Triples", ".nq": "N-Quads", ".trig": "TriG", ".n3": "N3",
    ".rdf": "RDF/XML", ".owl": "OWL", ".jsonld": "JSON-LD",
}  # fmt: skip
_NAMED = {
    "TOML": ".toml", "YAML": ".yaml .yml", "settings": ".ini .cfg", "a table": ".csv .tsv",
    "BibTeX": ".bib", "an export of references": ".ris .nbib .enw",
    "XML or HTML": ".xml .html .htm .xhtml .svg", "a style sheet": ".css .scss",
    "a SPARQL query": ".rq .sparql", "SQL": ".sql", "a patch": ".diff .patch",
    "a program": ".py .pyi .js .mjs .ts .java .cc .cpp .hpp .go .rs .rb .pl .php .sh .bat",
}  # fmt: skip
_ENDINGS = {ending: what for what, endings in _NAMED.items() for ending in endings.split()}

_IRI = r'<(?:[a-z][a-z\d+.-]*:|\#)[^<>\s"]*>'
_TURTLE = re.compile(
    rf"""(?: @(?:prefix\s+[^\s:<>]*:|base)\s*<[^<>\s]*>\s*\.
          | (?:prefix\s+[^\s:<>]*:|base)\s*{_IRI}
          | (?:graph\s+)?{_IRI}\s*\{{\s*(?:<|_:|\}})
          | (?:{_IRI}|_:\S+|\[\])\s+(?:{_IRI}|a)\s+(?:{_IRI}|_:|"|\[|\() )""",
    re.IGNORECASE | re.VERBOSE,
)
_N_TRIPLES = re.compile(
    rf"(?:{_IRI}|_:\S+)[ \t]+{_IRI}[ \t]+[<_\"][^\n]*\.[ \t]*\r?$", re.IGNORECASE | re.MULTILINE
)
_VALUE = (
    r"""(?:"[^\n]*"|'[^\n]*'|\"{3}[^\n]*|[-+]?\d[\d_.:TZ-]*|true|false|[\[{](?:[^\n]*[\]},\[{])?)"""
)
_NAME = r"""[\w."'-]+"""
# What the text begins with -> what that is; `#` comments and empty lines are left out before.
_BEGINNINGS = {
    re.compile(rf"(?:\[\[?[^\[\]\n]+\]\]?[ \t\r]*(?:\#[^\n]*)?\n)*{_NAME}[ \t]*=[ \t]*{_VALUE}"
               r"[ \t\r]*(?:\#[^\n]*)?(?:\n|\Z)"): "TOML",
    re.compile(r"\[[\w.-]+\]\r?\n[\w.-]+[ \t]*=|\+\+\+\r?\n[\w.-]+[ \t]*="): "settings",
    re.compile(r"%YAML|---[ \t]*\r?\n(?:- )?[a-z_][\w.-]*:(?:\s|\Z)"): "YAML, or begins with it",
    re.compile(r"(?:from[ ][\w.]+[ ]import[ ][\w.,*() ]+|import[ ][\w.]+(?:[ ]as[ ]\w+)?"
               r"|(?:async[ ])?def[ ]\w+\(.*|class[ ]\w+(?:\(.*\))?:)\r?(?:\n|\Z)"
               r"|[rbuf]?\"{3}(?s:.*)\n(?:from|import|def|class)[ ]\w"): "a program",
    re.compile(r"(?:%[^\n]*\n|\s)*\\document(?:class|style)\b"): "LaTeX",
    re.compile(r"(?:%[^\n]*\n|\s)*@[ ]*(?:[A-Za-z]+\s*[{(][^,{}()\n]*,"
               r"|(?i:string|comment|preamble)\s*[{(])"): "BibTeX",
    re.compile(r"TY  - [A-Z]|PMID- \d|%0 [A-Z]|FN (?:Clarivate|Thomson|ISI)\b"):
        "an export of references",
    re.compile(r"-{10,}\r?\n\\\\\r?\n"): "arXiv metadata in .abs form",
    re.compile(r"<[A-Za-z!?/]"): "XML or HTML",
}  # fmt: skip


def rdf(path: str, text: str) -> str:
    """Why a text that is RDF is none to read, and what to do; "" where it is no RDF."""
    bare = _bare(text)
    if re.match(r"<(?:\?xml|!--|rdf:RDF)", text) and "<rdf:RDF" in text[:4000]:
        return is_rdf(path, "RDF/XML")
    if _TURTLE.match(bare):
        return is_rdf(path, "N-Triples" if _N_TRIPLES.match(bare) else "Turtle")
    return ""


def is_rdf(path: str, syntax: str) -> str:
    """That a file is RDF, and what can be done with it; the ending of its name knows better."""
    syntax = _RDF.get(ending(path), syntax)
    call = f"kg validate {printable(quote(path))}"
    return f"is RDF ({syntax}); kg reads papers' texts; to check RDF: {call}"


def beginning(text: str, whole: bool) -> str:
    """What a text is that begins like another form; `whole` where it is not cut."""
    bare = _bare(text)
    for begins, what in _BEGINNINGS.items():
        if begins.match(bare):
            return what
    if re.match(r"#!\s*/", text) or _is_code(bare):
        return "a program"
    return "a table" if _is_table(text, whole) else ""


def by_name(path: str, packed: bool) -> str:
    """What a file is by the ending of its name."""
    own = ending(path, packed)
    return f"RDF ({_RDF[own]})" if own in _RDF else _ENDINGS.get(own, "")


def ending(path: str, packed: bool = True) -> str:
    """The ending of a file's name, and below .gz where it is packed."""
    name = re.sub(r"(?:\.gz)+$", "", path, flags=re.IGNORECASE) if packed else path
    return PurePath(name).suffix.lower()


def _bare(text: str) -> str:
    """A text without empty lines and comments."""
    lines = (line for line in text.split("\n") if line.strip() and not line.startswith("#"))
    return "\n".join(lines).lstrip()


def _is_code(bare: str) -> bool:
    """Whether lines end as those of a program or a style sheet do, from the first one on."""
    lines = [
        line.strip() for line in re.sub(r"(?s)/\*.*?\*/|//[^\n]*|&\#?\w+;", "", bare).split("\n")
    ]
    lines = [line for line in lines if line][:200]
    ends = [line.endswith(("{", "}", ";")) for line in lines]
    return len(lines) > 2 and ends[0] and 2 * sum(ends) >= len(ends)


def _is_table(text: str, whole: bool) -> bool:
    """Whether the lines have the same number of cells, and the first one has names in them."""
    lines = text.split("\n")[:40]
    if head := re.fullmatch(r"[\w-]+(?:([,;\t])[\w-]+(?: [\w-]+){0,3}){2,40}\r?", lines[0]):
        # Cells may hold what parts them; no row has fewer.
        return not any(lines[1:2]) or lines[1].count(head[1]) >= lines[0].count(head[1])
    for parted in "\t", ",", ";", "|":
        try:
            rows = list(csv.reader(lines, delimiter=parted))
        except csv.Error:
            continue
        rows = rows[:3] if whole or len(rows) > 3 else rows[:-1]
        rows = rows[:-1] if rows and not rows[-1] else rows
        same = len({len(row) for row in rows}) == 1 and len(rows) > 1 and len(rows[0]) > 1
        if same and all(re.fullmatch(r"[^\W\d][\w .:/()#-]{0,40}\r?", cell) for cell in rows[0]):
            return True
    return False
