"""What gm counts, on a corpus of five sentences worked by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from graphmt import _core
from graphmt.corpus import TextOptions, TextSteps
from graphmt.errors import GraphmtError
from graphmt.selection import Corpus, GmOptions
from graphmt.selection.gm import train_gm

#: Source words with parts of speech, target words, links. "Hund" and "bellt" occur together in 1, 2 and 5; "Katze"
#: and "schläft" in 3 and 4. The articles hang on the nouns in sentences 1 and 3.
CORPUS = [
    ("der/DET hund/NOUN bellt/VERB", "the dog barks", "0-0 1-1 2-2"),
    ("hunde/NOUN bellen/VERB laut/ADV", "dogs bark loudly", "0-0 1-1 2-2"),
    ("katze/NOUN schläft/VERB", "the cat sleeps", "0-0 0-1 1-2"),
    ("die/DET katze/NOUN schläft/VERB ja/PART", "the cat is asleep now", "0-0 1-1 2-2 2-3 2-4"),
    ("der/DET große/ADJ hund/NOUN bellt/VERB", "a big dog barks", "0-0 1-1 2-2 3-3"),
]

LEMMAS = {"hunde": "hund", "bellen": "bellt", "dogs": "dog", "bark": "barks", "große": "groß", "loudly": "loud"}


def conllu(words: list[tuple[str, str]]) -> str:
    rows = (f"{i}\t{word}\t_\t{tag}\t_\t_\t{0 if i == 1 else 1}\t_\t_\t_\n" for i, (word, tag) in enumerate(words, 1))
    return "".join(rows) + "\n"


def write(folder: Path) -> Corpus:
    source = [[tuple(token.split("/")) for token in line.split()] for line, _, _ in CORPUS]
    files = {name: folder / name for name in ("source", "target", "links", "trees.conllu")}
    files["source"].write_text("".join(" ".join(word for word, _ in line) + "\n" for line in source), "utf-8")
    files["target"].write_text("".join(target + "\n" for _, target, _ in CORPUS), "utf-8")
    files["links"].write_text("".join(links + "\n" for _, _, links in CORPUS), "utf-8")
    files["trees.conllu"].write_text("".join(map(conllu, source)), "utf-8")
    steps = TextSteps(TextOptions(language="xx", case="lower"))
    return Corpus(files["source"], files["target"], files["links"], files["trees.conllu"], steps, steps)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    known = "graphmt.selection.gm.lemmatiser"
    monkeypatch.setattr(known, lambda language, lower: lambda words: [LEMMAS.get(word, word) for word in words])
    return write(tmp_path)


def trained(corpus: Corpus, **options: object) -> _core.GmModel:
    out = Path(corpus.source).parent / "gm.bin"
    train_gm(corpus, out, GmOptions(**{"source_count": 1, "threads": 1, **options}))
    return _core.GmModel(out)


def test_trees_without_parts_of_speech_are_refused(corpus) -> None:
    trees = Path(corpus.trees)
    rows = (line.split("\t") for line in trees.read_text("utf-8").splitlines())
    trees.write_text("".join("\t".join([*row[:3], "_", *row[4:]] if row[0] else row) + "\n" for row in rows), "utf-8")
    with pytest.raises(GraphmtError, match=r"trees\.conllu: gm found no content words: the parts of speech"):
        trained(corpus)


def counted(model, word: str, translation: list[str]) -> tuple[int, int]:
    found = model.counts(word, translation)
    return found.count, found.total


def test_translations_and_how_often(corpus) -> None:
    model = trained(corpus)
    assert counted(model, "hund", ["dog"]) == (2, 2)
    # Katze: once "the cat" (sentence 3), once "cat".
    assert counted(model, "katze", ["the", "cat"]) == (1, 2)
    assert counted(model, "katze", ["cat"]) == (1, 2)
    assert counted(model, "schläft", ["is", "asleep", "now"]) == (1, 2)
    # The empty translation, a translation that was not seen, a word that was not seen.
    assert counted(model, "ja", []) == (1, 1)
    assert counted(model, "hund", ["cat"]) == (0, 2)
    assert counted(model, "maus", []) == (0, 0)


def test_importance(corpus) -> None:
    """idf over five sentences: ln((5 + 1) / sentences with the word)."""
    model = trained(corpus)
    assert model.idf("bellt") == pytest.approx(math.log(6 / 2))
    assert model.idf("laut") == pytest.approx(math.log(6 / 1))
    assert model.idf("maus") is None


def test_related_source_words(corpus) -> None:
    """Pairs of content words by lemma, both directions: Hund-bellt 3, bellt-laut 1, Hund-laut 1, Katze-schläft 2,
    große-Hund 1, große-bellt 1; 18 in all. p(Hund) = 5/18, p(bellt) = 5/18, p(Hund, bellt) = 3/18."""
    model = trained(corpus)
    hund, bellt = ("hund", "NOUN"), ("bellt", "VERB")
    assert math.log((3 / 18) / (5 / 18) ** 2) > 0
    assert model.related(hund, bellt) and model.related(bellt, ("hunde", "NOUN"))
    assert model.related(("katze", "NOUN"), ("schläft", "VERB"))
    # Once is not more than once; a function word is never related.
    assert not model.related(bellt, ("laut", "ADV"))
    assert not model.related(("der", "DET"), hund)
    # An adjective is known by its form, which is not what a noun of the same form is counted as.
    once = trained(corpus, source_count=0)
    assert once.related(hund, ("große", "ADJ")) and not once.related(hund, ("große", "NOUN"))
    # With a window of one word große and bellt are too far apart; Hund and bellt are not.
    near = trained(corpus, source_count=0, source_window=1)
    assert once.related(bellt, ("große", "ADJ")) and not near.related(bellt, ("große", "ADJ"))
    assert near.related(hund, bellt)
    # ln(3/18 / (5/18)^2) = 0.77; ln(2/18 / (2/18)^2) = 2.2.
    strict = trained(corpus, source_pmi=1.0)
    assert not strict.related(hund, bellt) and strict.related(("katze", "NOUN"), ("schläft", "VERB"))


def test_content_words_of_the_target_side(corpus) -> None:
    """Those that have enough one-to-one links to content words: "the" hangs on Katze once and is an article twice,
    "sleeps" is all of schläft, "is asleep now" has no link of its own, "a" is an article."""
    assert set(trained(corpus).content_words()) == {
        "dog", "dogs", "barks", "bark", "loudly", "cat", "sleeps", "big"
    }  # fmt: skip


def test_relatedness_of_target_words(corpus) -> None:
    """Pairs by lemma, in both directions: dog-barks 3, dog-loudly 1, barks-loudly 1, cat-sleeps 1, big-dog 1,
    big-barks 1; 16 in all. dog 5, barks 5, loudly 2, cat 1, sleeps 1, big 2."""
    model = trained(corpus)
    pmi = math.log((3 / 16) / (5 / 16) ** 2)
    assert model.relatedness("pmi", "dog", "barks") == pytest.approx(pmi)
    assert model.relatedness("pmi", "bark", "dogs") == pytest.approx(pmi)
    assert model.relatedness("pmi", "cat", "sleeps") == pytest.approx(math.log(16))
    assert model.relatedness("pmi", "cat", "dog") == 0
    # Witten-Bell: dog has the neighbours barks, loudly, big, five occurrences; p(barks) = 5/16.
    assert model.relatedness("lm", "dog", "barks") == pytest.approx((3 + 3 * 5 / 16) / (5 + 3))
    assert model.relatedness("lm", "dog", "cat") == pytest.approx((3 * 1 / 16) / (5 + 3))
    words = ["dog", "barks", "loudly", "cat", "sleeps", "big"]
    assert sum(model.relatedness("lm", "dog", word) for word in words) == pytest.approx(1)
    # A function word has none.
    assert model.relatedness("pmi", "the", "dog") is None


def test_further_text_is_counted(corpus, tmp_path) -> None:
    (tmp_path / "more.en").write_text("Cat mouse dog\n")
    (tmp_path / "more.conllu").write_text(conllu([("Laut", "ADV"), ("bellt", "VERB"), ("maus", "NOUN")]), "utf-8")
    more = {"more_source": (str(tmp_path / "more.conllu"),), "more_target": (str(tmp_path / "more.en"),)}
    model = trained(corpus, **more)
    # Now twice: bellt-laut. p = 2/20, bellt 6/20, laut 3/20.
    assert model.related(("bellt", "VERB"), ("laut", "ADV"))
    # 18 in all: cat-dog 1 more, of which cat has 2 and dog 6; "mouse" is not known.
    assert model.relatedness("pmi", "cat", "dog") == pytest.approx(math.log((1 / 18) / (2 / 18 * 6 / 18)))
    assert model.relatedness("lm", "dog", "cat") == pytest.approx((1 + 4 * 2 / 18) / (6 + 4))


def test_the_file_is_the_same_for_any_number_of_threads_and_any_memory(corpus, tmp_path) -> None:
    out = tmp_path / "gm.bin"
    made = set()
    for threads in (1, 3):
        train_gm(corpus, out, GmOptions(threads=threads))
        made.add(out.read_bytes())
    assert len(made) == 1
    _core.GmModel(out).verify()


def test_a_cut_file_is_refused(corpus, tmp_path) -> None:
    trained(corpus)
    whole = (tmp_path / "gm.bin").read_bytes()
    for cut in (0, 100, len(whole) - 1):
        (tmp_path / "gm.bin").write_bytes(whole[:cut])
        with pytest.raises(GraphmtError):
            _core.GmModel(tmp_path / "gm.bin")


def test_trees_that_do_not_fit_are_named(corpus, tmp_path) -> None:
    trees = Path(corpus.trees)
    text = trees.read_text("utf-8")
    trees.write_text(text.replace("2\thund\t_\tNOUN\t_\t_\t1\t_\t_\t_\n3\tbellt", "2\tbellt", 1), "utf-8")
    with pytest.raises(GraphmtError, match=r"trees.conllu: tree 1 has 2 words, the source text has 3"):
        trained(corpus)
    trees.write_text(text + conllu([("mehr", "ADV")]), "utf-8")
    with pytest.raises(GraphmtError, match=r"source: 5 sentences, but .*trees.conllu has more"):
        trained(corpus)
