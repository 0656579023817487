"""``graphmt train``, ``translate`` and ``inspect`` as users run them."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import subprocess
import sys

import programs
import pytest
from graphmt.cli import app, process
from graphmt.errors import InputError, OptionError
from typer.testing import CliRunner

runner = CliRunner()


def run(*arguments, fails=None, **more):
    result = runner.invoke(app, ["--quiet", *map(str, arguments)], **more)
    if fails is None:
        assert result.exit_code == 0, result.exception or result.output
    else:
        assert isinstance(result.exception, fails), result.output
    return result


def graphmt(*arguments, text=""):
    command = [programs.graphmt(), *map(str, arguments)]
    return subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8")


def test_train_and_translate(demo, tmp_path) -> None:
    model, source = tmp_path / "model", tmp_path / "train.de.conllu.gz"
    source.write_bytes(gzip.compress(demo.source.read_bytes()))
    shared = ("--alignment", demo.alignment, "--lm", demo.lm)
    run("train", "--system", "gbmt", "--source", source, "--target", demo.target, *shared, model)
    out = run("translate", model, demo.test).stdout.splitlines()
    assert out == [best.text for best in demo.load("gbmt").translate(demo.trees())]


def test_text_from_standard_input_to_standard_output(demo) -> None:
    text = "".join(line + "\n" for line in demo.texts()[:3]) + "\n"
    done = graphmt("translate", demo.models["pbmt"], text=text)
    assert (done.returncode, done.stderr) == (0, "")
    expected = demo.load("pbmt").translate([*demo.texts()[:3], ""])
    assert done.stdout == "".join(best.text + "\n" for best in expected)
    assert done.stdout.endswith("\n\n") and done.stdout[0].isupper()


def test_markup_is_not_translated(demo, tmp_path) -> None:
    catalogue = 'msgid ""\nmsgstr ""\n\nmsgid "das Haus"\nmsgstr ""\n'
    (tmp_path / "todo.po").write_text(catalogue, "utf-8")
    (tmp_path / "todo").write_text(catalogue, "utf-8")
    error = run("translate", demo.models["pbmt"], tmp_path / "todo", fails=InputError).exception
    assert "this is a gettext catalogue; plain text, one sentence a line, was expected" in str(error)
    # By its name it is a localisation file, for which this model is not made.
    error = run("translate", demo.models["pbmt"], tmp_path / "todo.po", "-o", tmp_path / "out.po", fails=InputError)
    assert "trained on tokenised text" in str(error.exception) and not (tmp_path / "out.po").exists()
    done = graphmt("translate", demo.models["pbmt"], text=catalogue)
    assert done.returncode == 1 and done.stdout == "" and "standard input: this is a gettext catalogue" in done.stderr
    # Who knows better can say so.
    assert len(run("translate", demo.models["pbmt"], tmp_path / "todo", "--format", "text").stdout.splitlines()) == 5


def test_a_reader_that_goes_away(demo) -> None:
    command = [programs.graphmt(), "translate", str(demo.models["pbmt"]), str(demo.test), "--n-best", "50"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_options_of_a_model_that_is_not_there(demo) -> None:
    done = graphmt("translate", demo.models["pbmt"], "--gm-reallocation", 0.2, text="das haus\n")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == "graphmt: gm_reallocation: pbmt has no gm.\n"


def test_trees_from_standard_input(demo) -> None:
    done = graphmt("translate", demo.models["gbmt-ctx"], "--tokens", text=demo.test.read_text("utf-8"))
    assert done.returncode == 0, done.stderr
    expected = demo.load("gbmt-ctx").translate(demo.trees())
    assert done.stdout == "".join(" ".join(best.tokens) + "\n" for best in expected)


def test_a_system_without_trees_takes_conllu_as_well(demo) -> None:
    assert run("translate", demo.models["pbmt"], demo.test).stdout.splitlines() == [
        best.text for best in demo.load("pbmt").translate(demo.texts())
    ]


def test_n_best_lists_are_in_moses_format(demo) -> None:
    model = demo.load("pbmt")
    lines = run("translate", demo.models["pbmt"], demo.test, "--n-best", 5, "--distinct").stdout.splitlines()
    expected = model.n_best(demo.texts(), 5, distinct=True)
    numbers = [number for number, best in enumerate(expected) for _ in best]
    assert len(lines) == len(numbers) > 4 * len(demo.texts())
    for k, line in enumerate(lines):
        number, tokens, features, score = line.split(" ||| ")
        assert int(number) == numbers[k] and tokens
        cells = features.split()
        names, values = cells[::2], [float(value) for value in cells[1::2]]
        assert [name.rstrip("=") for name in names] == list(model.weights)
        assert all(name.endswith("=") for name in names)
        total = sum(model.weights[name.rstrip("=")] * value for name, value in zip(names, values, strict=True))
        assert float(score) == pytest.approx(total, abs=2e-3)


def test_derivations_as_json(demo) -> None:
    lines = run("translate", demo.models["gbmt-ctx"], demo.test, "--derivations", "json", "--n-best", 2)
    rows = [json.loads(line) for line in lines.stdout.splitlines()]
    assert [(row["sentence"], row["rank"]) for row in rows[:4]] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    first = rows[0]["derivation"]
    assert first["source"] == list(demo.trees()[0].tokens) or first["source"] == [
        word.lower() for word in demo.trees()[0].tokens
    ]
    assert sorted(p for step in first["steps"] for p in step["positions"]) == list(range(len(first["source"])))
    assert {step["kind"] for row in rows for step in row["derivation"]["steps"]} >= {"segmenting", "selecting"}
    assert [word for step in first["steps"] for word in step["target"]] == rows[0]["tokens"]


def test_other_weights(demo, tmp_path) -> None:
    text = (demo.models["pbmt"] / "weights.toml").read_text()
    (tmp_path / "short.toml").write_text(text.replace("word_penalty = -1.0", "word_penalty = 3.0"))
    short = run("translate", demo.models["pbmt"], demo.test, "--weights", tmp_path / "short.toml").stdout
    assert len(short.split()) < len(run("translate", demo.models["pbmt"], demo.test).stdout.split())


def test_a_file_is_written_whole_or_not_at_all(demo, tmp_path) -> None:
    out = tmp_path / "out.txt"
    run("translate", demo.models["pbmt"], demo.test, "--out", out)
    assert len(out.read_text("utf-8").splitlines()) == 40
    (tmp_path / "broken.conllu").write_text(demo.test.read_text("utf-8") + "1\tbroken\n", "utf-8")
    other = tmp_path / "other.txt"
    run("translate", demo.models["pbmt"], tmp_path / "broken.conllu", "--out", other, fails=InputError)
    assert not other.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["translate", "{gbmt}", "--format", "text"], 1, "graphmt corpus parse"),
        (["translate", "{gbmt}", "--format", "txt"], 2, "unknown input format 'txt'"),
        (["translate", "{pbmt}", "--derivations", "xml"], 2, "not 'xml'"),
        (["translate", "{pbmt}", "--search", "cub"], 2, "cube"),
        (["translate", "{pbmt}", "--pop-limit", "0"], 2, "pop-limit"),
        (["translate", "nowhere"], 1, "no such folder"),
        (["train", "--system", "gbm", "--source", "{test}", "--target", "{test}", "m"], 2, "gbmt"),
        (["inspect", "rules", "{pbmt}", "xyzzy"], 1, "No rule for 'xyzzy'"),
    ],
)
def test_failures_end_in_a_sentence_and_an_exit_code(demo, monkeypatch, capsys, arguments, code, message) -> None:
    places = {**{name.replace("-", "_"): path for name, path in demo.models.items()}, "test": demo.test}
    monkeypatch.setattr(sys, "argv", ["graphmt", *(argument.format(**places) for argument in arguments)])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Er schläft .\n".encode())))
    with pytest.raises(SystemExit) as stopped:
        process.run(app, in_a_program=True)
    assert stopped.value.code == code
    assert message in " ".join(capsys.readouterr().err.split())


def test_training_a_tree_system_on_plain_text_says_so(demo, tmp_path) -> None:
    (tmp_path / "train.de").write_text("a b\n")
    (tmp_path / "train.en").write_text("x y\n")
    arguments = ("train", "--system", "tbmt", "--source", tmp_path / "train.de", "--target", tmp_path / "train.en")
    result = run(*arguments, tmp_path / "model", fails=InputError)
    assert "graphmt corpus parse" in str(result.exception)
    assert not (tmp_path / "model").exists()


def test_inspect_rules(demo) -> None:
    model = demo.models["gbmt-ctx"]
    rows = [json.loads(line) for line in run("inspect", "rules", model, "er", "--json").stdout.splitlines()]
    assert {"basic", "segmenting"} <= {row["kind"] for row in rows}
    basic = [row for row in rows if row["kind"] == "basic"]
    assert basic[0]["target"] == ["he"] and basic[0]["count"] == max(row["count"] for row in basic)
    assert sum(row["probabilities"][2] for row in basic) == pytest.approx(1.0)
    assert basic[0]["alignment"] == [[0, 0]] and basic[0]["source"] == ["er"]
    table = run("inspect", "rules", model, "er", env={"COLUMNS": "80"}).stdout
    assert "(t|g)" in table and "segmenting  er" in table and "\nhe " in table and " 0-0 " in table
    containing = run("inspect", "rules", model, "er", "--containing", "--json", "--limit", 3).stdout
    sides = {tuple(json.loads(line)["source"]) for line in containing.splitlines()}
    assert sides and all("er" in side and len(side) > 1 for side in sides)


@pytest.mark.parametrize(
    ("name", "words", "titles"),
    [
        ("gbmt-ctx", ["er"], ["er"]),
        ("gbmt-ctx", ["ruft", "an"], ["ruft an→0"]),
        ("hpb", ["ruft", "[X]", "an"], ["ruft [X 1] an  one hole"]),
        ("dep2str", ["an", "--containing", "--limit", 2], ["er bot jakob bier an  head dependents"]),
    ],
)
def test_rules_are_readable_in_80_columns(demo, name, words, titles) -> None:
    """Every cell is there as a whole, in one line of the table if it is a word or a number."""
    table = run("inspect", "rules", demo.models[name], *words, env={"COLUMNS": "80"}).stdout
    assert max(map(len, table.splitlines())) <= 80 and "…" not in table
    assert set(titles) <= {line.rstrip() for line in table.splitlines()}
    rows = [
        json.loads(line) for line in run("inspect", "rules", demo.models[name], *words, "--json").stdout.splitlines()
    ]
    cells = table.split()
    for row in rows:
        links = [f"{i}-{j}" for i, j in row["alignment"]]
        for cell in (*row["target"], *links, *(f"{p:.2g}" for p in row["probabilities"])):
            assert cell in cells


def test_holes_are_numbered_as_in_derivations(demo) -> None:
    found = [
        json.loads(line)
        for line in run("inspect", "rules", demo.models["hpb"], "an", "--containing", "--json").stdout.splitlines()
    ]
    for row in found:
        holes = [k for k, symbol in enumerate(row["source"], 1) if symbol == "[X]"]
        numbers = sorted(symbol for symbol in row["target"] if symbol.startswith("["))
        assert numbers == [f"[{k}]" for k in range(1, len(holes) + 1)]
    assert any("[2]" in row["target"] for row in found)


def test_inspect_the_rest(demo, tmp_path) -> None:
    about = json.loads(run("inspect", "model", demo.models["gbmt-ctx"]).stdout)
    assert about["system"] == "gbmt-ctx" and about["weights"]["basic_rule"] == 0.0
    assert about["rules"]["segmenting"] > about["rules"]["selecting"] > 0
    run("inspect", "verify", demo.models["gbmt-ctx"])
    run("inspect", "export", demo.models["pbmt"], tmp_path / "table.gz")
    run("inspect", "import", tmp_path / "table.gz", tmp_path / "rules.bin")
    run("inspect", "verify", tmp_path / "rules.bin")
    run("inspect", "filter", demo.models["gbmt"], demo.test, tmp_path / "few.bin")
    assert (tmp_path / "few.bin").stat().st_size < (demo.models["gbmt"] / "rules.bin").stat().st_size
    run("inspect", "export", demo.models["gbmt"], tmp_path / "no.gz", fails=InputError)


def test_options_are_checked_in_process(demo) -> None:
    run("translate", demo.models["pbmt"], demo.test, "--table-limit", 0, fails=OptionError)


@pytest.mark.parametrize("system", ["pbmt", "hpb"])
def test_alignments_of_translations(demo, tmp_path, system) -> None:
    out = tmp_path / "links"
    run("translate", demo.models[system], demo.test, "--alignment", out, "--out", tmp_path / "text")
    best = demo.load(system).translate(demo.texts())
    assert out.read_text() == "".join(" ".join(f"{i}-{j}" for i, j in one.alignment) + "\n" for one in best)
    for one in best:
        sides = (len(one.derivation.source), len(one.tokens))
        assert one.alignment and all(0 <= i < sides[0] and 0 <= j < sides[1] for i, j in one.alignment)
    lists = run("translate", demo.models[system], demo.test, "--n-best", 3, "--alignment", out).stdout
    assert len(out.read_text().splitlines()) == len(lists.splitlines())


@pytest.mark.parametrize("system", ["pbmt", "hpb"])
def test_unknown_words_are_dropped(demo, tmp_path, system) -> None:
    text = tmp_path / "text"
    text.write_text("Er quxt schläft zzyzx .\nblarg\n", "utf-8")
    copied = demo.load(system).translate(text.read_text("utf-8").splitlines())
    assert {"quxt", "zzyzx"} <= set(copied[0].tokens)
    done = run("translate", demo.models[system], text, "--tokens", "--drop-unknown", "--alignment", tmp_path / "links")
    kept = [token for token in copied[0].tokens if token not in ("quxt", "zzyzx")]
    assert done.stdout == " ".join(kept) + "\n\n"
    first, second = (tmp_path / "links").read_text().splitlines()
    assert second == "" and {link.split("-")[0] for link in first.split()} == {"0", "2", "4"}
    assert max(int(link.split("-")[1]) for link in first.split()) == len(kept) - 1
    dropped = pickle.loads(pickle.dumps(demo.load(system).dropping_unknown())).translate("Er quxt schläft zzyzx .")
    assert dropped.derivation.target == dropped.tokens == tuple(kept) and dropped.score == copied[0].score
