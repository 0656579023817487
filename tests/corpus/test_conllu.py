"""Trees in CoNLL-U: what is read, what is refused, what is written back."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from graphmt.corpus import MultiwordToken, Tree, read_trees, require_trees, write_trees
from graphmt.errors import InputError, OptionError
from hypothesis import given
from hypothesis import strategies as st
from random_trees import conllu, heads

RICH = """# sent_id = 1
# text = Er geht im Park.
1\tEr\ter\tPRON\tPPER\tCase=Nom\t2\tnsubj\t2:nsubj\t_
2\tgeht\tgehen\tVERB\tVVFIN\tNumber=Sing\t0\troot\t0:root\t_
3-4\tim\t_\t_\t_\tTypo=Yes\t_\t_\t_\tX=1
3\tin\tin\tADP\tAPPR\t_\t5\tcase\t5:case\t_
4\tdem\tder\tDET\tART\t_\t5\tdet\t5:det\t_
5\tPark\tPark\tNOUN\tNN\t_\t2\tobl\t2:obl\tSpaceAfter=No
6\t.\t.\tPUNCT\t$.\t_\t2\tpunct\t2:punct\t_

"""


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_words_come_back_as_they_were(tmp_path: Path) -> None:
    path = written(tmp_path / "a.conllu", RICH)
    (tree,) = read_trees(path, multiword="words")
    assert tree.heads == (1, -1, 4, 4, 1, 1)
    assert tree.multiword == (MultiwordToken(2, 3, "im", "Typo=Yes", "X=1"),)
    assert tree.conllu() == RICH


def test_a_multiword_token_is_one_node(tmp_path: Path) -> None:
    (tree,) = read_trees(written(tmp_path / "a.conllu", RICH))
    assert tree.forms == ("Er", "geht", "im", "Park", ".")
    assert tree.heads == (1, -1, 3, 1, 1)
    assert tree.deprels[2] == "case" and tree.upos[2] == "ADP" and tree.misc[2] == "X=1"
    assert tree.comments == ("# sent_id = 1", "# text = Er geht im Park.")
    assert set(tree.deps) == {"_"}, "enhanced dependencies name ids that are gone"
    assert tree.text == "Er geht im Park ." and tree.root == 1


def test_empty_nodes_are_dropped(tmp_path: Path) -> None:
    text = conllu("1 a 0", "1.1 gone _", "2 b 1")
    (tree,) = read_trees(written(tmp_path / "a.conllu", text))
    assert tree.forms == ("a", "b") and tree.heads == (-1, 0)


def test_a_space_in_a_form_does_not_split_the_token(tmp_path: Path) -> None:
    text = conllu("1 X 0", "2 Y 1").replace("X", "10 000").replace("Y", "a\u00a0b")
    (tree,) = read_trees(written(tmp_path / "a.conllu", text))
    assert tree.forms == ("10 000", "a\u00a0b")
    assert tree.text == "10_000 a_b"


@pytest.mark.parametrize(
    ("rows", "line", "words"),
    [
        (("1 a 2", "2 b 1"), 4, "no root"),
        (("1 a 0", "2 b 3", "3 c 2"), 5, "a cycle: the heads lead 2 → 3 → 2"),
        (("1 a 0", "2 b 2"), 5, "a cycle: the heads lead 2 → 2"),
        (("1 a 0", "2 b 0"), 5, "a second root: words 1 and 2"),
        (("1 a 0", "3 b 1"), 5, 'word id "3" where 2 was expected'),
        (("1 a 0", "2 b 3"), 5, "word 2 has HEAD 3, but the sentence has words 1 to 2"),
        (("1 a 0", "2 b x"), 5, 'HEAD of word 2 is "x"'),
        (("1 a 0", "2  1"), 5, "empty FORM"),
    ],
)
@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz"])
def test_a_fault_is_told_with_its_line(tmp_path: Path, rows: tuple[str, ...], line: int, words: str, name: str) -> None:
    text = conllu("# first", "1 ok 0") + conllu(*rows)
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    with pytest.raises(InputError) as told:
        list(read_trees(path))
    assert (told.value.file, told.value.line) == (str(path), line)
    assert words in told.value.message


def test_wrong_columns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"1 column, 10 were expected\. Columns are separated by tabs"):
        list(read_trees(written(tmp_path / "a.conllu", "1 a _ _ _ _ 0 root _ _\n\n")))


def test_the_stream_starts_before_the_fault(tmp_path: Path) -> None:
    text = conllu("1 a 0") * 3000 + conllu("1 a 1")
    trees = read_trees(written(tmp_path / "a.conllu", text))
    assert next(trees).forms == ("a",)


@given(heads(), st.data())
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, tree: list[int], data: st.DataObject
) -> None:
    word = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp", "Zs")), min_size=1, max_size=5)
    columns = [tuple(data.draw(st.lists(word, min_size=len(tree), max_size=len(tree)))) for _ in range(8)]
    given_tree = Tree(columns[0], tuple(tree), *columns[1:], comments=("# a comment",))
    for name in ("t.conllu", "t.conllu.gz"):
        path = tmp_path_factory.getbasetemp() / name
        assert write_trees(path, [given_tree, given_tree]) == 2
        assert list(read_trees(path)) == [given_tree, given_tree]


@given(heads(), st.data())
def test_collapsing_any_spans_leaves_a_tree(
    tmp_path_factory: pytest.TempPathFactory, tree: list[int], data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(tree)))) | {0, len(tree)})
    spans = list(pairwise(cuts))
    rows = []
    for first, last in spans:
        if last - first > 1:
            rows.append(f"{first + 1}-{last} w{first} _")
        rows += [f"{word + 1} w{word} {tree[word] + 1}" for word in range(first, last)]
    path = written(tmp_path_factory.getbasetemp() / "c.conllu", conllu(*rows))
    (read,) = read_trees(path)  # which refuses what is no tree
    assert len(read) == len(spans)
    node = [place for place, (first, last) in enumerate(spans) for _ in range(first, last)]

    def depth(word: int) -> int:
        return 0 if tree[word] == -1 else 1 + depth(tree[word])

    for place, (first, last) in enumerate(spans):
        top = min(range(first, last), key=depth)
        assert read.heads[place] == (-1 if tree[top] == -1 else node[tree[top]])


def test_a_tree_made_by_hand_is_checked() -> None:
    assert Tree(("a", "b"), (-1, 0)).upos == ("_", "_")
    with pytest.raises(InputError, match="a second root"):
        Tree(("a", "b"), (-1, -1))
    with pytest.raises(InputError, match="2 forms and 1 heads"):
        Tree(("a", "b"), (-1,))
    with pytest.raises(InputError, match="2 forms and 1 upos"):
        Tree(("a", "b"), (-1, 0), ("X",))


def test_projectivising_a_tree_keeps_all_else() -> None:
    tree = Tree(("a", "b", "c"), (1, -1, 0), deprels=("x", "root", "y"))
    assert tree.projectivised() == Tree(("a", "b", "c"), (1, -1, 1), deprels=("x", "root", "y"))


def test_require_trees_names_the_command(tmp_path: Path) -> None:
    text = written(tmp_path / "train.de.txt", "Er geht .\n")
    with pytest.raises(InputError, match=r"dgst needs .* graphmt corpus parse --parser KIND:MODEL \S*train.de.txt"):
        require_trees(text, "dgst")
    require_trees(written(tmp_path / "trees.txt", RICH), "dgst")


def test_an_unknown_way_with_multiword_tokens(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="'surface' or 'words'"):
        list(read_trees(written(tmp_path / "a.conllu", RICH), multiword="both"))
