"""Files of pairs as a corpus: training and tuning give the same as with two text files."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from graphmt.cli import app
from graphmt.corpus import read_pairs
from graphmt.corpus.pair_files import PairReading, both_sides
from graphmt.errors import InputError, OptionError
from graphmt.model import Manifest, load
from graphmt.training import train
from graphmt.tune import TuneOptions, tune_model
from typer.testing import CliRunner

Pairs = list[tuple[str, str]]
FAST = {"extract": {"max_source": 3, "threads": 1}}


def tmx(pairs: Pairs) -> str:
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{escape(target)}</seg></tuv><tuv xml:lang="fr"><seg>x</seg></tuv>'
        f'<tuv xml:lang="de"><seg>{escape(source)}</seg></tuv></tu>'
        for source, target in pairs
    )
    return f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>'


def xliff(pairs: Pairs) -> str:
    units = "".join(
        f"<trans-unit><source>{escape(source)}</source><target>{escape(target)}</target></trans-unit>"
        for source, target in pairs
    )
    return (
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="de" '
        f'target-language="en"><body>{units}</body></file></xliff>'
    )


def po(pairs: Pairs) -> str:
    return "".join(
        f"msgid {json.dumps(s, ensure_ascii=False)}\nmsgstr {json.dumps(t, ensure_ascii=False)}\n\n" for s, t in pairs
    )


def tsv(pairs: Pairs) -> str:
    return "id\ten\tde\n" + "".join(f"{n}\t{target}\t{source}\n" for n, (source, target) in enumerate(pairs))


def csv(pairs: Pairs) -> str:
    return "source,target\n" + "".join(f'"{source}","{target}"\n' for source, target in pairs)


WRITERS: dict[str, Callable[[Pairs], str]] = {"tmx": tmx, "xlf": xliff, "po": po, "tsv": tsv, "csv": csv}


@pytest.fixture(scope="module")
def folder(demo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pairs as two files and in every format, and a model of the two files."""
    made = tmp_path_factory.mktemp("pairs")
    lines = list(read_pairs(demo.source, demo.target))
    for part, pairs in (("train", list(dict(lines[:40]).items())), ("dev", list(dict(lines[40:46]).items()))):
        for side, ending in enumerate(("de", "en")):
            (made / f"{part}.{ending}").write_text("".join(f"{pair[side]}\n" for pair in pairs), "utf-8")
        for ending, write in WRITERS.items():
            (made / f"{part}.{ending}").write_text(write(pairs), "utf-8")
        (made / f"{part}.align").write_text("0-0 1-1\n" * len(pairs))
    files = {"alignment": made / "train.align", "language_model": demo.lm, "options": FAST}
    train("pbmt", source=made / "train.de", target=made / "train.en", out=made / "model", **files)
    return made


@pytest.mark.parametrize("ending", WRITERS)
def test_both_sides_of_all_formats(folder: Path, ending: str) -> None:
    with both_sides(folder / f"train.{ending}", None, PairReading(("de", "en"))) as sides:
        for made, expected in ((sides.sources, "train.de"), (sides.targets, "train.en")):
            assert [Path(path).read_bytes() for path in made] == [(folder / expected).read_bytes()]
            assert sides.origin(made[0]) == folder / f"train.{ending}"
    assert not Path(sides.sources[0]).exists()


def test_training(demo, folder: Path, tmp_path: Path) -> None:
    files = {"alignment": folder / "train.align", "language_model": demo.lm, "options": FAST}
    files["options"] = {**FAST, "sides": {"source_language": "de", "target_language": "en"}}
    made = train("pbmt", source=folder / "train.tmx", out=tmp_path / "model", **files)
    assert Manifest.load(made.folder).data == Manifest.load(folder / "model").data
    text = "der Hund schläft ."
    assert made.translate(text).tokens == load(folder / "model").translate(text).tokens


def test_tuning(folder: Path, tmp_path: Path) -> None:
    options = TuneOptions(iterations=2, n_best=10, threads=1)
    plain = tune_model(folder / "model", folder / "dev.de", folder / "dev.en", options, out=tmp_path / "a.toml")
    for ending in ("tmx", "csv"):
        made = tune_model(folder / "model", folder / f"dev.{ending}", options=options, out=tmp_path / f"{ending}.toml")
        assert made.weights == plain.weights


def test_the_commands(demo, folder: Path, tmp_path: Path) -> None:
    def run(*arguments: object, fails: type[Exception] | None = None) -> str:
        done = CliRunner().invoke(app, ["--quiet", *map(str, arguments)])
        assert (done.exit_code == 0) if fails is None else isinstance(done.exception, fails), done.exception
        return str(done.exception)

    links = tmp_path / "links"
    links.write_text((folder / "train.align").read_text() + (folder / "dev.align").read_text())
    quick = ("--alignment", links, "--lm", demo.lm, "--max-source", 3, "--threads", 1)
    several = (folder / "train.tsv", folder / "dev.tmx")
    run("train", tmp_path / "model", *several, "--system", "pbmt", "--languages", "de", "en", *quick)
    assert len(Manifest.load(tmp_path / "model").data) == 2
    run("tune", tmp_path / "model", folder / "dev.xlf", "--iterations", 1, "--n-best", 5, "-o", tmp_path / "w.toml")
    made = load(tmp_path / "model").source_steps.options
    assert made.language == "de"
    new = tmp_path / "new"
    error = run("train", new, folder / "train.tsv", "--source", folder / "train.de", *quick, fails=OptionError)
    assert "given twice" in error and not new.exists()
    assert "both sides" in run("train", new, "--source", folder / "train.de", *quick, fails=OptionError)
    assert "both sides" in run("tune", folder / "model", fails=OptionError)
    assert "not a file of pairs" in run("train", new, folder / "train.de", *quick, fails=InputError)
    contradiction = ("--languages", "de", "en", "--source-language", "fr")
    assert "contradicts" in run("train", new, folder / "train.tsv", *contradiction, *quick, fails=OptionError)
    both = ("--dev", folder / "dev.de", folder / "dev.en", "--dev-pairs", folder / "dev.po")
    assert "both given" in run("train", new, folder / "train.tsv", *both, *quick, fails=OptionError)


def test_languages_that_a_file_states(demo, folder: Path, tmp_path: Path) -> None:
    files = {"alignment": folder / "train.align", "language_model": demo.lm, "options": FAST}
    made = train("pbmt", source=folder / "train.xlf", out=tmp_path / "model", **files)
    assert (made.source_steps.options.language, made.target_steps.options.language) == ("de", "en")
    arabic = tmp_path / "arabic.po"
    arabic.write_text('msgid ""\nmsgstr "Language: ar\\n"\n\n' + (folder / "train.po").read_text("utf-8"), "utf-8")
    made = train("pbmt", source=arabic, out=tmp_path / "arabic", **files)
    assert (made.source_steps.options.language, made.target_steps.options.language) == ("en", "ar")
    with pytest.raises(InputError, match=r"arabic\.po: its language is ar, not en and fr"):
        sides = {"source_language": "en", "target_language": "fr"}
        train("pbmt", source=arabic, out=tmp_path / "new", **{**files, "options": {**FAST, "sides": sides}})


def test_errors_name_the_file_of_pairs(tmp_path: Path) -> None:
    empty = tmp_path / "empty.po"
    empty.write_text('msgid "a"\nmsgstr ""\n')
    with pytest.raises(InputError, match=r"empty\.po: this file has no pairs"):
        sides = {"source_language": "de", "target_language": "en"}
        train("pbmt", source=empty, out=tmp_path / "model", options={**FAST, "sides": sides})
    with pytest.raises(InputError, match=r"no unit has text in both fr and it; .* --languages"):
        path = tmp_path / "a.tmx"
        path.write_text(tmx([("a", "b")]))
        train(
            "pbmt",
            source=path,
            out=tmp_path / "model",
            options={"sides": {"source_language": "fr", "target_language": "it"}},
        )
    gap = tmp_path / "gap.tsv"
    gap.write_text("a\tb\n\tc\n")
    options = {**FAST, "parse": {"parser": "command:cat"}}
    with pytest.raises(InputError, match=r"gap\.tsv: pair 2: an empty line has no tree"):
        train("gbmt", source=gap, out=tmp_path / "model", options=options)
    with pytest.raises(InputError, match="two sides were given"):
        train("pbmt", source=gap, target=gap, columns=(1, 2), out=tmp_path / "model", options=FAST)
    assert not (tmp_path / "model").exists() and not list(tmp_path.glob("*.parsed"))
