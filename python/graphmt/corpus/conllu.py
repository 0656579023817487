"""Sentences with dependency trees, in CoNLL-U."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from graphmt import _core, graph
from graphmt.errors import InputError
from graphmt.reprs import counted, shortened
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, writing

if TYPE_CHECKING:
    from graphmt.draw import Drawing


class MultiwordToken(NamedTuple):
    """A token that stands for the words ``first`` to ``last`` (counted from 0, both included).

    Examples
    --------
    >>> from graphmt.corpus import MultiwordToken
    >>> MultiwordToken(2, 3, "am").form
    'am'
    """

    first: int
    last: int
    form: str
    feats: str = "_"
    misc: str = "_"


@dataclasses.dataclass(frozen=True)
class Tree:
    """A sentence and its dependency tree; every column has one entry for each word.

    Heads are positions counted from 0, -1 for the root word (the file counts from 1 and gives the root 0).
    A column that is not given is empty (``_``) for every word. Heads that do not form a tree are rejected.

    Raises
    ------
    InputError
        If the heads do not form a tree, or a column has another length.

    Examples
    --------
    >>> from graphmt import Tree
    >>> tree = Tree(("Er", "schläft", "."), (1, -1, 1), deprels=("nsubj", "root", "punct"))
    >>> tree
    Tree('Er schläft .', 3 words)
    >>> print(tree.picture())
    ┌► Er       nsubj
    ├─ schläft  root
    └► .        punct
    """

    forms: tuple[str, ...]
    heads: tuple[int, ...]
    upos: tuple[str, ...] = ()
    deprels: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    deps: tuple[str, ...] = ()
    misc: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    multiword: tuple[MultiwordToken, ...] = ()

    def __post_init__(self) -> None:
        words = len(self.forms)
        if len(self.heads) != words:
            raise InputError(f"a tree with {words} forms and {len(self.heads)} heads; each word has one head.")
        graph.check_tree(self.heads)
        for name in _COLUMNS[1:]:
            column = getattr(self, name)
            if not column:
                object.__setattr__(self, name, ("_",) * words)
            elif len(column) != words:
                raise InputError(f"a tree with {words} forms and {len(column)} {name}; each word has one.")

    def __len__(self) -> int:
        return len(self.forms)

    def __repr__(self) -> str:
        return f"Tree({shortened(self.text)!r}, {counted(len(self), 'word')})"

    def picture(self, *, bigram_links: bool = False) -> Drawing:
        """The words with their dependencies as arcs, to be shown, saved as SVG or printed.

        ``bigram_links`` also draws the links between neighbouring words.
        """
        from graphmt.draw import Picture

        deprels, upos = (() if set(column) == {"_"} else column for column in (self.deprels, self.upos))
        return Picture(self.tokens, self.heads, deprels, upos, bigram_links=bigram_links)

    def _repr_svg_(self) -> str:
        return self.picture().svg

    @property
    def root(self) -> int:
        """The position of the root word."""
        return self.heads.index(-1)

    @functools.cached_property
    def tokens(self) -> tuple[str, ...]:
        """The forms as tokens: a space inside a form (``10 000``) becomes ``_``."""
        if len(" ".join(self.forms).split()) == len(self.forms):
            return self.forms
        return tuple("_".join(form.split()) for form in self.forms)

    @property
    def text(self) -> str:
        """The tokens separated by single spaces, as returned by :func:`graphmt.corpus.tokenised`."""
        return " ".join(self.tokens)

    def surface(self) -> Tree:
        """The tree whose nodes are the tokens of the running text: multiword tokens become one node.

        The node takes head, label and tags of its word nearest to the root, as in :func:`read_trees`.
        """
        if not self.multiword:
            return self
        token_at = {token.first: token for token in self.multiword}
        nodes: list[tuple[int, MultiwordToken | None]] = []
        node_of: list[int] = []
        while len(node_of) < len(self):
            first = len(node_of)
            token = token_at.get(first)
            words = range(first, token.last + 1 if token else first + 1)
            node_of += [len(nodes)] * len(words)
            nodes.append((min(words, key=self._depth), token))
        tops = [top for top, _ in nodes]
        columns = {name: tuple(getattr(self, name)[top] for top in tops) for name in _COLUMNS if name != "deps"}
        columns["forms"] = tuple(token.form if token else self.forms[top] for top, token in nodes)
        columns["misc"] = tuple(token.misc if token else self.misc[top] for top, token in nodes)
        heads = tuple(-1 if self.heads[top] < 0 else node_of[self.heads[top]] for top in tops)
        return Tree(heads=heads, comments=self.comments, **columns)

    def _depth(self, word: int) -> int:
        steps = 0
        while self.heads[word] >= 0:
            word, steps = self.heads[word], steps + 1
        return steps

    def projectivised(self) -> Tree:
        """The tree with arcs lifted until it is projective (:func:`graphmt.graph.projectivise`)."""
        return dataclasses.replace(self, heads=graph.projectivise(self.heads))

    def conllu(self) -> str:
        """The sentence in CoNLL-U, with the blank line that ends it."""
        rows = list(self.comments)
        ranges = {token.first: token for token in self.multiword}
        heads = [str(head + 1) for head in self.heads]
        columns = (
            self.forms,
            self.lemmas,
            self.upos,
            self.xpos,
            self.feats,
            heads,
            self.deprels,
            self.deps,
            self.misc,
        )
        for at, row in enumerate(zip(*columns, strict=True)):
            if token := ranges.get(at):
                span = f"{token.first + 1}-{token.last + 1}"
                rows.append(f"{span}\t{token.form}\t_\t_\t_\t{token.feats}\t_\t_\t_\t{token.misc}")
            rows.append(f"{at + 1}\t" + "\t".join(row))
        return "\n".join(rows) + "\n\n"


#: The text columns, as the core names them.
_COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc")


def read_trees(path: AnyPath, *, multiword: str = "surface") -> Iterator[Tree]:
    """Read the trees of a CoNLL-U file, as a stream.

    Empty nodes (``8.1``) are dropped, comments kept. Enhanced dependencies (DEPS) are kept if no id changes.

    Parameters
    ----------
    path
        The file, plain or compressed; ``-`` is standard input.
    multiword
        How to treat a token that stands for several words (``3-4 am`` for *an* and *dem*). With ``surface`` the
        token is one node: it takes head, label and tags of its word nearest to the root (the first of several), and
        the dependents of all its words. The nodes are then the tokens of the running text, which is the input of a
        translation system. With ``words`` the syntactic words are the nodes, as in the file, and the token is kept
        in ``Tree.multiword``.

    Yields
    ------
    Tree
        Trees.

    Raises
    ------
    InputError
        If a line or tree is faulty.

    Examples
    --------
    >>> import graphmt
    >>> trees = list(graphmt.read_trees("corpus/test.de.conllu"))
    >>> len(trees), trees[0]
    (10, Tree('Sie ist glücklich .', 4 words))
    """
    for chunk in _core.ConlluReader(path, multiword=multiword, chunk=1024):
        for sentence in range(len(chunk)):
            yield _tree(chunk.columns(sentence))


def parse_conllu(text: str) -> list[Tree]:
    """Read trees from a string in CoNLL-U, as :func:`read_trees` reads them from a file.

    Parameters
    ----------
    text
        The text.

    Returns
    -------
    list[Tree]
        The trees.

    Raises
    ------
    InputError
        If a line or tree is faulty.

    Examples
    --------
    >>> from graphmt.corpus.conllu import parse_conllu
    >>> parse_conllu("1\\tEr\\t_\\t_\\t_\\t_\\t2\\t_\\t_\\t_\\n2\\tschläft\\t_\\t_\\t_\\t_\\t0\\t_\\t_\\t_\\n")
    [Tree('Er schläft', 2 words)]
    """
    chunks = _core.ConlluReader.of_text(text, name="the text", chunk=1024)
    return [_tree(chunk.columns(sentence)) for chunk in chunks for sentence in range(len(chunk))]


def read_sentences(path: AnyPath) -> Iterator[str | Tree]:
    """Read the sentences of a text or CoNLL-U file, by its content.

    Parameters
    ----------
    path
        The file, plain or compressed; ``-`` is standard input.

    Yields
    ------
    str | Tree
        Texts, or trees from CoNLL-U.

    Examples
    --------
    >>> from graphmt.corpus import read_sentences
    >>> next(read_sentences("corpus/test.de.conllu"))
    Tree('Sie ist glücklich .', 4 words)
    """
    for chunk in _core.open_corpus(path, chunk=256):
        if isinstance(chunk, list):
            yield from chunk
        else:
            yield from (_tree(chunk.columns(sentence)) for sentence in range(len(chunk)))


def _tree(columns: _core.TreeColumns) -> Tree:
    # The core has checked everything that ``__post_init__`` would, so it is skipped.
    tree = object.__new__(Tree)
    fields = tree.__dict__
    fields.update((name, getattr(columns, name)) for name in (*_COLUMNS, "heads", "comments"))
    fields["multiword"] = tuple(
        MultiwordToken(token.first, token.last, token.form, token.feats, token.misc) for token in columns.multiword
    )
    return tree


def write_trees(path: AnyPath, trees: Iterable[Tree]) -> int:
    """Write trees as CoNLL-U, whole or not at all.

    Parameters
    ----------
    path
        The file to write; the end of the name compresses, ``-`` is standard output.
    trees
        The trees.

    Returns
    -------
    int
        How many trees were written.

    Examples
    --------
    >>> from graphmt import Tree
    >>> from graphmt.corpus import write_trees
    >>> write_trees("one.conllu", [Tree(("Er", "schläft"), (1, -1))])
    1
    """
    count = 0
    with writing(path) as stream:
        for count, tree in enumerate(trees, 1):  # noqa: B007
            stream.write(tree.conllu())
    return count


def require_trees(path: AnyPath, system: str, *, is_data: bool = False) -> None:
    """Reject a text without trees for a system that needs them, with a hint how to parse it.

    Standard input (``-``) can be read only once, so it is not checked here.

    Parameters
    ----------
    path
        The file.
    system
        The name of the system, for the message.
    is_data
        Whether data of Python code was written to the file, which the user does not know.

    Raises
    ------
    InputError
        If the file is not CoNLL-U.

    Examples
    --------
    >>> from graphmt.corpus import require_trees
    >>> require_trees("corpus/train.de.conllu", "gbmt")
    """
    name = os.fspath(path)
    if name != "-" and not _core.is_conllu(path):
        stem = plain_name(name).removesuffix(".txt")
        command = f"parse it first: graphmt corpus parse --parser KIND:MODEL {name} {stem}.conllu.gz"
        raise InputError(
            f"{system} needs a dependency tree for each source sentence; this is not CoNLL-U.",
            file=name,
            hint="Give trees instead of texts, or a parser (KIND:MODEL)."
            if is_data
            else f"Give a parser (--parser KIND:MODEL), or {command}",
        )
