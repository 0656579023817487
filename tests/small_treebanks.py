"""Small treebanks with raw text, and UDPipe models trained on them in seconds."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from graphmt.corpus import Parser, ParserOptions, Tree, train_parser, write_trees
from graphmt.demo import DemoOptions, generate

#: As little as is enough for text like that of the treebank.
QUICK = ParserOptions(
    tokeniser_epochs=2,
    tokeniser_size=16,
    segment=20,
    tagger_iterations=2,
    parser_iterations=3,
    hidden_layer=20,
)

SUBJECTS = {"我": "I", "老师": "the teacher", "学生们": "the students", "医生": "the doctor"}
VERBS = {"喜欢": "like", "看见": "see", "帮助": "help", "认识": "know"}
OBJECTS = {"苹果": "apples", "小猫": "cats", "朋友": "friends", "邻居": "neighbours"}


def raw(tree: Tree) -> str:
    """The text of a tree, with the spaces that its words name."""
    parts = zip(tree.forms, tree.misc, strict=True)
    return "".join(form if "SpaceAfter=No" in misc else f"{form} " for form, misc in parts).strip()


def german(count: int) -> tuple[list[Tree], list[str]]:
    """Trees and translations of the demo corpus, with raw text."""
    pairs = generate(DemoOptions(train=count, dev=0, test=0)).train
    return [_spaced(pair.source) for pair in pairs], [_joined(pair.target) for pair in pairs]


def _joined(words: tuple[str, ...]) -> str:
    return " ".join(words).replace(" .", ".").replace(" ,", ",").replace(" ?", "?")


def _spaced(tree: Tree) -> Tree:
    """A tree whose punctuation follows without a space."""
    after = [*tree.forms[1:], ""]
    misc = tuple("SpaceAfter=No" if form in {".", ",", "?", "!"} else "_" for form in after)
    return Tree(tree.forms, tree.heads, tree.upos, tree.deprels, misc=misc)


def chinese() -> tuple[list[Tree], list[str]]:
    """All sentences of subject, verb and object, in a random order; there are no spaces."""
    made = list(itertools.product(SUBJECTS, VERBS, OBJECTS))
    random.Random(1).shuffle(made)
    return [_clause(*words) for words in made], [_english(*words) for words in made]


def _clause(subject: str, verb: str, what: str) -> Tree:
    forms, upos = (subject, verb, what, "。"), ("NOUN", "VERB", "NOUN", "PUNCT")
    return Tree(forms, (1, -1, 1, 1), upos, ("nsubj", "root", "obj", "punct"), misc=("SpaceAfter=No",) * 4)


def _english(subject: str, verb: str, what: str) -> str:
    return f"{SUBJECTS[subject]} {VERBS[verb]} {OBJECTS[what]}."


def write_treebank(path: Path, trees: list[Tree]) -> None:
    write_trees(path, _with_text(trees))


def _with_text(trees: list[Tree]) -> Iterator[Tree]:
    for tree in trees:
        columns = {name: getattr(tree, name) for name in ("forms", "heads", "upos", "deprels", "misc")}
        yield Tree(**columns, comments=(f"# text = {raw(tree)}",))


def trained(folder: Path, trees: list[Tree], options: ParserOptions = QUICK) -> Parser:
    pytest.importorskip("ufal.udpipe", reason="needs the extra 'udpipe'")
    write_treebank(folder / "treebank.conllu", trees)
    return train_parser(folder / "treebank.conllu", folder / "small.udpipe", options)


def chinese_parser(folder: Path) -> Path:
    """A model of most Chinese sentences (``small.udpipe``), and the others as gold trees (``gold.conllu``)."""
    trees, _ = chinese()
    trained(folder, trees[:48])
    write_treebank(folder / "gold.conllu", trees[48:])
    return folder
