r"""arXiv identifiers, DOIs and ORCIDs in the forms that people write them.

arXiv: https://info.arxiv.org/help/arxiv_identifier.html; the DOIs of arXiv, 10.48550/arXiv.ID,
are its identifiers, too. DOI: the DOI Handbook, section 2.2;
DOIs do not tell case apart, so that they are kept in lower case. ORCID: the structure of the
identifier at https://support.orcid.org; its last character checks the others (ISO/IEC 7064,
MOD 11-2).
"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

_RESOLVER = r"(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|(?:urn:)?doi:\s*|info:doi/)?"
_ARXIV = re.compile(
    rf"""(?: (?P<address>(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/)
          | {_RESOLVER}10\.48550/arxiv\. | arxiv:\s* | oai:arxiv\.org: )?
        (?: (?P<new>\d\d(?:0[1-9]|1[0-2])\.\d{{4,5}})
          | (?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.(?:[a-z]{{2}}|[a-z]+-[a-z]+|soft|other))?
            /(?P<number>\d\d(?:0[1-9]|1[0-2])\d{{3}}) )
        (?:v\d+)?(?:\.pdf)?(?:\s*\[[\w.-]+\])?
        (?(address)/?(?:[?\#]\S*)?)""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_URL = re.compile(
    r"https?://(?:[^\s<>\"{}|\\^`%\x00-\x20\x7f-\x9f]|%[0-9A-Fa-f]{2})+", re.IGNORECASE
)
_DOI = re.compile(rf"{_RESOLVER}(10\.[0-9]{{4,9}}/\S+)", re.IGNORECASE)
_ORCID = re.compile(
    r"(?:(?P<address>(?:https?://)?(?:www\.)?orcid\.org/)|orcid:\s*)?"
    r"(?P<number>(?:\d{4}-?){3}\d{3}[\dX])(?(address)/?)",
    re.ASCII | re.IGNORECASE,
)


def arxiv_id(text: str) -> str:
    """The arXiv identifier that a text is, without version: "2306.00802", or "".

    >>> arxiv_id("math.GT/0309136v2"), arxiv_id("https://arxiv.org/abs/2306.00802v1")
    ('math/0309136', '2306.00802')
    >>> arxiv_id("10.48550/arXiv.2306.00802"), arxiv_id("arXiv:2306.00802v12 [cs.LG]")
    ('2306.00802', '2306.00802')
    """
    match = _ARXIV.fullmatch(unquote(" ".join(text.split())))
    if not match:
        return ""
    return match["new"] or f"{match['archive'].lower()}/{match['number']}"


def doi(text: str) -> str:
    """The DOI that a text is, in lower case and without resolver, or "".

    >>> doi("https://doi.org/10.1613/JAIR.1.13768")
    '10.1613/jair.1.13768'
    """
    match = _DOI.fullmatch(unquote(text.strip()))
    return match[1].lower() if match else ""


def is_url(text: str) -> bool:
    """Whether a text is an absolute web address that an RDF graph can hold."""
    if not _URL.fullmatch(text):
        return False
    try:
        return bool(urlsplit(text).hostname)
    except ValueError:  # brackets that hold no IPv6 address
        return False


def orcid(text: str) -> str:
    """The ORCID that a text is, "0000-0002-1825-0097", or "" where it is none or is misspelt.

    >>> orcid("https://orcid.org/0000-0002-1825-0097"), orcid("0000-0002-1825-0098")
    ('0000-0002-1825-0097', '')
    """
    match = _ORCID.fullmatch(" ".join(text.split()))
    if not match:
        return ""
    digits = match["number"].replace("-", "").upper()
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    if "0123456789X"[(12 - total % 11) % 11] != digits[-1]:
        return ""
    return "-".join(digits[i : i + 4] for i in range(0, 16, 4))
