"""Looking at the text of a query before pyoxigraph does.

pyoxigraph reads a query by descending into it, and what is nested too deeply, or is too long
a chain, overflows its stack and ends the whole process. So such queries are refused first,
and so are those with more patterns, expressions or things to describe than it can join.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from kg.errors import QueryError

_DEEPEST = 200  # brackets within brackets
_LONGEST = 5000  # operators and groups; pyoxigraph fails from about 8,000 of them in a row

# Names, values and variables, save the data of VALUES: some 2,000 triples, or 1,200 aggregates.
# pyoxigraph fails from about 2,500 triples, or as many things in DESCRIBE.
_MOST = 6000
_DESCRIBED = 3  # how much one thing in DESCRIBE counts
_SHORT = _MOST // _DESCRIBED  # characters that hold no more than is allowed

# Nothing here looks further than it takes, so that the time grows with the length and no more.
# What stands between < and > may be an IRI or the end of one comparison and the start of
# another. Mostly that does not matter; where it does, see `_weigh`.
_TOKEN = re.compile(
    r"""
    (?P<text> \"{3}(?:[^"\\]|\\.|"(?!""))*+(?P<shut>\"{3})?
            | '{3}(?:[^'\\]|\\.|'(?!''))*+(?P<closed>'{3})?
            | "(?:[^"\\\n\r]|\\.)*+"? | '(?:[^'\\\n\r]|\\.)*+'? )
  | \#[^\n\r]*+
  | <(?P<iri>(?:[^<>"{}|^`\\\x00-\x20]|\\[uU][0-9A-Fa-f]{4})*+)>
  | [?$]\w+ | @[\w-]+ | _:\w[\w.-]*+
  | (?P<name>(?P<prefix>(?:[^\W\d_](?:[\w.-]{0,60}\w)?)?):(?:[\w:]|[.%-](?=[\w:.%-])|\\.)*+-*+)
  | (?P<word>[^\W\d]\w*+)
  | (?P<open><<|[({\[])
  | (?P<close>>>|[)}\]])
  | (?P<operator>\|\||&&|[!+*/|-])
  | \\.
  | (?P<number>\d++)
    """,
    re.VERBOSE | re.DOTALL,
)
_PLACE = re.compile(r"error at (\d+):(\d+): expected(?: one of)? (.*)", re.DOTALL)
_CHARACTERS = re.compile(r"\[(?:[^\]']|'[^']*')*\](?:, )?")
_CAUSE = re.compile(r"(?:\A|, )([A-Za-z]\w* [^,\"]*\w)")  # words, where others are what may come
_SIGNS = re.compile(r'(?:"[^"\w]+"(?:, )?){1,4}')
_APART_BY = 20  # more characters than any keyword has
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PIECE = re.compile(r"\w+|[?$:<\"'({\[]")
_APART = tuple(" \t\r\n{}")  # what stands before a keyword, and never within a name
_CHAINED = ("filter", "as")  # ends of words: keywords need no space around them
_DECLARED = re.compile(r"\bPREFIX\s*([^\s:<]{0,62}):", re.IGNORECASE)


def refuse_deep(query: str) -> None:
    """Raise QueryError where a query is nested too deeply or is too long a chain."""
    if len(query) <= _SHORT and sum(map(query.count, "{([<")) <= _DEEPEST:
        return  # there is no room for more, whatever it says
    depth = length = 0
    for nested, chained in _weigh(query):
        depth, length = max(depth + nested, 0), length + chained
        if depth > _DEEPEST:
            raise QueryError(f"the query is nested too deeply: at most {_DEEPEST} brackets")
        if length > _LONGEST:
            raise QueryError(
                f"the query is too long: at most {_LONGEST:,} operators and groups; "
                "ask for many things with VALUES"
            )
    if len(query) * _DESCRIBED > _MOST and _size(query) > _MOST:
        raise QueryError(
            f"the query is too long: at most {_MOST:,} names, values and variables "
            "outside VALUES; ask for many things with VALUES"
        )


def texts(query: str) -> Iterator[tuple[int, int]]:
    """Where texts and comments stand, as far as nothing can be mistaken for one: begin, end."""
    for token in _TOKEN.finditer(query):
        text = token["text"]
        if _uncertain(token) or query.startswith("\\", token.start()):
            return
        if text is not None and (len(text) < 2 or text[-1] != text[0]):
            return  # it has no end
        if text is not None or query.startswith("#", token.start()):
            yield token.span()


def unknown_prefix(query: str, known: Collection[str]) -> tuple[int, int, str] | None:
    """The first prefix that is neither declared nor known: its line, its column and itself."""
    declared = {*known, *_DECLARED.findall(query)}
    for token in _TOKEN.finditer(query):
        prefix, at = token["prefix"], token.start()
        # "http://…" without its angle brackets is another fault.
        if prefix is not None and prefix not in declared and not query.startswith("/", token.end()):
            return *_line_and_column(query, at), prefix
    return None


def fault(query: str, error_of: Callable[[str], str]) -> tuple[int, int, str] | None:
    """What is wrong in a query: the line and column of its first wrong token, and in words.

    `error_of` gives pyoxigraph's message for a text, "" for none. None where that says no more.

    Its parser reads as many characters as a keyword has before it compares them, and names the
    furthest place that it has come to. With its tokens far apart, that is within the wrong one.
    """
    starts, spaced, last = _spaced(query)
    found = _PLACE.fullmatch(error_of(spaced))
    if found is None or not starts:
        return None
    lines = spaced.split("\n")
    at = sum(len(line) + 1 for line in lines[: int(found[1]) - 1]) + int(found[2]) - 1
    expected = _CHARACTERS.sub("", found[3]).strip(" ,\n")
    here = [place for place, there in starts if there <= at]
    place = here[-1] if here else 0
    if cause := _CAUSE.search(expected):
        place, words = _select(query, place), cause[1]
        words = words.replace("The SELECT", "this SELECT").replace("SELECT *", "this SELECT *")
        return *_line_and_column(query, place), words[0].lower() + words[1:]
    ends = at >= len(spaced)
    place = last if ends else place
    token = _TOKEN.match(query, place)
    word = " ".join((token[0] if token and token[0] else query[place : place + 1])[:40].split())
    what = f"the query ends after {word}" if ends else f"{word} does not belong here"
    more = f"; expected {expected}" if _SIGNS.fullmatch(expected) else ""
    return *_line_and_column(query, place), what + more


def _spaced(query: str) -> tuple[list[tuple[int, int]], str, int]:
    """A query with spaces before its tokens, where there can be some.

    Gives where tokens begin, before and after, and, after the spaced query, where the last is.
    """
    starts, pieces, done, length, last, word = [], list[str](), 0, 0, 0, False
    for token in _TOKEN.finditer(query):
        at = token.start()
        if query.startswith("#", at):
            continue
        before = query[at - 1 : at]
        # The bracket of a function stands at its name.
        apart = before.isspace() or token[0] in "{})[]" or (word and bool(token["operator"]))
        if at == 0 or apart or before in ("{", "(", "[", "}", ")", "]"):
            pieces += [query[done:at], " " * _APART_BY]
            length += at - done + _APART_BY
            starts.append((at, length))
            done = at
        last, word = at, len(token["word"] or "") > 1
    # A line of its own, since the query may end in a comment.
    return starts, "".join([*pieces, query[done:], "\n", " " * _APART_BY]), last


def _select(query: str, end: int) -> int:
    """Where the SELECT begins that is complete at `end`, or has just been at its end."""
    depth, found = 0, dict[int, int]()
    for token in _TOKEN.finditer(query):
        if token.start() > end:
            break
        closes = token.start() == end and token["close"]
        depth += bool(token["open"]) - (bool(token["close"]) and not closes)
        if (token["word"] or "").upper() == "SELECT":
            found[depth] = token.start()
    return max((place for level, place in found.items() if level <= depth), default=end)


def _line_and_column(query: str, at: int) -> tuple[int, int]:
    return query.count("\n", 0, at) + 1, at - query.rfind("\n", 0, at)


def _size(query: str) -> int:
    """How many names, values and variables there are outside the data of VALUES; never too few."""
    size, each, values = 0, 1, ""
    for token in _TOKEN.finditer(query):
        if _uncertain(token):
            return size + each * len(_PIECE.findall(query, token.start()))
        at = token.start()
        word = (token["word"] or "").lower()
        opens, first = token["open"] or "", query[at]
        if values == "data":
            values = "" if token["close"] == "}" else values
            continue
        if word == "values" and query[at - 1 : at] in _APART:
            values = "names"
        elif values and opens == "{":
            values = "data"
        elif first not in "?$(){#":
            values = ""
        if opens == "{":
            each = 1
        elif word.endswith("describe"):
            each = _DESCRIBED
        if not (token["close"] or token["operator"] or first in "#@\\"):
            size += each
    return size


def _weigh(query: str) -> Iterator[tuple[int, int]]:
    """How each token changes the depth, and how much it adds to a chain; never too little."""
    for token in _TOKEN.finditer(query):
        if token["open"]:
            yield 1, int(token["open"] == "{")
        elif token["close"]:
            yield -1, 0
        elif token["operator"] or (token["word"] or "").lower().endswith(_CHAINED):
            yield 0, 1
        elif _uncertain(token):
            # From here on text and code may have changed places: whatever opens counts.
            for c in query[token.start() :]:
                yield int(c in "({[<"), 0
            return


def _uncertain(token: re.Match[str]) -> bool:
    """Whether a token may be something else, so that brackets or texts begin within it."""
    iri, text = token["iri"], token["text"]
    if iri is not None:
        return not _ABSOLUTE.match(iri) and any(c in "'#()[]" for c in iri)
    return (
        text is not None and text[:3] in ('"""', "'''") and not (token["shut"] or token["closed"])
    )
