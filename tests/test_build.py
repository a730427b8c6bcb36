"""Building: the law of the build, resuming, and what becomes of bad inputs."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, parse

from kg.build import build, read_inputs, remarks
from kg.build.cache import Cache, decode, encode
from kg.concepts import load
from kg.errors import KgError
from kg.export import export
from kg.model import Extraction, Mention, Name, RecordConcept
from kg.store import open_store

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(str(path) for path in (ROOT / "examples").glob("*.txt"))
GOLDEN = ROOT / "exports" / "example.ttl"


def kg(*arguments: str | Path, cwd: Path, **more) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kg.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, **more)


def turtle(graph: Path) -> bytes:
    out = graph / "out.ttl"
    with out.open("wb") as file:
        export(open_store(graph), "turtle", file)
    return out.read_bytes()


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    graph = tmp_path_factory.mktemp("example") / "graph"
    build(read_inputs(EXAMPLES), graph, jobs=1)
    return graph


def test_example_is_the_golden_file(example: Path):
    assert turtle(example) == GOLDEN.read_bytes(), "if this is meant: make demo"


def test_summary_of_the_example(example: Path):
    summary = json.loads((example / "build.json").read_text())
    expected = {"records": 13, "notes": 1, "papers": 9, "people": 2, "rejected": 0, "violations": 0}
    assert {name: summary[name] for name in expected} == expected
    triples = {(q.subject, q.predicate, q.object) for q in open_store(example)}
    assert summary["triples"] == len(triples)


def test_order_of_inputs_repetition_and_processes_change_no_byte(example: Path, tmp_path: Path):
    for number, order in enumerate(itertools.islice(itertools.permutations(EXAMPLES), 1, 6, 2)):
        graph = tmp_path / str(number)
        build(read_inputs([*order, order[0]]), graph, jobs=1 + number % 2)
        assert turtle(graph) == turtle(example)


def test_increments_and_rebuilding_change_no_byte(example: Path, tmp_path: Path):
    build(read_inputs(EXAMPLES[:1]), tmp_path, jobs=1)
    build(read_inputs(EXAMPLES), tmp_path, jobs=1)
    first = turtle(tmp_path)
    build(read_inputs(EXAMPLES), tmp_path, jobs=1)
    assert first == turtle(tmp_path) == turtle(example)


def test_no_clock_path_or_host_in_the_graph(example: Path):
    data = GOLDEN.read_text(encoding="utf-8")
    assert str(ROOT) not in data
    assert os.uname().nodename not in data


def test_known_texts_are_not_read_again(example: Path, monkeypatch: pytest.MonkeyPatch):
    import kg.build

    monkeypatch.setattr(kg.build, "extract", lambda *args: pytest.fail("read again"))
    build(read_inputs(EXAMPLES), example)


def test_killed_build_leaves_the_graph_and_goes_on_where_it_stood(tmp_path: Path):
    many = tmp_path / "many.jsonl"
    text = "We study gradient descent on deep neural networks and prove a regret bound number {}."
    rows = ({"id": str(n), "title": "", "abstract": text.format(n)} for n in range(1500))
    many.write_text("".join(json.dumps(row) + "\n" for row in rows))
    graph = tmp_path / "graph"
    build(read_inputs(EXAMPLES), graph, jobs=1)
    before = turtle(graph)
    shards = graph / "extractions"
    command = [sys.executable, "-m", "kg.cli", "build", str(many), "-g", str(graph), "-j", "1"]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while len(list(shards.glob("*/*.jsonl"))) < 3 and running.poll() is None:
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.wait()
    kept = len(list(shards.glob("*/*.jsonl")))
    assert 3 <= kept < 8
    assert turtle(graph) == before
    assert kg("build", many, "-g", graph, "--no-validate", cwd=tmp_path).returncode == 0
    assert len(list(shards.glob("*/*.jsonl"))) > kept


def test_cached_finds_are_what_was_found():
    extractor = load()
    for abstract in ("We use Chain-of-Thought (CoT) reasoning with LLMs in Lean 4.", ""):
        (found,) = extractor.extract([("Induction heads", abstract)])
        assert decode(encode(found)) == found
    assert decode(encode(Extraction())) == Extraction()


HEAD = Mention("title", 0, 4, "head", 0.5)
FOUND = Extraction((RecordConcept(Name("head", "head"), "Method", 2, False, (HEAD,)),))


@pytest.fixture
def shard(tmp_path: Path) -> Path:
    Cache(tmp_path, "f").save({"a" * 64: FOUND, "b" * 64: Extraction()})
    (shard,) = tmp_path.glob("f/*.jsonl")
    return shard


def kept(shard: Path) -> dict[str, Extraction]:
    cache = Cache(shard.parent.parent, "f")
    cache.find(["a" * 64, "b" * 64])
    return {key[0]: cache[key] for key in ("a" * 64, "b" * 64) if key in cache}


def test_what_is_damaged_counts_as_not_there(shard: Path):
    assert kept(shard) == {"a": FOUND, "b": Extraction()}
    whole = shard.read_bytes()
    first, second = whole.splitlines(keepends=True)
    key, checksum, data = first.split(b"\t")
    for line in (
        key + b"\t" + data,  # as it was before there were checksums
        *(key + b"\t" + checksum + b"\t" + other for other in (b"[]\n", b"[1]\n", b"\n", data[:9])),
        first.replace(b"head", b"heat"),
        first.replace(checksum, b"0" * 8),
        first.replace(b"\t", b" "),
        b"\xff\x00\n",
    ):
        shard.write_bytes(second + line)
        assert kept(shard) == {"b": Extraction()}
    for place in range(len(first) - 1):
        shard.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert "a" not in kept(shard)


def test_a_folder_in_the_place_of_a_shard_counts_as_not_there(shard: Path):
    shard.unlink()
    shard.mkdir()
    assert kept(shard) == {}
    Cache(shard.parent.parent, "f").save({"a" * 64: FOUND, "b" * 64: Extraction()})
    assert shard.is_dir()
    assert kept(shard) == {"a": FOUND, "b": Extraction()}


def test_remarks_on_identifiers_with_several_titles(tmp_path: Path):
    rows = [{"title": f"On Widgets in {n} Planes", "doi": "10.1000/1"} for n in ("Our", "All")]
    rows += [{"title": f"On Gadgets, Part {n}", "doi": "10.1000/2"} for n in range(4)]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert list(remarks(read_inputs([str(tmp_path / "x.jsonl")]))) == [
        "2 titles share the DOI 10.1000/1: taken for one paper",
        "4 titles share the DOI 10.1000/2: taken for 4 papers",
    ]


def test_remarks(tmp_path: Path):
    inputs = read_inputs(EXAMPLES)
    assert list(remarks(inputs)) == [
        "joao-ferreira.txt: states at least 7 records, holds 5 (page 1)",
        "reading-list.txt:5: no abstract, kept as a note: 12 pages, 4 figures",
    ]


BAD = {
    "empty.txt": b"",
    "binary.bin": bytes(range(256)) * 40,
    "broken.jsonl": b'{"id": "1", "title": "A good title here"}\n\n{"title": \n',
    "latin1.jsonl": '{"title": "A good title too"}\n{"title": "Caf\xe9"}\n'.encode("latin-1"),
    "long.jsonl": b'{"title": "One more good title"}\n{"abstract": "' + b"x" * 50_000_000 + b'"}\n',
    "control.jsonl": b'{"title": "Yet another good title"}\n{"title": "a\\u0000\\ud800"}\n',
    "twice.jsonl": b'{"id": "1", "title": "The good first title"}\n{"id": "1", "title": "x"}\n',
    "novel.jsonl": b'{"title": "x", "abstract": "' + b"word " * 20_000 + b'"}\n',
}


def test_bad_inputs_are_named_and_the_good_records_are_built(tmp_path: Path):
    for name, content in BAD.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "cut.txt").write_text(Path(EXAMPLES[0]).read_text()[:2500])
    done = kg("build", *BAD, "cut.txt", "missing.txt", tmp_path, "-g", "graph", cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    for start in (
        "Error: empty.txt: is empty",
        "Error: binary.bin: is no text",
        "Error: missing.txt: there is no such file",
        f"Error: {tmp_path}: is a folder",
        "Rejected: broken.jsonl:3: broken JSON at column",
        "Rejected: latin1.jsonl:2: byte 0xE9 at column 15 is not UTF-8",
        "Rejected: long.jsonl:2: a line of 50,000,0",
        "Rejected: control.jsonl:2: the title holds a NUL character",
        "Rejected: twice.jsonl:2: the id '1' stands on line 1 already",
        "Rejected: novel.jsonl:1: the abstract has 100,000 characters",
        "Rejected: cut.txt:",
    ):
        assert any(line.startswith(start) for line in lines), start
    rejected = (tmp_path / "graph" / "rejected.jsonl").read_text().splitlines()
    assert len(rejected) == 11
    assert {"path", "line", "reason", "raw"} == set(json.loads(rejected[0]))
    assert "rejected            7" in done.stdout
    assert "unreadable          4" in done.stdout
    titles = kg(
        "query", "SELECT ?t { ?p dcterms:title ?t }", "-g", "graph", "--format", "csv", cwd=tmp_path
    )
    for title in ("A good title here", "A good title too", "One more good title", "Copy Heads"):
        assert title in titles.stdout


def test_nothing_usable_leaves_the_graph_as_it_was(example: Path, tmp_path: Path):
    before = turtle(example)
    rejected = (example / "rejected.jsonl").read_bytes()
    (tmp_path / "bad.jsonl").write_text('{"title": 3}\n')
    done = kg("build", "bad.jsonl", "-g", example, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        'Rejected: bad.jsonl:1: "title" must be text in quotes, not a number',
        "Error: the inputs hold no record that can be used (1 rejected records); nothing was built",
    ]
    assert turtle(example) == before
    assert (example / "rejected.jsonl").read_bytes() == rejected


def test_damaged_files_of_the_graph_are_made_anew(example: Path, tmp_path: Path):
    graph = tmp_path / "graph"
    arguments = ("build", *EXAMPLES, "-g", graph, "--no-validate", "-j", "1")
    assert kg(*arguments, cwd=tmp_path).returncode == 0
    for damage in (b"garbage", b"../../etc", b"\xff\xfe\x00", b"000001\n000002"):
        (graph / "CURRENT").write_bytes(damage)
        done = kg("stats", "-g", graph, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "no graph here" in done.stderr
        for shard in graph.glob("extractions/*/*.jsonl"):
            whole = shard.read_bytes()
            shard.write_bytes(whole[: len(whole) // 2] + damage)
        done = kg(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert turtle(graph) == turtle(example)


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("x")
    done = kg("build", *EXAMPLES, "-g", tmp_path, cwd=tmp_path)
    assert done.returncode == 2
    assert "holds other files and no graph" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_processes_of_a_killed_build_end(tmp_path: Path):
    many = tmp_path / "many.jsonl"
    many.write_text("".join(f'{{"title": "On gradient descent, part {n}"}}\n' for n in range(9000)))
    command = [sys.executable, "-m", "kg.cli", "build", str(many), "-g", "g", "-j", "2"]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    while len(pids := children.read_text().split()) < 3 and running.poll() is None:
        time.sleep(0.05)
    running.kill()
    running.wait()
    end = time.monotonic() + 60
    while any(map(runs, pids)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not [pid for pid in pids if runs(pid)]


def test_strict_counts_rejected_records(tmp_path: Path):
    (tmp_path / "some.jsonl").write_text('{"title": "A good title here"}\n{"title": 3}\n')
    arguments = ("build", "some.jsonl", "-g", "graph", "--no-validate")
    assert kg(*arguments, cwd=tmp_path).returncode == 0
    assert kg(*arguments, "--strict", cwd=tmp_path).returncode == 1


def test_quiet_says_only_what_went_wrong(tmp_path: Path):
    done = kg("-q", "build", *EXAMPLES, "missing.txt", cwd=tmp_path)
    assert done.stdout == ""
    assert done.stderr == "Error: missing.txt: there is no such file\n"


def test_standard_input_is_an_input(tmp_path: Path):
    done = kg("build", "-", "-g", "graph", cwd=tmp_path, input='{"title": "A title on stdin"}\n')
    assert done.returncode == 0, done.stderr


def test_inputs_and_vocabularies_of_one_name_are_told_apart(tmp_path: Path):
    title = "Spectral Clustering of Small Graphs"
    vocabulary = '<http://{}.org/1> <http://www.w3.org/2004/02/skos/core#prefLabel> "{}" .'
    for number, (name, word) in enumerate({"A": "spectral clustering", "B": "graph"}.items()):
        (tmp_path / name).mkdir()
        row = {"id": name, "title": title, "authors": ["Ada Bo", "Jo Du"], "year": 2000 + number}
        (tmp_path / name / "p.jsonl").write_text(json.dumps(row))
        (tmp_path / name / "v.nt").write_text(vocabulary.format(name, word))
    inputs = ["A/p.jsonl", "B/p.jsonl", "--vocabulary", "A/v.nt", "--vocabulary", "B/v.nt"]
    assert kg("build", *inputs, cwd=tmp_path).returncode == 0
    again = ["--vocabulary", tmp_path / "B/v.nt", tmp_path / "B/p.jsonl", "./A/p.jsonl"]
    again += ["--vocabulary", "A/v.nt", "A/p.jsonl", "-g", "again"]
    assert kg("build", *again, cwd=tmp_path).returncode == 0
    data = turtle(tmp_path / "graph")
    assert turtle(tmp_path / "again") == data
    assert json.loads((tmp_path / "graph" / "build.json").read_text())["papers"] == 1
    for told in (b'"A/p.jsonl, record 1"', b'"B/p.jsonl, record 1"', b"http://A.org/1"):
        assert told in data


def test_a_label_of_two_things_is_a_warning(tmp_path: Path):
    rows = [{"title": f"On Widgets in {n} Planes", "authors": [n]} for n in ("Ada Bo", "Jo Du")]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "c.toml").write_text('[[label]]\nperson = "Jo Du"\nlabel = "Ada Bo"\n')
    done = kg("build", "x.jsonl", "--curation", "c.toml", "--no-validate", cwd=tmp_path)
    person = "https://w3id.org/kg/id/person/"
    assert (
        f"Warning: c.toml:1: 2 people have the label 'Ada Bo': {person}ada-bo, {person}jo-du"
        in done.stderr
    )


def test_other_base(tmp_path: Path):
    base = "http://127.0.0.1:8000/"
    assert kg("build", *EXAMPLES, "--base", base, cwd=tmp_path).returncode == 0
    done = kg("export", "--format", "ntriples", cwd=tmp_path)
    assert f"<{base}concept/induction-head>" in done.stdout
    assert "w3id.org/kg/id/" not in done.stdout
    assert kg("build", *EXAMPLES, "--base", "nowhere", cwd=tmp_path).returncode == 2


def test_empty_inputs_raise(tmp_path: Path):
    with pytest.raises(KgError, match="no record"):
        build(read_inputs([]), tmp_path)


def test_golden_file_is_valid_turtle():
    assert sum(1 for _ in parse(path=GOLDEN, format=RdfFormat.TURTLE)) > 1000
