"""The demo corpus as a whole."""

from __future__ import annotations

import gzip
import hashlib
from collections import Counter
from pathlib import Path

import pytest
from graphmt.corpus import Tree
from graphmt.demo import DemoCorpus, DemoOptions, Pair, generate, write
from graphmt.demo.phenomena import PHENOMENA
from graphmt.errors import InputError, OptionError
from graphmt.graph import is_projective

CONTENT = {"NOUN", "PROPN", "VERB", "ADJ", "ADV"}


@pytest.fixture(scope="module")
def corpus() -> DemoCorpus:
    return generate()


@pytest.fixture(scope="module")
def pairs(corpus: DemoCorpus) -> list[Pair]:
    return [pair for part in corpus.parts.values() for pair in part]


def depth(tree: Tree, i: int) -> int:
    steps = 0
    while i >= 0:
        i = tree.heads[i]
        steps += 1
        assert steps <= len(tree), "a cycle"
    return steps


def test_sizes(corpus: DemoCorpus) -> None:
    assert [len(part) for part in corpus.parts.values()] == [4000, 200, 200]


def test_trees(pairs: list[Pair]) -> None:
    for pair in pairs:
        tree = pair.source
        assert tree.heads.count(-1) == 1
        assert tree.deprels[tree.heads.index(-1)] == "root"
        assert tree.deprels.count("root") == 1
        assert all(depth(tree, i) for i in range(len(tree)))
        assert all(tree.deprels) and all(tree.lemmas) and all(tree.upos)
        assert "PUNCT" not in {tree.upos[head] for head in tree.heads if head >= 0}
        assert tree.forms[-1] in ".?" and tree.forms[0][0].isupper()


def test_some_trees_are_non_projective_but_few(corpus: DemoCorpus) -> None:
    share = sum(not is_projective(pair.source.heads) for pair in corpus.train) / len(corpus.train)
    assert 0.01 < share < 0.06


def test_alignments(pairs: list[Pair]) -> None:
    for pair in pairs:
        for i, j in pair.alignment | pair.possible:
            assert 0 <= i < len(pair.source) and 0 <= j < len(pair.target)
        assert not pair.alignment & pair.possible
        linked = {i for i, _ in pair.alignment}
        content = {i for i, upos in enumerate(pair.source.upos) if upos in CONTENT}
        assert content <= linked, pair.source.forms
        reached = {j for _, j in pair.alignment | pair.possible}
        alone = [word for j, word in enumerate(pair.target) if j not in reached]
        assert not set(alone) - {","}, (pair.source.forms, pair.target)


def test_lengths(corpus: DemoCorpus) -> None:
    lengths = [len(pair.source) for pair in corpus.train]
    assert min(lengths) >= 4 and max(lengths) <= 25
    assert 8.5 < sum(lengths) / len(lengths) < 11.5


def test_held_out_pairs_are_new_combinations_of_known_words(corpus: DemoCorpus) -> None:
    known = {combination for pair in corpus.train for combination in pair.combinations}
    german = {form for pair in corpus.train for form in pair.source.forms}
    english = {form for pair in corpus.train for form in pair.target}
    for pair in corpus.dev + corpus.test:
        assert pair.combinations and not pair.combinations & known
        assert german.issuperset(pair.source.forms) and english.issuperset(pair.target)
    in_dev = {combination for pair in corpus.dev for combination in pair.combinations}
    assert not any(pair.combinations & in_dev for pair in corpus.test)


def test_no_sentence_twice(pairs: list[Pair]) -> None:
    assert len({pair.source.forms for pair in pairs}) == len(pairs)


def test_the_same_words_with_the_same_tree_have_one_translation(pairs: list[Pair]) -> None:
    """The grammar is not random about English: what German says decides."""
    seen: dict[tuple[object, ...], tuple[str, ...]] = {}
    for pair in pairs:
        key = (tuple(form.lower() for form in pair.source.forms), pair.source.heads)
        assert seen.setdefault(key, pair.target) == pair.target


def test_every_phenomenon_is_there(corpus: DemoCorpus) -> None:
    counts = Counter(tag for pair in corpus.train for tag in pair.phenomena)
    assert set(counts) == set(PHENOMENA)
    assert min(counts.values()) >= 20
    assert counts["separable"] >= 600 and counts["verb_final"] >= 1000 and counts["ambiguous_noun"] >= 400
    held_out = Counter(tag for pair in corpus.dev + corpus.test for tag in pair.phenomena)
    assert set(held_out) == set(PHENOMENA)


def test_ambiguous_words_have_all_their_translations(corpus: DemoCorpus) -> None:
    found: dict[str, set[str]] = {}
    for pair in corpus.train:
        for i, j in pair.alignment:
            found.setdefault(pair.source.lemmas[i], set()).add(pair.target[j])
    assert {"bench", "bank"} <= found["Bank"]
    assert {"lock", "castle"} <= found["Schloss"]
    assert {"bouquet", "ostrich"} <= found["Strauß"]
    assert {"ladder", "manager"} <= found["Leiter"]
    assert {"put", "tightened", "attracted"} <= found["anziehen"]


def main_field(tree: Tree) -> list[int]:
    """The words of the main clause before its finite verb."""
    root = tree.heads.index(-1)
    helpers = [
        i
        for i, (head, rel) in enumerate(zip(tree.heads, tree.deprels, strict=True))
        if head == root and rel in ("aux", "cop")
    ]
    finite = helpers[0] if helpers else root
    return list(range(finite))


def test_the_finite_verb_is_second_in_statements_and_first_in_questions(pairs: list[Pair]) -> None:
    for pair in pairs:
        tree = pair.source
        before = main_field(tree)
        if "yesno" in pair.phenomena or (tree.forms[-1] == "?" and not before):
            assert not before
            continue
        root = tree.heads.index(-1)
        tops = {top(tree, i, root) for i in before if tree.upos[i] != "PUNCT"}
        assert len(tops) == 1, tree.forms


def top(tree: Tree, i: int, root: int) -> int:
    while tree.heads[i] != root:
        i = tree.heads[i]
    return i


def test_a_particle_ends_its_clause(pairs: list[Pair]) -> None:
    seen = 0
    for pair in pairs:
        tree = pair.source
        for i, relation in enumerate(tree.deprels):
            if relation == "compound:prt":
                seen += 1
                assert tree.heads[i] < i
                assert tree.forms[i + 1] in (".", "?", ",", "und")
    assert seen > 600


def test_a_subordinate_verb_ends_its_clause(pairs: list[Pair]) -> None:
    for pair in pairs:
        tree = pair.source
        for i, relation in enumerate(tree.deprels):
            if relation in ("acl:relcl", "ccomp", "advcl"):
                last = max(
                    [
                        i,
                        *(k for k, h in enumerate(tree.heads) if h == i and tree.deprels[k] in ("aux", "cop")),
                    ]
                )
                assert tree.forms[last + 1] in (".", "?", ",", "und"), tree.forms


def digest(corpus: DemoCorpus) -> str:
    whole = hashlib.sha256()
    for part in corpus.parts.values():
        for pair in part:
            links = sorted(pair.alignment), sorted(pair.possible)
            whole.update(repr((pair.source.conllu(), pair.target, links, sorted(pair.phenomena))).encode())
    return whole.hexdigest()[:16]


def test_the_corpus_is_the_same_everywhere(corpus: DemoCorpus) -> None:
    """If a change of the grammar or the lexicon is meant, so is a new digest here."""
    assert digest(corpus) == "eb0909ce7dd3276f"


def test_seeds_differ() -> None:
    small = DemoOptions(train=300, dev=0, test=0)
    assert digest(generate(small)) == digest(generate(small))
    assert digest(generate(small)) != digest(generate(small.replace(seed=2)))


def test_writing(tmp_path: Path) -> None:
    options = DemoOptions(train=1200, dev=20, test=20)
    made = write(tmp_path / "demo", options)
    names = {f"{part}.{suffix}" for part in ("train", "dev", "test") for suffix in ("de.conllu", "en", "align")}
    assert {path.name for path in (tmp_path / "demo").iterdir()} == names | {"ABOUT.txt"}
    assert "synthetic" in (tmp_path / "demo" / "ABOUT.txt").read_text(encoding="utf-8").splitlines()[0]
    conllu = (tmp_path / "demo" / "dev.de.conllu").read_text(encoding="utf-8")
    assert conllu.startswith("# synthetic")
    assert conllu.count("\n\n") == 20
    english = (tmp_path / "demo" / "test.en").read_text(encoding="utf-8").splitlines()
    assert english == [" ".join(pair.target) for pair in made.test]
    links = (tmp_path / "demo" / "test.align").read_text(encoding="utf-8").splitlines()
    sure = [{tuple(map(int, link.split("-"))) for link in line.split() if "-" in link} for line in links]
    assert sure == [set(pair.alignment) for pair in made.test]
    possible = [{tuple(map(int, link.split("p"))) for link in line.split() if "p" in link} for line in links]
    assert possible == [set(pair.possible) for pair in made.test]

    write(tmp_path / "demo", options.replace(compress=True))
    zipped = (tmp_path / "demo" / "test.en.gz").read_bytes()
    assert gzip.decompress(zipped).decode().splitlines() == english
    assert not (tmp_path / "demo" / "test.en").exists()


def test_a_folder_of_someone_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me")
    with pytest.raises(InputError, match=r"ABOUT\.txt"):
        generate(DemoOptions(train=1, dev=0, test=0)).write(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "keep me"


def test_too_small_a_training_part_is_refused() -> None:
    with pytest.raises(OptionError, match="training pairs are too few"):
        generate(DemoOptions(train=1, dev=1, test=0))
