"""Options that a command or a model cannot use are errors, from flags and from files."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.cli import app
from graphmt.consensus import RerankOptions, rerank
from graphmt.corpus.pair_files import PairReading, both_sides
from graphmt.errors import GraphmtError, OptionError
from small_models import Trained
from typer.testing import CliRunner


def refused(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["--quiet", *map(str, arguments)], input="das Haus\n")
    assert isinstance(done.exception, GraphmtError), done.output
    assert isinstance(done.exception, OptionError), done.exception
    return str(done.exception)


def accepted(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["--quiet", *map(str, arguments)], input="das Haus\n")
    assert done.exit_code == 0, done.exception or done.output
    return done.output


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "options.toml"


def test_translating(demo: Trained, file: Path) -> None:
    hpb = demo.models["hpb"]
    assert refused("translate", hpb, "--search", "stack") == (
        "search: hpb has no left-to-right search. Only for pbmt, tbmt, gbmt and gbmt-ctx."
    )
    file.write_text('[search]\nrule_kinds = "basic"\n')
    assert "rule_kinds: hpb has no contextual rules. Only for gbmt-ctx." in refused("translate", hpb, "--config", file)
    assert accepted("translate", hpb, "--search", "cube", "--pop-limit", 200) == accepted("translate", hpb)


@pytest.mark.parametrize("verb", ["tune", "explain", "translate"])
def test_verbs_that_open_a_model(demo: Trained, verb: str) -> None:
    dev = ["--source", demo.test, "--target", demo.test] if verb == "tune" else []
    said = refused(verb, demo.models["pbmt"], *dev, "--max-span", 3)
    assert said == "max_span: pbmt has no chart of arbitrary spans. Only for hpb, btg and dgst."


def test_training(demo: Trained, tmp_path: Path, file: Path) -> None:
    corpus = ["--source", demo.source, "--target", demo.target, "--alignment", demo.alignment, "--lm", demo.lm]
    train = ["train", tmp_path / "m", *corpus, "--system", "hpb", "--threads", 1]
    assert "[extract] max_source: hpb has no " in refused(*train, "--max-source", 3)
    assert "[align] model: the word alignment is given." in refused(*train, "--aligner", "hmm")
    assert "[lm] order: the language model is given." in refused(*train, "--order", 3)
    assert "[parse] segmenter: there is no parser." in refused(*train, "--segmenter", "text")
    for stages, said in (
        ("[gm]\nsource_window = 3\n", "[gm] source_window: hpb+tsm has no gm. Add --with gm."),
        ("[reorder]\nblocks = 'largest'\n", "[reorder] blocks: hpb+tsm has no reordering model. Only for btg."),
        ("[search]\ngm_prior = true\n", "[search] gm_prior: hpb+tsm has no gm."),
        ("[tune]\nseed = 2\n", "[tune] seed: nothing is tuned."),
    ):
        file.write_text(stages)
        assert said in refused(*train, "--with", "tsm", "--config", file)
    assert list(tmp_path.iterdir()) == [file]


def test_sections_of_other_commands(demo: Trained, file: Path) -> None:
    """A file with all options at their defaults suits all commands; what is changed must be read."""
    file.write_text(accepted("options"))
    plain = accepted("translate", demo.models["hpb"])
    assert accepted("translate", demo.models["hpb"], "--config", file) == plain
    file.write_text('[search]\npop_limit = 200\n[sides]\nsource_language = "fr"\n')
    assert refused("translate", demo.models["hpb"], "--config", file) == (
        f"{file}: this command does not read [sides]. It reads [search]; move the rest to a file for another command."
    )
    file.write_text("[clean]\nmax_ratio = 3\n")
    said = refused("tune", demo.models["hpb"], demo.test, "--config", file)
    assert "does not read [clean]. It reads [tune] and [search];" in said


def test_options_of_another_choice(demo: Trained, tmp_path: Path, file: Path) -> None:
    dev = ["--source", demo.test, "--target", demo.test]
    said = refused("tune", demo.models["pbmt"], *dev, "--restarts", 2)
    assert said == "restarts: not read with the tuner mira. It is for mert."
    files = ["--source", demo.test, "--target", demo.test, "--out", tmp_path / "links"]
    said = refused("align", *files, "--model", "fast-align", "--hmm-iterations", 2)
    assert said == "hmm_iterations: not read with the model fast-align. It is for hmm, ibm3, ibm4."
    assert "samplers: not read with the model ibm1." in refused("align", *files, "--model", "ibm1", "--samplers", 2)
    corpus = ["--source", demo.source, "--target", demo.target]
    # The flag decides which aligner it is, after the file was read.
    file.write_text("[align]\nibm2_iterations = 3\n")
    assert "[align] ibm2_iterations: not read with the model ibm1." in refused(
        "train", tmp_path / "m", *corpus, "--config", file, "--aligner", "ibm1"
    )
    file.write_text("[tune]\nepochs = 3\ntuner = 'pro'\n")
    said = refused("train", tmp_path / "m", *corpus, "--config", file, "--dev", demo.test, demo.test)
    assert said == "[tune] epochs: not read with the tuner pro. It is for mira."
    assert not (tmp_path / "m").exists() and not (tmp_path / "links").exists()


def test_columns_of_files_without_columns(demo: Trained, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("das Haus\tthe house\nein Haus\ta house\n")
    (tmp_path / "a.po").write_text('msgid ""\nmsgstr ""\n\nmsgid "das Haus"\nmsgstr "the house"\n')
    columns, header = ("--columns", "1,2"), ("--no-header",)
    for flags, said in ((columns, "columns"), (header, "a header")):
        po = tmp_path / "a.po"
        for verb in (("tune", demo.models["pbmt"], po), ("train", tmp_path / "m", po), ("corpus", "stats", po)):
            assert f"{said} can only be given for tables, and {po} is not one." in refused(*verb, *flags)
        accepted("corpus", "stats", tmp_path / "a.tsv", *flags)
    # Files of several formats: the option is for the tables among them.
    both = [tmp_path / "a.po", tmp_path / "a.tsv"]
    with both_sides(both, None, PairReading(("de", "en"), (1, 2), False)) as sides:
        assert [Path(one).read_text() for one in sides.sources] == ["das Haus\n", "das Haus\nein Haus\n"]
    memory = ["rerank", tmp_path / "none", "--memory", tmp_path / "a.po", "--source", tmp_path / "text", *columns]
    (tmp_path / "text").write_text("das Haus\n")
    (tmp_path / "none").write_text("0 ||| the house ||| lm= -1 ||| -1\n")
    assert "columns can only be given for tables" in refused(*memory)


def test_flags_that_need_another(demo: Trained, tmp_path: Path) -> None:
    pbmt = demo.models["pbmt"]
    assert "--memory-threshold needs a translation memory." in refused("translate", pbmt, "--memory-threshold", 0.5)
    pytest.importorskip("fastapi")
    serve = ["serve", pbmt, "--port", 0, "--memory-threshold", 0.5]
    assert refused(*serve) == "memory_threshold: there is no translation memory. Give one with --memory FILE."
    assert "--glossary-weight needs a glossary." in refused("translate", pbmt, "--glossary-weight", 2)
    (tmp_path / "terms.tsv").write_text("Haus\tbuilding\n")
    tsv = ["--glossary", tmp_path / "terms.tsv", "--glossary-languages", "de", "en"]
    assert "languages can only be given for TBX" in refused("translate", pbmt, *tsv)
    (tmp_path / "steps").mkdir()
    steps = ["corpus", "tokenise", demo.test, tmp_path / "out", "--steps", tmp_path / "steps"]
    for flag in (("--language", "de"), ("--case", "lower")):
        assert f"{flag[0]} and --steps are both given." in refused(*steps, *flag)


def test_methods_of_reranking() -> None:
    """Where options are settled, whoever calls: what the method does not read is refused."""
    for method, name in (("mbr-bleu", "threshold"), ("g-rerank", "anchor"), ("struct-lp", "features")):
        given = {"threshold": 0.5, "anchor": 1.0, "features": "gc"}[name]
        with pytest.raises(OptionError, match=rf"^{name}: not read with the method {method}\."):
            rerank(["a"], [["a", "b"]], [[0.0, -1.0]], options=RerankOptions(method=method, **{name: given}))
