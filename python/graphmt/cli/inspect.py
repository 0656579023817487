"""``graphmt inspect``: look into a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmt.cli.display import note
from graphmt.cli.help import App
from graphmt.cli.outputs import FILE
from graphmt.model import Model
from graphmt.model.layout import RULES
from graphmt.options import MOST
from graphmt.rules import RuleTable, SourceSide, filtered, from_moses, pruned
from graphmt.rules import shown as readable
from graphmt.rules import split as split_table

if TYPE_CHECKING:
    from rich.table import Table

app = App(help="Inspect models; import and export Moses tables.")

Model_ = Annotated[Path, typer.Argument(help="A model folder, or a rule table.")]


def _table(model: Path) -> RuleTable:
    return RuleTable(model / RULES if model.is_dir() else model)


@app.command()
def model(model: Annotated[Path, typer.Argument(help="A model folder.")]) -> None:
    """Print system, options, data and weights of a model, as JSON."""
    opened = Model(model)
    about = {
        "system": opened.manifest.system,
        "weights": opened.weights,
        "rules": RuleTable(model / RULES).about,
        "options": opened.manifest.options,
        "data": opened.manifest.data,
        "versions": opened.manifest.versions,
    }
    print(json.dumps(about, ensure_ascii=False, indent=2))


@app.command()
def rules(
    model: Model_,
    words: Annotated[list[str], typer.Argument(help="The words of a source side, in order; [X] is a hole.")],
    containing: Annotated[
        bool, typer.Option("--containing", help="All source sides that contain the (one) word.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=MOST, metavar="N", help="Maximum number of rows of each.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines instead of a table.")] = False,
) -> None:
    """Show what a source side translates to: counts, probabilities, context and alignment."""

    from rich.console import Console

    table = _table(model)
    found = table.containing(words[0], limit) if containing else table.find(words)
    if not found:
        note(f"No rule for {' '.join(words)!r}.")
        raise typer.Exit(1)
    for side in found:
        if as_json:
            for rule in side.rules:
                row = {**vars(rule), "target": readable(rule.target)}
                print(json.dumps({"source": readable(side.words), "links": side.links, **row}, ensure_ascii=False))
        else:
            Console(highlight=False).print(_shown(side, limit))


def _shown(side: SourceSide, limit: int) -> Table:
    from rich.markup import escape
    from rich.table import Table

    pieces = []
    for k, word in enumerate(map(escape, readable(side.words))):
        joined = ",".join(str(at) for at in side.links[k])
        gap = side.gaps is not None and side.gaps[k]
        pieces.append(("… " if gap else "") + word + (f"[dim]→{joined}[/dim]" if joined else ""))
    shown = Table(title=" ".join(pieces), title_justify="left", title_style="bold")
    for name in (
        "target",
        "kind",
        "context",
        "count",
        "p(t|g)",
        "p(g|t)",
        "lex(t|g)",
        "lex(g|t)",
        "alignment",
    ):
        shown.add_column(name, justify="right" if name[0] in "cpl" and name != "context" else "left")
    for rule in side.rules[:limit]:
        inverse, lex_inverse, direct, lex_direct = (f"{p:.3g}" for p in rule.probabilities)
        shown.add_row(
            escape(" ".join(readable(rule.target))),
            rule.kind.replace("_", " "),
            "*" if rule.context is None else " ".join(side.words[k] for k in rule.context) or "∅",
            f"{rule.count:g}",
            direct,
            inverse,
            lex_direct,
            lex_inverse,
            " ".join(f"{s}-{t}" for s, t in rule.alignment),
        )
    if len(side.rules) > limit:
        shown.caption = f"{len(side.rules) - limit} more"
    return shown


@app.command("export")
def export_(
    model: Model_,
    out: Annotated[Path, typer.Argument(help="Moses phrase table or rule table to write; .gz compresses."), FILE],
) -> None:
    """Write the rules as a Moses phrase table, rules with holes as a hierarchical rule table."""
    note(f"{out}: {_table(model).to_moses(out):,} lines.")


@app.command("import")
def import_(
    phrase_table: Annotated[
        Path, typer.Argument(help="A Moses phrase table or hierarchical rule table, plain or gzip.")
    ],
    out: Annotated[Path, typer.Argument(help="Rule table to write."), FILE],
) -> None:
    """Convert a Moses phrase table or hierarchical rule table to a rule table."""
    note(f"{out}: {from_moses(phrase_table, out):,} rules.")


@app.command("filter")
def filter_(
    model: Model_,
    text: Annotated[Path, typer.Argument(help="Text or CoNLL-U that will be translated.")],
    out: Annotated[Path, typer.Argument(help="Rule table to write."), FILE],
) -> None:
    """Write the part of a rule table that a text can use."""
    from graphmt.corpus import tokenised

    table = model / RULES if model.is_dir() else model
    lowercase = model.is_dir() and Model(model).source_steps.options.case == "lower"
    note(f"{out}: {filtered(table, tokenised(text, lowercase=lowercase), out):,} rules.")


@app.command()
def prune(
    model: Model_,
    out: Annotated[Path, typer.Argument(help="Rule table to write."), FILE],
    min_count: Annotated[float, typer.Option(metavar="X", help="Minimum count of a rule.")] = 1,
    significance: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Minimum significance (Johnson et al. 2007), relative to that of sides that occur once, and together: "
            "0.01 drops those, -0.01 keeps them.",
        ),
    ] = None,
) -> None:
    """Write a rule table without rare or insignificant rules. To use it, write to rules.bin of a copy of the model."""
    made = pruned(model / RULES if model.is_dir() else model, out, min_count=min_count, significance=significance)
    note(f"{out}: {made.kept:,} rules kept, {made.dropped:,} dropped.")


@app.command()
def split(
    model: Model_,
    out: Annotated[
        Path, typer.Argument(help="Rule table to write; further parts get its name with .1, .2 and so on."), FILE
    ],
    part_size: Annotated[
        float, typer.Option(metavar="MIB", min=0, help="Mebibytes of rules after which a part ends.")
    ] = 4096,
) -> None:
    """Write a rule table in several files that open as one. A large size joins them again.

    To use it, write to rules.bin of a copy of the model.
    """
    table = model / RULES if model.is_dir() else model
    parts = split_table(table, out, part_size=max(1, round(part_size * 2**20)))
    note(f"{out}: {parts:,} parts." if parts > 1 else f"{out}: one file.")


@app.command()
def verify(model: Model_) -> None:
    """Read the whole rule table and verify its checksums."""
    _table(model).verify()
    note(f"{model}: checksums are correct.")
