"""UDPipe models trained on a treebank: they tokenise, tag and parse text like it."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_treebanks
from graphmt.cli import app
from graphmt.corpus import ParserOptions, Tree, evaluate_parser, open_parser, train_parser
from graphmt.corpus.parsers import parse_lines, udpipe_training
from graphmt.corpus.parsers.evaluation import _scores
from graphmt.errors import GraphmtError, InputError, OptionError
from graphmt.progress import on_progress
from typer.testing import CliRunner


def test_unspaced_text_is_split_tagged_and_parsed(chinese_parser: Path) -> None:
    parser = open_parser(str(chinese_parser / "small.udpipe"))
    (tree,) = parse_lines(parser, ["老师喜欢小猫。"])
    assert tree.forms == ("老师", "喜欢", "小猫", "。") and tree.heads == (1, -1, 1, 1)
    assert tree.upos == ("NOUN", "VERB", "NOUN", "PUNCT") and tree.deprels[2] == "obj"
    assert not list(chinese_parser.glob("small.udpipe.training"))


def test_scores_on_gold_trees(chinese_parser: Path) -> None:
    model, gold = str(chinese_parser / "small.udpipe"), chinese_parser / "gold.conllu"
    on_tokens, on_text = (evaluate_parser(model, gold, raw=raw) for raw in (False, True))
    assert on_tokens.tokens == 100 and on_tokens.sentences == 16 and on_tokens.words == 64
    assert on_tokens.las > 80 and on_text.tokens > 80 and on_text.las > 60
    shown = CliRunner().invoke(app, ["parser", "evaluate", model, str(gold), "--count", "4", "--json"])
    assert shown.exit_code == 0 and '"sentences": 4' in shown.stdout
    assert "LAS %" in CliRunner().invoke(app, ["parser", "evaluate", model, str(gold), "--raw"]).stdout


def test_scores_by_hand() -> None:
    gold = Tree(("a", "b", "c"), (1, -1, 1), ("X", "Y", "Z"), ("nsubj:pass", "root", "obj"))
    found = Tree(("a", "b", "c"), (1, -1, 0), ("X", "Y", "Y"), ("nsubj", "root", "obj"))
    scores = _scores([gold], [found], raw=False)
    assert (scores.upos, scores.uas, scores.las) == pytest.approx((200 / 3, 200 / 3, 200 / 3))
    # From raw text, c has no counterpart: 2 of 3 gold tokens and of 4 others.
    found = Tree(("a", "b", "c1", "c2"), (1, -1, 1, 2), ("X", "Y", "Z", "Z"), ("obj", "root", "obj", "dep"))
    gold = Tree(("a", "b", "c1c2"), (2, -1, 1), ("X", "Y", "Z"), ("nsubj", "root", "obj"))
    scores = _scores([gold], [found], raw=True)
    # The head of a is a token that was not found; b is the root in both.
    assert (scores.tokens, scores.uas, scores.las) == pytest.approx((400 / 7, 200 / 7, 200 / 7))


def test_finished_parts_are_not_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ufal.udpipe", reason="needs the extra 'udpipe'")
    trees, _ = small_treebanks.chinese()
    small_treebanks.write_treebank(tmp_path / "t.conllu", trees[:12])
    options = small_treebanks.QUICK.replace(tokeniser_epochs=0, tagger_iterations=1, parser_iterations=1)
    whole = udpipe_training._Training._train

    def only_tagger(self: object, part: str, asked: dict[str, object]) -> dict[str, object]:
        if part == "parser":
            raise KeyboardInterrupt
        return whole(self, part, asked)  # type: ignore[arg-type]

    monkeypatch.setattr(udpipe_training._Training, "_train", only_tagger)
    with pytest.raises(KeyboardInterrupt):
        train_parser(tmp_path / "t.conllu", tmp_path / "a.udpipe", options)
    monkeypatch.setattr(udpipe_training._Training, "_train", whole)
    seen: list[str] = []
    with on_progress(lambda title, done, total: seen.append(f"{title} {done}/{total}")):
        parser = train_parser(tmp_path / "t.conllu", tmp_path / "a.udpipe", options)
    assert seen == ["training the parser 1/1"]
    assert len(parse_lines(parser, ["老师 喜欢"], tokenised=True)[0]) == 2
    # Without a tokeniser, raw text is refused.
    with pytest.raises(InputError, match=r"a.udpipe: this UDPipe model has no tokeniser. .*--segmenter none"):
        parse_lines(parser, ["老师喜欢"])


def test_what_cannot_be_learned_from_is_rejected(tmp_path: Path) -> None:
    pytest.importorskip("ufal.udpipe", reason="needs the extra 'udpipe'")
    path = tmp_path / "t.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(InputError, match=r"t.conllu: tree 1 has no tags"):
        train_parser(path, tmp_path / "a.udpipe")
    path.write_text("")
    with pytest.raises(InputError, match=r"t.conllu: this file has no trees"):
        train_parser(path, tmp_path / "a.udpipe")
    path.write_text("1\ta\t_\tX\t_\t_\t7\troot\t_\t_\n\n")
    with pytest.raises(InputError, match=r"t.conllu:1: "):
        train_parser(path, tmp_path / "a.udpipe")
    with pytest.raises(OptionError, match="tokeniser_size is 16, 24 or 64, not 30"):
        ParserOptions(tokeniser_size=30)


def test_a_failed_worker_is_reported(tmp_path: Path) -> None:
    pytest.importorskip("ufal.udpipe", reason="needs the extra 'udpipe'")
    (tmp_path / "request").write_text(
        '{"treebank": [], "dev": [], "tokeniser": "none", "tagger": "none", '
        '"parser": "from_model=file:none", "out": "x"}'
    )
    with pytest.raises(GraphmtError, match="UDPipe's training ended with exit code 1: "):
        list(udpipe_training._run(tmp_path / "request"))
