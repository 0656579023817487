"""Parsers: trees from what they return, their names, and what is said when one is missing."""

from __future__ import annotations

import http.server
import json
import re
import sys
import threading
import types
import urllib.parse
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
import random_trees
from graphmt.corpus import ParseOptions, Tree, open_parser, read_trees, write_trees
from graphmt.corpus.parsers import parse_lines, split_name
from graphmt.corpus.parsers.base import conllu_sentences, joined_tree, single_root
from graphmt.errors import GraphmtError, InputError, MissingPackageError, OptionError
from graphmt.graph import check_tree
from hypothesis import given
from hypothesis import strategies as st

CHAIN = Path(__file__).parents[1] / "docs" / "files" / "chain_parser.py"
COMMAND = f"command:{sys.executable} {CHAIN}"


def rows(*words: str) -> list[list[str]]:
    return [[*word.split()[:2], "_", "X", "_", "_", *word.split()[2:], "_", "_"] for word in words]


def test_several_sentences_of_a_line_are_one_tree() -> None:
    tree = joined_tree(
        [rows("1 Er 2 nsubj", "2 schläft 0 root"), rows("1 Ja 0 root", "2 . 1 punct")], "Er schläft Ja ."
    )
    assert tree is not None and tree.forms == ("Er", "schläft", "Ja", ".")
    assert tree.heads == (1, -1, 1, 2) and tree.deprels == ("nsubj", "root", "root", "punct")
    assert tree.comments == ("# text = Er schläft Ja .",)
    assert joined_tree([], "") is None


@given(st.lists(st.integers(-1, 7), min_size=1, max_size=8))
def test_any_heads_become_a_tree(heads: list[int]) -> None:
    heads = [-1 if head >= len(heads) or head == word else head for word, head in enumerate(heads)]
    made = single_root(heads)
    check_tree(made)
    # A tree stays as it is.
    assert single_root(made) == made


@given(random_trees.heads(8))
def test_trees_are_kept(heads: list[int]) -> None:
    assert single_root(heads) == tuple(heads)


def test_surface_trees_are_those_of_the_reader(tmp_path: Path) -> None:
    text = (
        "1\tSie\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tist\t_\tAUX\t_\t_\t0\troot\t_\t_\n"
        "3-4\tim\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n3\tin\t_\tADP\t_\t_\t5\tcase\t_\t_\n"
        "4\tdem\t_\tDET\t_\t_\t5\tdet\t_\t_\n5\tHaus\t_\tNOUN\t_\t_\t2\tobl\t_\t_\n"
        "6-8\tgehnwirs\t_\t_\t_\t_\t_\t_\t_\t_\n6\tgehn\t_\tVERB\t_\t_\t2\tconj\t_\t_\n"
        "7\twir\t_\tPRON\t_\t_\t6\tnsubj\t_\t_\n8\tes\t_\tPRON\t_\t_\t6\tobj\t_\t_\n\n"
    )
    (tmp_path / "a.conllu").write_text(text, "utf-8")
    (words,) = read_trees(tmp_path / "a.conllu", multiword="words")
    (surface,) = read_trees(tmp_path / "a.conllu")
    assert words.surface() == surface and surface.forms == ("Sie", "ist", "im", "Haus", "gehnwirs")
    assert surface.surface() is surface
    # A parser's own rows keep multiword tokens as well.
    (made,) = [joined_tree([conllu_sentences(text)[0]] * 2, "twice")]
    assert made is not None and made.surface().forms == surface.forms * 2
    write_trees(tmp_path / "b.conllu", [made])
    assert next(read_trees(tmp_path / "b.conllu")).heads == made.surface().heads


@pytest.mark.parametrize(
    ("name", "kind", "model"),
    [
        ("udpipe:a.udpipe", "udpipe", "a.udpipe"),
        ("folder/a.udpipe", "udpipe", "folder/a.udpipe"),
        ("de_core_news_sm", "spacy", "de_core_news_sm"),
        ("corenlp:http://localhost:9000", "corenlp", "http://localhost:9000"),
        ("C:\\models\\a.udpipe", "udpipe", "C:\\models\\a.udpipe"),
    ],
)
def test_names(name: str, kind: str, model: str) -> None:
    assert split_name(name) == (kind, model)


def test_unknown_names_are_rejected() -> None:
    with pytest.raises(OptionError, match=r"unknown kind of parser 'udpip' \(did you mean 'udpipe'\?\)"):
        open_parser("udpip:x")
    with pytest.raises(OptionError, match=r"'stanza:' has no model. For example stanza:de"):
        open_parser("stanza:")
    with pytest.raises(OptionError, match="segmenter"):
        ParseOptions(segmenter="spaces")
    with pytest.raises(OptionError, match=r"http://localhost:9000, not 'localhost'"):
        open_parser("corenlp:localhost")


@pytest.mark.parametrize(
    ("name", "package", "hint"),
    [
        ("udpipe:a.udpipe", "ufal.udpipe", r"pip install 'graphmt\[udpipe\]'"),
        ("stanza:de", "stanza", r"pip install 'graphmt\[stanza\]'"),
        ("spacy:de_core_news_sm", "spacy", r"pip install 'graphmt\[spacy\]'"),
    ],
)
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, name: str, package: str, hint: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=hint):
        open_parser(name)


def test_a_missing_or_damaged_udpipe_model(tmp_path: Path) -> None:
    pytest.importorskip("ufal.udpipe", reason="needs the extra 'udpipe'")
    with pytest.raises(MissingPackageError, match=r"none.udpipe does not exist. .* graphmt parser train"):
        open_parser(str(tmp_path / "none.udpipe"))
    (tmp_path / "a.udpipe").write_bytes(b"no model")
    with pytest.raises(InputError, match=r"a.udpipe: not a UDPipe 1 model"):
        open_parser(str(tmp_path / "a.udpipe"))


def test_a_command() -> None:
    (tree, _) = parse_lines(open_parser(COMMAND), ["er  schläft .", "ja"], tokenised=True)
    assert tree.forms == ("er", "schläft", ".") and tree.heads == (-1, 0, 1)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("print()", "wrote 0 trees for 2 lines"),
        ("import sys; sys.exit('no model')", "failed with exit code 1: no model"),
        ("print('1\\ta')", "2 columns, 10 were expected"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "not UTF-8"),
        (
            "print('1\\tA\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n' * 2)",
            r"a.txt:1: the parser changed the tokens of this line to 'A'",
        ),
    ],
)
def test_a_command_that_fails(tmp_path: Path, program: str, message: str) -> None:
    (tmp_path / "p.py").write_text(program)
    with pytest.raises(InputError, match=message):
        parse_lines(
            open_parser(f"command:{sys.executable} {tmp_path / 'p.py'}"), ["a", "b"], tokenised=True, name="a.txt"
        )


def test_a_command_that_does_not_exist() -> None:
    with pytest.raises(MissingPackageError, match="'no-such-parser' does not exist"):
        open_parser("command:no-such-parser -x")
    with pytest.raises(OptionError, match="malformed"):
        open_parser('command:"open')


def test_stanza(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a stand-in with Stanza's objects: the package and its models are large."""
    opened: list[dict[str, Any]] = []

    class Pipeline:
        processors = ("tokenize", "mwt", "pos", "lemma", "depparse")

        def __init__(self, language: str, **settings: Any) -> None:
            if language == "xx":
                raise RuntimeError("Resources file not found at: /stanza_resources\nmore")
            opened.append({"language": language, **settings})

        def __call__(self, text: str) -> Any:
            pretokenised = opened[-1].get("tokenize_pretokenized")
            return types.SimpleNamespace(
                sentences=[sentence(one) for one in text.split("\n" if pretokenised else "\n\n")]
            )

    def word(number: int, text: str, head: int, label: str) -> Any:
        return types.SimpleNamespace(
            id=number, text=text, lemma=None, upos="X", xpos=None, feats=None, head=head, deprel=label
        )

    def sentence(text: str) -> Any:
        first, *rest = text.split()
        tokens = [types.SimpleNamespace(text=first, words=[word(1, first, 0, "root")], spaces_after="")]
        if rest:
            parts = [word(2, "zu", 3, "case"), word(3, "dem", 1, "obl")]
            tokens.append(types.SimpleNamespace(text=rest[0], words=parts, spaces_after=" "))
        return types.SimpleNamespace(tokens=tokens)

    monkeypatch.setitem(sys.modules, "stanza", types.SimpleNamespace(Pipeline=Pipeline, __version__="1.0"))
    parser = open_parser("stanza:de/gsd")
    trees = parse_lines(parser, ["geht zum", "ja"])
    assert trees[0].forms == ("geht", "zu", "dem") and trees[0].surface().forms == ("geht", "zum")
    assert trees[0].surface().heads == (-1, 0) and trees[0].misc[0] == "SpaceAfter=No" and len(trees[1]) == 1
    assert opened[0]["language"] == "de" and opened[0]["package"] == "gsd" and opened[0]["tokenize_no_ssplit"]
    assert opened[0]["download_method"] is None
    parse_lines(parser, ["a", "b"], tokenised=True)
    assert opened[1]["tokenize_pretokenized"] and len(opened) == 2
    assert parser.identity() == {"kind": "stanza", "model": "de/gsd", "version": "1.0"}
    with pytest.raises(MissingPackageError, match=r"Resources file not found .*stanza.download\('xx'\)"):
        parse_lines(open_parser("stanza:xx"), ["a"])


class CoreNlp(http.server.BaseHTTPRequestHandler):
    """Answers as CoreNLP's server does, with a tree in which the first word governs the others."""

    def do_POST(self) -> None:
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.asked.append(asked)  # type: ignore[attr-defined]
        properties = json.loads(asked["properties"])
        if asked.get("pipelineLanguage") == "xx":
            self.send_response(500)
            self.end_headers()
            self.wfile.write(b"Could not handle incoming annotation\n")
            return
        pattern = r"\S+" if properties.get("tokenize.whitespace") else r"\S"
        splits = ",mwt," in properties["annotators"]
        # Java counts characters in UTF-16.
        places = list(accumulate((len(character.encode("utf-16-le")) // 2 for character in text), initial=0))
        lines, begin = [], 0
        for line in text.split("\n"):
            found = re.finditer(pattern, line)
            lines.append([(one[0], places[begin + one.start()], places[begin + one.end()]) for one in found])
            begin += len(line) + 1
        body = json.dumps({"sentences": [self._sentence(words, splits) for words in lines]}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def _sentence(self, found: list[tuple[str, int, int]], splits: bool) -> dict[str, Any]:
        parts = {"im": ("in", "dem")} if splits else {}
        split = [(part, *place) for word, *place in found for part in parts.get(word, (word,))]
        words = [word for word, *_ in split]
        tokens = [
            {
                **{"index": i, "word": word, "originalText": word, "pos": "NN", "before": "", "after": ""},
                **{"characterOffsetBegin": begin, "characterOffsetEnd": end},
            }
            for i, (word, begin, end) in enumerate(split, 1)
        ]
        arcs = [
            {"dep": "ROOT" if i == 1 else "dep", "governor": min(1, i - 1), "dependent": i}
            # Some annotators leave out punctuation.
            for i in range(1, len(words) + 1)
            if words[i - 1] != "。"
        ]
        return {"tokens": tokens, "basicDependencies": arcs}

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def corenlp() -> Iterator[Any]:
    with http.server.HTTPServer(("127.0.0.1", 0), CoreNlp) as server:
        server.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_corenlp(corenlp: Any) -> None:
    address = f"http://127.0.0.1:{corenlp.server_port}"
    (tree,) = parse_lines(open_parser(f"corenlp:{address}?language=zh"), ["我看书。"])
    assert tree.forms == ("我", "看", "书", "。") and tree.heads == (-1, 0, 0, 0)
    assert tree.upos == ("NN",) * 4 and tree.misc[0] == "SpaceAfter=No" and tree.deprels[0] == "root"
    assert corenlp.asked[0]["pipelineLanguage"] == "zh"
    assert json.loads(corenlp.asked[0]["properties"])["ssplit.eolonly"] == "true"
    trees = parse_lines(open_parser(f"corenlp:{address}"), ["a b", "c"], tokenised=True)
    assert [tree.forms for tree in trees] == [("a", "b"), ("c",)] and "pipelineLanguage" not in corenlp.asked[1]
    # Tokens that are split share a place. The first line has a character of two UTF-16 units.
    lines = ["\N{GRINNING FACE} Rad", "Kind im Haus"]
    german = open_parser(f"corenlp:{address}?language=de")
    smile, tree = german.parse(lines, tokenised=True)
    assert smile.multiword == () and tree.forms == ("Kind", "in", "dem", "Haus")
    (token,) = tree.multiword
    assert (token.first, token.last, token.form) == (1, 2, "im") and set(tree.misc) == {"_"}
    assert parse_lines(german, lines, tokenised=True)[1].forms == ("Kind", "im", "Haus")
    with pytest.raises(InputError, match=r"refused a request \(500\): Could not handle"):
        open_parser(f"corenlp:{address}?language=xx").parse(["a"], tokenised=False)
    with pytest.raises(OptionError, match="not 'lang'"):
        open_parser(f"corenlp:{address}?lang=xx")


def test_a_server_that_does_not_run(corenlp: Any) -> None:
    port = corenlp.server_port
    corenlp.shutdown()
    corenlp.server_close()
    with pytest.raises(MissingPackageError, match=r"no CoreNLP server answers .* Start it .*StanfordCoreNLPServer"):
        open_parser(f"corenlp:http://127.0.0.1:{port}").parse(["a"], tokenised=False)


class Broken:
    """Finds no words."""

    one_process = True

    def identity(self) -> dict[str, Any]:
        return {}

    def parse(self, lines: list[str], *, tokenised: bool) -> list[Tree | None]:
        return [None for _ in lines]


def test_lines_without_trees() -> None:
    with pytest.raises(InputError, match=r"a.txt:8: an empty line has no tree. .*corpus clean"):
        parse_lines(Broken(), ["a", " "], name="a.txt", first=7)
    with pytest.raises(GraphmtError, match=r"a.txt:7: the parser found no words"):
        parse_lines(Broken(), ["a"], name="a.txt", first=7)
