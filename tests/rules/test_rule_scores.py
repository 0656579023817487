"""Lexical weights, files of rules, and that neither memory nor threads change a table."""

from __future__ import annotations

import random

import pytest
from graphmt.errors import InputError
from graphmt.rules import ExtractOptions, RuleTable, extract_rules
from graphmt.systems import HPB, SYSTEMS
from naive_rules import Pair
from small_corpora import write


def pair(source: str, target: str, links: str) -> Pair:
    words = tuple(source.split())
    points = frozenset((int(i), int(j)) for i, j in (link.split("-") for link in links.split()))
    return Pair(words, (-1, *range(len(words) - 1)), tuple(target.split()), points)


def table_of(tmp_path, corpus, name="pbmt", **options) -> RuleTable:
    out = tmp_path / "rules.bin"
    extract_rules(SYSTEMS[name], **write(tmp_path, corpus), out=out, options=ExtractOptions(**options))
    return RuleTable(out)


def test_lexical_weights_choose_apart_on_a_tie_as_moses_does(tmp_path) -> None:
    """a b = x y, once aligned a-x a-y b-y and once a-x b-x b-y; and a = x.

    Links: a-x 3, a-y 1, b-x 1, b-y 2. lex(t|s) takes the alignment that is larger by target words, the second:
    x has mean(3/4, 1/3), y has 2/3. lex(s|t) takes the one that is larger by source words, the first: a has
    mean(3/4, 1/3), b has 2/3. With the alignments exchanged both would be 11/32.
    """
    corpus = [pair("a b", "x y", "0-0 0-1 1-1"), pair("a b", "x y", "0-0 1-0 1-1"), pair("a", "x", "0-0")]
    (side,) = table_of(tmp_path, corpus).find(["a", "b"])
    (rule,) = side.rules
    assert rule.count == 2
    assert rule.alignment == ((0, 0), (1, 0), (1, 1))
    assert rule.probabilities == pytest.approx((1.0, 13 / 36, 1.0, 13 / 36), rel=1e-6)


def test_the_more_frequent_alignment_is_taken(tmp_path) -> None:
    corpus = [pair("a b", "x y", "0-0 0-1 1-1")] * 2 + [pair("a b", "x y", "0-0 1-0 1-1"), pair("a", "x", "0-0")]
    (side,) = table_of(tmp_path, corpus).find(["a", "b"])
    assert side.rules[0].alignment == ((0, 0), (0, 1), (1, 1))


def test_unaligned_words_count_as_linked_to_nothing(tmp_path) -> None:
    """c is unaligned: w(c|NULL) = 1. z, unaligned once of two times it occurs: w(z|NULL) = 1."""
    corpus = [pair("a c", "x z", "0-0"), pair("a", "x", "0-0")]
    (side,) = table_of(tmp_path, corpus).find(["a", "c"])
    by_target = {rule.target: rule.probabilities for rule in side.rules}
    assert by_target["x",] == pytest.approx((1 / 3, 1.0, 1 / 2, 1.0))
    assert by_target["x", "z"] == pytest.approx((1 / 2, 1.0, 1 / 2, 1.0))


@pytest.fixture(scope="module")
def corpus() -> list[Pair]:
    rng = random.Random(5)
    made = []
    for _ in range(2500):
        n, m = rng.randint(1, 9), rng.randint(1, 9)
        heads = (-1, *(rng.randrange(i) for i in range(1, n)))
        source = tuple(f"s{min(int(rng.expovariate(0.05)), 200)}" for _ in range(n))
        target = tuple(f"t{min(int(rng.expovariate(0.05)), 200)}" for _ in range(m))
        links = frozenset((min(n - 1, max(0, j + rng.randint(-1, 1))), j) for j in range(m) if rng.random() < 0.9)
        made.append(Pair(source, heads, target, links))
    return made


@pytest.mark.parametrize("system", [SYSTEMS["pbmt"], SYSTEMS["gbmt-ctx"], HPB], ids=lambda system: system.name)
def test_neither_memory_nor_threads_change_the_table(tmp_path, corpus, system) -> None:
    files = write(tmp_path, corpus)
    made = {}
    for memory, threads in ((1024, 1), (1, 1), (1024, 2), (1, 4)):
        out = tmp_path / f"{memory}-{threads}.bin"
        options = ExtractOptions(max_memory=memory, threads=threads, reordering=system is not HPB)
        report = extract_rules(system, **files, out=out, options=options)
        made[memory, threads] = out.read_bytes()
    assert report.pairs == 2500
    # What is kept in memory must not fit into the smaller of the two: otherwise nothing went to disk.
    assert len(made[1024, 1]) > 1 << 20
    assert len(set(made.values())) == 1


def test_pairs_that_are_too_long_are_left_out_and_counted(tmp_path) -> None:
    long = pair(" ".join(["a"] * 257), "x", "0-0")
    out = tmp_path / "rules.bin"
    report = extract_rules(SYSTEMS["pbmt"], **write(tmp_path, [long, pair("a", "x", "0-0")]), out=out)
    assert (report.pairs, report.too_long, report.rules) == (2, 1, 1)


@pytest.mark.parametrize("words", [64, 65, 200, 256])
def test_long_sentences_give_rules(tmp_path, words) -> None:
    source = " ".join(f"w{i}" for i in range(words))
    corpus = [pair(source, source.upper(), " ".join(f"{i}-{i}" for i in range(words)))]
    found = table_of(tmp_path, corpus).find([f"w{words - 2}", f"w{words - 1}"])
    assert [rule.target for side in found for rule in side.rules] == [(f"W{words - 2}", f"W{words - 1}")]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("target", "x\n", "target: 1 lines, but"),
        ("alignment", "0-0\n7-0\n", "alignment:2"),
        ("alignment", "0-0\nx\n", "alignment:2"),
        ("source", "a b c\na\n", "tree 1 has 2 words, the source text has 3"),
    ],
)
def test_files_that_do_not_go_together(tmp_path, file, content, message) -> None:
    files = write(tmp_path, [pair("a b", "x", "0-0"), pair("a", "x", "0-0")])
    files[file].write_text(content)
    with pytest.raises(InputError) as raised:
        extract_rules(SYSTEMS["gbmt"], **files, out=tmp_path / "rules.bin")
    assert message in str(raised.value)
    assert not (tmp_path / "rules.bin").exists()


def test_nothing_to_extract(tmp_path) -> None:
    with pytest.raises(InputError, match="no rule could be extracted"):
        table_of(tmp_path, [pair("a", "x", "")])
    with pytest.raises(InputError, match="no sentence pairs"):
        table_of(tmp_path, [])
