"""Lexical tables: w(e|f) and w(f|e) as Moses counts them."""

from __future__ import annotations

import collections
import gzip

import pytest
from amounts import examples
from graphmt.align import Alignment, LexicalTable
from graphmt.errors import InputError
from hypothesis import given, settings
from hypothesis import strategies as st

SOURCE = ["das Haus", "das kleine Haus", "ja das"]
TARGET = ["the house", "the house", "well the house"]
LINKS = [[(0, 0), (1, 1)], [(0, 0), (2, 1)], [(1, 1), (1, 2)]]


@pytest.fixture
def table() -> LexicalTable:
    return LexicalTable.count(SOURCE, TARGET, Alignment.from_pairs(LINKS))


def test_by_hand(table) -> None:
    # das is linked to the three times, to house once: 3/4, 1/4. Haus: house twice. house: Haus 2/3, das 1/3.
    # kleine and ja have no link: NULL. well has no link: w(well|NULL) = 1/1.
    assert table.target_given_source("das", "the") == pytest.approx(0.75)
    assert table.target_given_source("das", "house") == pytest.approx(0.25)
    assert table.source_given_target("Haus", "house") == pytest.approx(0.6666667, abs=1e-9 + 3e-8)
    assert table.source_given_target("das", "house") == pytest.approx(0.3333333, abs=3e-8)
    assert table.target_given_source("kleine", None) == 1
    assert table.source_given_target("kleine", None) == pytest.approx(0.5)
    assert table.target_given_source(None, "well") == 1
    assert table.target_given_source("das", "well") == 0
    assert table.target_given_source("nie", "the") == 0
    assert len(table) == 6
    assert table.translations("das") == {"the": 0.75, "house": 0.25}


def test_weights_by_hand(table) -> None:
    # the from das 3/4; house from das and Haus (1/4 + 1)/2; well from NULL 1.
    e_given_f, f_given_e = table.weights(["das", "Haus"], ["the", "house", "well"], [(0, 0), (0, 1), (1, 1)])
    assert e_given_f == pytest.approx(0.75 * (0.25 + 1) / 2 * 1)
    # das from the (3/3) and house (1/3): mean 2/3; Haus from house 2/3.
    assert f_given_e == pytest.approx((1 + 1 / 3) / 2 * 2 / 3, rel=1e-6)
    with pytest.raises(InputError, match="points to target word 3"):
        table.weights(["das"], ["the"], [(0, 3)])


def test_pairs_without_any_link_do_not_count() -> None:
    links = Alignment.from_pairs([*LINKS, []])
    table = LexicalTable.count([*SOURCE, "das das"], [*TARGET, "book"], links)
    assert table.target_given_source("das", "the") == pytest.approx(0.75)
    assert table.target_given_source(None, "book") == 0


words = st.sampled_from(["a", "b", "ç", "NULLE", "中"])
pairs = st.tuples(st.lists(words, min_size=1, max_size=4), st.lists(words, min_size=1, max_size=4)).flatmap(
    lambda two: st.tuples(
        st.just(two[0]),
        st.just(two[1]),
        st.sets(
            st.tuples(st.integers(0, len(two[0]) - 1), st.integers(0, len(two[1]) - 1)),
            min_size=1,
            max_size=5,
        ),
    )
)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(pairs, min_size=1, max_size=5))
def test_equals_a_naive_count(sentences) -> None:
    counts: collections.Counter[tuple[str | None, str | None]] = collections.Counter()
    for source, target, links in sentences:
        counts.update((source[i], target[j]) for i, j in links)
        counts.update((word, None) for i, word in enumerate(source) if i not in {i for i, _ in links})
        counts.update((None, word) for j, word in enumerate(target) if j not in {j for _, j in links})
    table = LexicalTable.count(
        [" ".join(source) for source, _, _ in sentences],
        [" ".join(target) for _, target, _ in sentences],
        Alignment.from_pairs([sorted(links) for *_, links in sentences]),
    )
    assert len(table) == len(counts)
    for (f, e), count in counts.items():
        of_f = sum(n for (other, _), n in counts.items() if other == f)
        of_e = sum(n for (_, other), n in counts.items() if other == e)
        assert table.target_given_source(f, e) == pytest.approx(float(f"{count / of_f:.7f}"), abs=3e-8)
        assert table.source_given_target(f, e) == pytest.approx(float(f"{count / of_e:.7f}"), abs=3e-8)
    assert sum(table.counts.columns().links) == sum(counts.values())


@pytest.mark.parametrize("compress", [True, False])
def test_there_and_back(tmp_path, table, compress) -> None:
    f2e, e2f = table.save(tmp_path / "lex", compress=compress)
    assert (f2e.suffix == ".gz") == compress
    text = gzip.decompress(f2e.read_bytes()).decode() if compress else f2e.read_text(encoding="utf-8")
    assert "house das 0.2500000\n" in text
    assert "NULL kleine 1.0000000\n" in text
    assert "well NULL 1.0000000\n" in text
    again = LexicalTable.load(tmp_path / "lex")
    assert len(again) == len(table)
    for f in ("das", "Haus", "kleine", "ja", None):
        assert again.translations(f) == table.translations(f)
    again.save(tmp_path / "twice", compress=compress)
    for name in (f2e, e2f):
        other = name.with_name(name.name.replace("lex", "twice", 1))
        lines = (gzip.decompress(p.read_bytes()) if compress else p.read_bytes() for p in (name, other))
        assert len({tuple(sorted(text.splitlines())) for text in lines}) == 1


def test_bad_table_files(tmp_path) -> None:
    with pytest.raises(InputError, match=r"no PREFIX\.f2e"):
        LexicalTable.load(tmp_path / "lex")
    (tmp_path / "lex.f2e").write_text("house Haus 1.0\nthe das zwei\n")
    (tmp_path / "lex.e2f").write_text("Haus house 1.0\n")
    with pytest.raises(InputError, match=r'lex\.f2e:2: "zwei" is not a probability'):
        LexicalTable.load(tmp_path / "lex")
    (tmp_path / "lex.f2e").write_text("house Haus 1.0\nthe das 1.0\n")
    with pytest.raises(InputError, match='"das" and "the" are in one of the two files only'):
        LexicalTable.load(tmp_path / "lex")


def test_text_and_alignment_must_fit() -> None:
    with pytest.raises(InputError, match="have 1, 2 and 1 sentences"):
        LexicalTable.count(["a"], ["b", "c"], Alignment.from_pairs([[]]))
    with pytest.raises(InputError, match="sentence pair 2: link 0-1 points to target word 1"):
        LexicalTable.count(["a", "a"], ["b", "b"], Alignment.from_pairs([[(0, 0)], [(0, 1)]]))
