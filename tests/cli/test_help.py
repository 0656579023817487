"""Help texts: whole flags and readable text in 80 columns, options in groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from graphmt.cli import app
from graphmt.cli.help_text import TEXT_COLUMN, paragraphs
from graphmt.cli.verbs import with_all_verbs
from typer.testing import CliRunner


def verbs(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield before, group
    for name, command in getattr(group, "commands", {}).items():
        yield from verbs(command, (*before, name))


VERBS = dict(verbs(with_all_verbs()))


def shown(verb: tuple[str, ...], columns: int = 80) -> str:
    done = CliRunner().invoke(app, [*verb, "--help"], env={"COLUMNS": str(columns)})
    assert done.exit_code == 0
    return done.stdout


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_help_is_whole_in_80_columns(verb: tuple[str, ...]) -> None:
    text = shown(verb)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80 and not any(line != line.rstrip() for line in lines)
    flat = " ".join(text.split())
    for parameter in VERBS[verb].params:
        if parameter.param_type_name == "option":
            assert all(re.search(rf"^  (-\w, )?(--[\w-]+, )?{flag}\b", text, re.M) for flag in parameter.opts)
        # Nothing is cut off.
        words = re.sub(r"\[/?(bold|dim)\]|\\(?=\[)", "", parameter.help or "").split()
        assert " ".join(words) in flat
    # Texts have most of the width.
    assert all(len(line) - len(line.lstrip()) in (0, 2, TEXT_COLUMN) for line in lines)


def test_options_are_grouped_by_stage_after_the_verbs_own() -> None:
    titles = re.findall(r"^\w.*$", shown(("train",)), re.M)
    assert titles[0] == "Usage: graphmt train [OPTIONS] MODEL [PAIRS...]" and titles[1:3] == ["Arguments", "Options"]
    stages = [title.split()[-1] for title in titles[3:]]
    assert list(dict.fromkeys(stages)) == ["[sides]", "[extract]"] and stages == sorted(stages, reverse=True)
    own, _, staged = shown(("train",)).partition("[sides]\n")
    assert "--source FILE" in own and "--config FILE" in own and "--max-source N" not in own
    assert "--max-source N" in staged
    search = re.findall(r"^\w.*\[search\]$", shown(("translate",)), re.M)
    assert len(search) == len(set(search)) > 3


def test_wide_terminals_do_not_make_long_lines() -> None:
    assert max(map(len, shown(("train",), 300).splitlines())) <= 100


def test_paragraphs_of_docstrings() -> None:
    text = "First\n    line.\n\n    \b\n    a   b\n    c\n\n    Last."
    assert list(paragraphs(text)) == ["First line.", "a   b\nc", "Last."]


def test_usage_in_errors_names_arguments() -> None:
    done = CliRunner().invoke(app, ["translate"])
    assert done.exit_code == 2 and "Usage: graphmt translate [OPTIONS] MODEL [TEXT...]" in done.output


def test_one_word_for_one_thing() -> None:
    flags = {
        (" ".join(verb), flag): parameter
        for verb, command in VERBS.items()
        for parameter in command.params
        for flag in parameter.opts
    }
    # Output is replaced with --overwrite and case ignored with --lowercase; --memory is a translation memory.
    assert not {flag for _, flag in flags} & {"--force", "--ignore-case"}
    memories = {verb: one for (verb, flag), one in flags.items() if flag == "--memory"}
    assert set(memories) == {"translate", "serve", "rerank"}
    assert all("ranslation memory" in one.help for one in memories.values())
