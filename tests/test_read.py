"""Reading: the forms, how they are told apart, and everything that can be wrong with a file."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.build import read_inputs, remarks
from kg.errors import InputError
from kg.model import Note, Record, Rejection
from kg.read import read, read_again
from kg.read.identifiers import arxiv_id, doi, orcid
from kg.read.naming import named

PAGE = """arXiv subjects

Ada Example

Publications and source records attributed to Ada Example.

At least 3 records · Page 2Linked to original sources

arXiv2026

A Title with $n$-grams

The first paragraph of the abstract.

The second one.

cs.LG↗

arXiv2025

Another Title

Another abstract.

math.OC, stat.ML↗
"""
ABSTRACT = "We show that every widget is a gadget, and that some gadgets are widgets. " * 3


@pytest.fixture
def file(tmp_path: Path):
    def write(content: str | bytes, name: str = "input.txt") -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def items(path: str, format: str | None = None) -> list[Record | Note | Rejection]:
    return list(read(path, format).items)


def rejections(path: str) -> list[str]:
    return [str(i).removeprefix(path) for i in items(path) if isinstance(i, Rejection)]


def test_author_page(file):
    reading = read(file(PAGE))
    assert (reading.source.name, reading.source.format) == ("input.txt", "author-page")
    assert reading.source.author == "Ada Example"
    assert (reading.source.stated, reading.source.page) == (3, 2)
    first, second = reading.items
    assert isinstance(first, Record)
    assert (first.position, first.line, first.year) == (1, 9, 2026)
    assert first.title == "A Title with $n$-grams"
    assert first.abstract == "The first paragraph of the abstract.\n\nThe second one."
    assert first.raw.startswith("arXiv2026\n\nA Title")
    assert first.raw.endswith("cs.LG↗")
    assert isinstance(second, Record)
    assert second.categories == ("math.OC", "stat.ML")
    assert (second.position, second.line) == (2, 19)


def test_stated_count_glued_to_what_follows(file):
    page = PAGE.replace(" · Page 2", "")
    assert read(file(page)).source.stated == 3


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_line_ends_and_byte_order_mark_do_not_matter(file, end):
    path = file(b"\xef\xbb\xbf" + PAGE.replace("\n", end).encode())
    assert items(path) == items(file(PAGE))


def test_page_cut_in_the_middle_keeps_the_whole_records(file):
    path = file(PAGE[: PAGE.index("Another abstract") + 7])
    first, cut = items(path)
    assert isinstance(first, Record)
    assert isinstance(cut, Rejection)
    assert cut.line == 19
    assert "cut" in cut.reason


def test_record_without_category_in_the_middle(file):
    path = file(PAGE.replace("cs.LG↗\n\n", ""))
    cut, second = items(path)
    assert isinstance(cut, Rejection)
    assert cut.line == 9
    assert isinstance(second, Record)
    assert second.title == "Another Title"


def test_title_that_ends_in_a_year_starts_no_record(file):
    title = "Findings of the Shared Task 2024"
    first, *rest = items(file(PAGE.replace("A Title with $n$-grams", title)))
    assert len(rest) == 1
    assert isinstance(first, Record)
    assert first.title == title


def test_abstract_list_keeps_stray_lines_as_notes(file):
    path = file(f"{ABSTRACT}\n\nAccepted at ICASSP 2025\n\n{ABSTRACT}\nAnd more.\n\n5 pages")
    found = items(path)
    assert [type(item) for item in found] == [Record, Note, Record, Note, Note]
    notes = [item.text for item in found if isinstance(item, Note)]
    assert notes == ["Accepted at ICASSP 2025", "And more.", "5 pages"]
    assert [item.position for item in found] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "line",
    [
        "5 pages",
        "12 pages, 4 figures",
        "Accepted at ICASSP 2025",
        "To appear in the proceedings of NeurIPS 2024.",
        "Code is available at https://example.org/code.",
        "v2: fixed a typo in the proof of Lemma 3",
        "Page 3 of 7",
        "References",
    ],
)
def test_stray_lines_are_no_abstracts(file, line):
    (note,) = items(file(line), "abstract-list")
    assert isinstance(note, Note)


@pytest.mark.parametrize(
    "text",
    [
        "We prove that every even number is a sum.",
        "Accepted wisdom holds that " + ABSTRACT,
        "本文研究了深度神经网络在小样本条件下的泛化能力，并提出了一种新的正则化方法，实验表明该方法有效。",
        "Мы показываем, что любой граф допускает раскраску в четыре цвета.",
    ],
)
def test_abstracts_are_no_stray_lines(file, text):
    (record,) = items(file(text), "abstract-list")
    assert isinstance(record, Record)
    assert record.abstract == text


def test_wrapped_abstract_is_one_and_long_lines_are_several(file):
    wrapped = "We show that widgets are\ngadgets in all cases that\nmatter to anybody here."
    assert [i.abstract for i in items(file(wrapped), "abstract-list")] == [wrapped]
    unwrapped = f"{ABSTRACT}\n{ABSTRACT[::-1]}."
    assert len(items(file(unwrapped), "abstract-list")) == 2


def test_json_lines(file):
    rows = [
        {"id": "2306.00802v2", "title": "T", "abstract": "A", "authors": ["Ada E.", "Bo F."]},
        {"id": 7, "title": "T", "text": "B", "year": "2024", "categories": "cs.LG stat.ML"},
        {"doi": "https://doi.org/10.1000/ABC", "title": "T"},
        {"title": "T", "authors": [{"given": "Ada", "family": "Example"}, {"name": "Bo"}]},
        {"title": "T", "authors": "Example, Ada and Frei, Bo"},
        {"title": "T", "authors": "Ada Example, Bo Frei"},
    ]
    found = items(file("\n\n".join(map(json.dumps, rows)), "rows.jsonl"))
    assert all(isinstance(item, Record) for item in found)
    assert found[0].arxiv == "2306.00802"
    assert found[0].authors == ("Ada E.", "Bo F.")
    assert (found[1].id, found[1].abstract, found[1].year) == ("7", "B", 2024)
    assert found[1].categories == ("cs.LG", "stat.ML")
    assert (found[1].position, found[1].line) == (2, 3)
    assert found[2].doi == "10.1000/abc"
    assert found[3].authors == ("Ada Example", "Bo")
    assert found[4].authors == ("Example, Ada", "Frei, Bo")
    assert found[5].authors == ("Ada Example", "Bo Frei")


def test_json_texts_stand_as_they_are(file):
    abstract = "e\u0301 \r\n tab\t \u00a0 \U0001f600 $x$"
    (record,) = items(file(json.dumps({"title": "", "abstract": abstract})))
    assert record.abstract == abstract


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"title": "x"', "broken JSON at column"),
        ("[1, 2]", "one JSON object"),
        ('"text"', "one JSON object"),
        ('{"title": 3}', '"title" must be text in quotes, not a number'),
        ('{"title": "x", "authors": 3}', '"authors" must be a list of names'),
        ('{"title": "x", "authors": [["a"]]}', "one of them is a list"),
        ('{"title": "x", "authors": "Lovelace, Ada, Davis, Sammy"}', "make it a list of names"),
        ('{"title": "x", "year": "soon"}', '"year" must be a year such as 2026'),
        ('{"title": "x", "year": true}', '"year" must be a year'),
        ('{"title": "x", "categories": {"a": 1}}', '"categories" must be a list'),
        ("{}", "neither a title nor an abstract"),
        ('{"title": " ", "abstract": null}', "neither a title nor an abstract"),
        (r'{"title": "\u202e\u200b", "abstract": "\u200b"}', "neither a title nor an abstract"),
        ('{"title": "x", "id": {}}', '"id" must be text in quotes or a whole number'),
        (r'{"title": "x\u0000y"}', "NUL character (U+0000) at character 2"),
        (r'{"title": "x", "abstract": "a\u001bb"}', "a control character (U+001B)"),
        (r'{"title": "x\ud800"}', "half a surrogate pair (U+D800)"),
        (r'{"title": "x", "id": "a\ud800"}', "half a surrogate pair (U+D800)"),
        (r'{"title": "x\uffff"}', "no character (U+FFFF)"),
        ('{"title": "x", "abstract": "' + "word " * 20_000 + '"}', "100,000 characters"),
        ('{"id": "one", "title": "again"}', "the id 'one' stands on line 1 already"),
        ("{" * 100_000, "JSON"),
        ('{"title": "x", "n": ' + "9" * 5000 + "}", "nested too deep, or with a number too long"),
        (b'{"title": "caf\xe9"}', "byte 0xE9 at column 15 is not UTF-8"),
        (b'{"title": "' + b"x" * 2_000_000 + b'"}', "a line of 2,000,0"),
    ],
)
def test_bad_line_is_rejected_and_its_neighbours_are_read(file, line, reason):
    line = line.encode() if isinstance(line, str) else line
    path = file(b'{"id": "one", "title": "good"}\n\n' + line + b'\n{"id": "two", "title": "good"}')
    first, bad, last = items(path)
    assert isinstance(first, Record)
    assert isinstance(last, Record)
    assert isinstance(bad, Rejection)
    assert (bad.path, bad.line) == (path, 3)
    assert reason in bad.reason
    assert len(bad.raw) <= 200


def test_latin_1_in_one_record_of_a_page(file):
    path = file(PAGE.encode().replace(b"Another abstract", b"Caf\xe9 abstract"))
    good, bad = items(path)
    assert isinstance(good, Record)
    assert isinstance(bad, Rejection)
    assert bad.line == 23
    assert "not UTF-8" in bad.reason
    assert "iconv" in bad.reason


def test_control_character_in_one_abstract_of_a_list(file):
    assert rejections(file(f"{ABSTRACT}\n\nOne two\0 three four five six.\n")) == [
        ":3: the abstract holds a NUL character (U+0000) at character 8; remove it"
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b" \n\n ", "is empty"),
        (bytes(range(256)) * 20, "is no text"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 500, "is no text"),
        ("text".encode("utf-16"), "is UTF-16"),
        (b'[{"title": "x"}]', "is a JSON array"),
        (b"<?xml version='1.0'?><feed/>", "looks like XML"),
        (b"@article{key, title = {T}}", "looks like BibTeX"),
        (PAGE.replace("\n", "\r").encode(), "lines that end in CR alone"),
        (b"id,name,archive\ncs.LG,Machine Learning,cs\n", "looks like a table"),
        (b"-" * 78 + b"\n\\\\\narXiv:0704.0003\n", "looks like arXiv metadata in .abs form"),
        (PAGE.encode().replace(b"Ada", b"Ad\xe9", 1), "byte 0xE9 at column 3 is not UTF-8"),
        (gzip.compress(b'{"title": "x"}')[:-4], "the gzip file is broken"),
        (b"\x1f\x8bno gzip", "the gzip file is broken"),
    ],
)
def test_file_that_cannot_be_read(file, content, reason):
    path = file(content)
    with pytest.raises(InputError, match=reason) as error:
        items(path)
    assert str(error.value).startswith(path)
    assert "\n" not in str(error.value)


def test_lines_before_the_json_lines_are_rejected(file):
    path = file('# my papers\n[1, 2]\n{"title": "A good one"}\n')
    assert [type(item) for item in items(path)] == [Rejection, Rejection, Record]


def test_page_cut_in_its_header_holds_no_record(file):
    path = file(PAGE[: PAGE.index("At least")])
    assert read(path).source.format == "author-page"
    assert items(path) == []


def test_odd_file_names_are_written_in_characters_of_a_graph(tmp_path: Path):
    path = os.fsencode(tmp_path) + b"/a\xff\x1b\nb.txt"
    Path(os.fsdecode(path)).write_text(PAGE)
    assert read(os.fsdecode(path)).source.name == "a\ufffd\ufffd\nb.txt"
    Path(os.fsdecode(path)).write_text("")
    with pytest.raises(InputError) as error:
        read(os.fsdecode(path))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["A/p.jsonl", "B/p.jsonl", "B/q.jsonl"], ["A/p.jsonl", "B/p.jsonl", "q.jsonl"]),
        (["/x/a/y/p", "/x/b/y/p", "/x/p"], ["a/y/p", "b/y/p", "p"]),
        (["A/p", "A/p.gz"], ["p", "p.gz"]),
        (["A/p", "A/p.gz", "B/p"], ["A/p", "A/p.gz", "B/p"]),
        (["A/p.gz", "B/p"], ["A/p", "B/p"]),
        (["-", "/x/stdin"], ["stdin", "x/stdin"]),
        (["/x/a\udcff", "/x/a\udcfe"], ["a\\xff", "a\\xfe"]),
        (["A/p.gz", "A/../A/p.gz", "./A/p.gz"], ["p"]),
    ],
)
def test_files_of_one_name_are_told_apart_by_their_folders(paths, names):
    found = named(paths)
    assert list(found.values()) == names
    assert set(named(reversed(paths)).values()) == set(names)
    elsewhere = [path if path == "-" else str(Path(path).absolute()) for path in paths]
    assert list(named(elsewhere).values()) == names


def test_two_names_of_one_file_are_one_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "b.txt").write_text(PAGE)
    (tmp_path / "a.txt").symlink_to("b.txt")
    monkeypatch.chdir(tmp_path)
    for paths in (["a.txt", "b.txt"], ["b.txt", str(tmp_path / "a.txt")]):
        assert list(named(paths).items()) == [(paths[0], "a.txt")]
    assert list(named(["b.txt"]).values()) == ["b.txt"]


def test_folders_behind_links_tell_files_apart(tmp_path: Path):
    for folder in ("A", "real/deep"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "A/link").symlink_to(tmp_path / "real/deep")
    paths = [str(tmp_path / path) for path in ("A/x.jsonl", "A/link/../x.jsonl")]
    assert list(named(paths).values()) == ["A/x.jsonl", "real/x.jsonl"]
    assert list(named([*paths, str(tmp_path / "real/x.jsonl")]).items()) == [
        (paths[0], "A/x.jsonl"),
        (paths[1], "real/x.jsonl"),
    ]


def test_a_record_is_read_again_from_its_text(file):
    for text in (
        PAGE,
        ABSTRACT,
        '\ufeff{"title": "T", "id": 1}\n{"abstract": "x", "authors": "A B"}\n',
    ):
        records = [item for item in items(file(text)) if isinstance(item, Record)]
        assert records
        for r in records:
            assert read_again(r.source, r.position, r.line, r.raw) == r


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("https://example.org/a?b=%20#c", True),
        ("https://example.org/100%", False),
        ("http://a/%zz", False),
        ("http://[::1", False),
        ("http:///x", False),
        ("ftp://example.org/", False),
        ("https://example.org/a b", False),
    ],
)
def test_addresses_that_are_no_iris_are_left_out(file, url: str, taken: bool):
    (record,) = items(file(json.dumps({"title": "T", "url": url})))
    assert record.url == (url if taken else "")


def test_authors_in_one_text_with_entities_and_affiliations(file):
    names = "Werner Kie&#223;ling, Gerhard D&#252;nzinger (Uni (Augsburg), Germany)"
    (record,) = items(file(json.dumps({"title": "T", "authors": names})))
    assert record.authors == ("Werner Kießling", "Gerhard Dünzinger")


def test_missing_file_and_folder(tmp_path: Path):
    with pytest.raises(InputError, match="there is no such file"):
        read(str(tmp_path / "nothing.txt"))
    with pytest.raises(InputError, match="is a folder"):
        read(str(tmp_path))


def test_gzip_reads_like_the_file_in_it(file):
    packed = read(file(gzip.compress(PAGE.encode()), "input.txt.gz"))
    plain = read(file(PAGE))
    assert packed.source == plain.source
    assert list(packed.items) == list(plain.items)


def test_standard_input_in_small_pieces(monkeypatch: pytest.MonkeyPatch):
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size, 5) if size and size > 0 else 5)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Slow(PAGE.encode())))
    reading = read("-")
    assert (reading.source.name, reading.source.format) == ("stdin", "author-page")
    assert len(list(reading.items)) == 2


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data: bytes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        try:
            found = items("-")
        except InputError:
            return
    lines = data.count(b"\n") + 1
    assert all(1 <= (item.line or 0) <= lines for item in found)


@given(st.text(max_size=200), st.text(max_size=200))
def test_json_text_comes_through_unchanged_or_is_rejected(title: str, abstract: str):
    data = json.dumps({"title": title, "abstract": abstract}).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        (item,) = items("-")
    if isinstance(item, Record):
        assert (item.title, item.abstract) == (title, abstract)
    else:
        assert item.line == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2306.00802", "2306.00802"),
        ("2305.13048v12", "2305.13048"),
        ("arXiv:hep-th/9901001", "hep-th/9901001"),
        ("math.GT/0309136v2", "math/0309136"),
        ("https://arxiv.org/abs/2306.00802v1", "2306.00802"),
        ("http://arxiv.org/pdf/2306.00802.pdf", "2306.00802"),
        ("10.48550/arXiv.2301.00001", "2301.00001"),
        ("https://doi.org/10.48550/arXiv.hep-th%2F9901001v1", "hep-th/9901001"),
        ("arXiv:2301.00001v12 [cs.LG]", "2301.00001"),
        ("cond-mat.str-el/0309136", "cond-mat/0309136"),
        ("physics.atom-ph/0309136v1", "physics/0309136"),
        ("cond-mat.soft/0309136", "cond-mat/0309136"),
        ("arXiv:\u00a02305.13048", "2305.13048"),
        ("arxiv.org/abs/2305.13048", "2305.13048"),
        ("www.arxiv.org/pdf/2305.13048v2.pdf", "2305.13048"),
        ("https://arxiv.org/abs/2305.13048/", "2305.13048"),
        ("https://arxiv.org/abs/2305.13048?context=cs", "2305.13048"),
        ("https://arxiv.org/pdf/2305.13048v1.pdf#page=3", "2305.13048"),
        ("https://arxiv.org/abs/cond-mat.str-el/0309136/?context=cs#x", "cond-mat/0309136"),
        ("oai:arXiv.org:2305.13048", "2305.13048"),
        ("oai:arXiv.org:hep-th/9901001", "hep-th/9901001"),
        ("doi.org/10.48550/arXiv.2301.00001", "2301.00001"),
        ("urn:doi:10.48550/arXiv.2301.00001", "2301.00001"),
        ("info:doi/10.48550/arXiv.2301.00001", "2301.00001"),
        ("10.1000/arXiv.2301.00001", ""),
        ("2305.13048#3", ""),  # a part of something by its own id, and no address
        ("example.com/0309136", ""),
        ("https://example.org/abs/2305.13048", ""),
        ("２３０５.１３０４８", ""),
        ("2313.00802", ""),
        ("1234", ""),
        ("nguyen2020iclr-tree", ""),
    ],
)
def test_arxiv_identifiers(text, expected):
    assert arxiv_id(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.1613/JAIR.1.13768", "10.1613/jair.1.13768"),
        ("https://doi.org/10.1000/x%3Cy%3E", "10.1000/x<y>"),
        ("doi:10.1000/182", "10.1000/182"),
        ("doi.org/10.1000/182", "10.1000/182"),
        ("dx.doi.org/10.1000/182", "10.1000/182"),
        ("urn:doi:10.1000/182", "10.1000/182"),
        ("info:doi/10.1000/182", "10.1000/182"),
        ("10.１０００/182", ""),
        ("11.1000/182", ""),
        ("", ""),
    ],
)
def test_dois(text, expected):
    assert doi(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://orcid.org/0000-0002-1825-0097", "0000-0002-1825-0097"),
        ("https://orcid.org/0000-0002-1825-0097/", "0000-0002-1825-0097"),
        ("orcid.org/0000-0002-1694-233x", "0000-0002-1694-233X"),
        ("orcid: 0000000218250097", "0000-0002-1825-0097"),
        ("0000-0002-1825-0097/", ""),
        ("0000-0002-1825-0098", ""),
        ("００００-０００２-１８２５-００９７", ""),
    ],
)
def test_orcids(text, expected):
    assert orcid(text) == expected


@pytest.mark.parametrize(
    ("url", "identifiers"),
    [
        ("arxiv.org/abs/2305.13048", ("2305.13048", "")),
        ("https://arxiv.org/abs/2305.13048/", ("2305.13048", "")),
        ("https://arxiv.org/abs/2305.13048?context=cs", ("2305.13048", "")),
        ("https://arxiv.org/abs/cond-mat.str-el/0309136#x", ("cond-mat/0309136", "")),
        ("oai:arXiv.org:2305.13048", ("2305.13048", "")),
        ("doi.org/10.1000/182", ("", "10.1000/182")),
        ("urn:doi:10.1000/182", ("", "10.1000/182")),
        ("info:doi/10.48550/arXiv.2301.00001", ("2301.00001", "")),
    ],
)
def test_identifiers_in_the_address_of_a_record(file, url, identifiers):
    (record,) = items(file(json.dumps({"title": "T", "url": url})))
    assert (record.arxiv, record.doi) == identifiers


def test_the_doi_of_arxiv_is_an_arxiv_identifier_and_what_is_none_is_named(file):
    rows = [
        {"title": "T", "doi": "10.48550/arXiv.2301.00001"},
        {"title": "T", "arxiv": "arXiv:2301.00001v12 [cs.LG]", "doi": "10.1000/X"},
        {"title": "T", "arxiv": "23.1", "doi": "none", "url": "https://arxiv.org/abs/2301.00001"},
    ]
    path = file("\n".join(map(json.dumps, rows)), "rows.jsonl")
    found = items(path)
    assert [(record.arxiv, record.doi) for record in found] == [
        ("2301.00001", ""), ("2301.00001", "10.1000/x"), ("2301.00001", ""),
    ]  # fmt: skip
    assert list(remarks(read_inputs([path])))[-1] == (
        'rows.jsonl:3: "doi" is no identifier and is left out: none'
    )


@pytest.mark.parametrize(
    ("authors", "names", "more"),
    [
        (["Ada Lovelace", "et al."], ["Ada Lovelace"], True),
        (["Ada Lovelace", "others"], ["Ada Lovelace"], True),
        (["Ada Lovelace and others"], ["Ada Lovelace"], True),
        ("Li Ming, Wang Wei and 王伟 et al.", ["Li Ming", "Wang Wei", "王伟"], True),
        ("Ada Lovelace, Bo Frei, et al.", ["Ada Lovelace", "Bo Frei"], True),
        ("Ada Lovelace and others", ["Ada Lovelace"], True),
        ("Ada Lovelace, PhD, Sammy Davis", ["Ada Lovelace, PhD", "Sammy Davis"], False),
        ("Sammy Davis, Jr., Ada Lovelace", ["Sammy Davis, Jr.", "Ada Lovelace"], False),
        ("Madonna, Ada Lovelace, Bo Frei", ["Madonna", "Ada Lovelace", "Bo Frei"], False),
        ("Lovelace, Ada", ["Lovelace, Ada"], False),
        (["Ann Others", "Al Etal"], ["Ann Others", "Al Etal"], False),
    ],
)
def test_authors_who_are_left_out_and_commas_in_one_text(file, authors, names, more):
    (record,) = items(file(json.dumps({"title": "T", "authors": authors})))
    assert (list(record.authors), record.more_authors) == (names, more)


def test_orcids_stand_beside_the_authors(file):
    rows = [
        {"title": "T", "authors": [
            {"name": "Ada", "orcid": "https://orcid.org/0000-0002-1825-0097"}, {"name": "Bo"},
            {"given": "C.", "family": "Gé", "ORCID": "0000-0002-1694-233x"},
            {"name": "-", "orcid": "0000-0001-5109-3700"},
        ]},
        {"title": "T", "authorships": [
            {"author": {"display_name": "Ada Example", "orcid": "0000-0001-5109-3700"}},
            {"author": {"display_name": "Bo Frei", "orcid": None}},
        ]},
        {"title": "T", "authors": [{"name": "Ada", "orcid": "0000-0001-5109-3701"}]},
    ]  # fmt: skip
    found = items(file("\n".join(map(json.dumps, rows)), "rows.jsonl"))
    assert [(record.authors, record.orcids) for record in found] == [
        (("Ada", "Bo", "C. Gé"), ("0000-0002-1825-0097", "", "0000-0002-1694-233X")),
        (("Ada Example", "Bo Frei"), ("0000-0001-5109-3700", "")),
        (("Ada",), ()),  # the last digit does not check
    ]
