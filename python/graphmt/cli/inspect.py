"""``graphmt inspect``: look into a model."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphmt.cli.display import note
from graphmt.cli.help import App
from graphmt.cli.outputs import FILE
from graphmt.model import Model
from graphmt.model.layout import RULES
from graphmt.options import MOST
from graphmt.rules import Rule, RuleTable, SourceSide, filtered, from_moses, pruned
from graphmt.rules import shown as readable
from graphmt.rules import split as split_table

_NUMBERS = ("count", "p\n(t|g)", "p\n(g|t)", "lex\n(t|g)", "lex\n(g|t)")
_COLUMNS = ("target", "kind", "context", *_NUMBERS, "alignment")

#: Words up to this width are not broken.
MOST_CELLS = 20

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
    """Show what a source side translates to: counts, probabilities, context and alignment.

    Holes are numbered in source order, as in derivations.
    """
    from rich.console import Console

    table = _table(model)
    found = table.containing(words[0], limit) if containing else table.find(words)
    if not found:
        note(f"No rule for {' '.join(words)!r}.")
        raise typer.Exit(1)
    for number, side in enumerate(found):
        if as_json:
            for rule in side.rules:
                row = {**vars(rule), "target": readable(rule.target)}
                print(json.dumps({"source": readable(side.words), "links": side.links, **row}, ensure_ascii=False))
        else:
            Console(highlight=False).print(*([""] if number else []), _shown(side, limit), sep="\n")


def _shown(side: SourceSide, limit: int) -> Table:
    """A table that fits into 80 columns; nothing is cut off, long cells take several lines.

    A kind that all rules have is in the title, and contexts are left out where no rule has one.
    """
    from rich.cells import cell_len
    from rich.table import Table

    rules = side.rules[:limit]
    kinds = {rule.kind.replace("_", " ") for rule in rules}
    one = f"  [dim]{kinds.pop()}[/dim]" if len(kinds) == 1 else ""
    shown = Table(title=_title(side) + one, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0))
    columns = [column for column in _COLUMNS if (column != "kind" or not one) and (column != "context" or _any(rules))]
    cells = [_cells(side, rule) for rule in rules]
    for name in columns:
        longest = max(cell_len(word) for row in cells for word in (*row[name].split(), *name.split()))
        justify: Literal["left", "right"] = "right" if name in _NUMBERS else "left"
        shown.add_column(name, justify=justify, min_width=min(longest, MOST_CELLS), overflow="fold")
    for row in cells:
        shown.add_row(*(row[name] for name in columns))
    if len(side.rules) > limit:
        shown.caption = f"{len(side.rules) - limit} more"
    return shown


def _any(rules: Sequence[Rule]) -> bool:
    return any(rule.context is not None for rule in rules)


def _title(side: SourceSide) -> str:
    """The source side with its holes numbered, and the gaps and links of its words."""
    from rich.markup import escape

    pieces = []
    numbers = itertools.count(1)
    for k, (symbol, word) in enumerate(zip(side.words, readable(side.words), strict=True)):
        name = f"{word[:-1]} {next(numbers)}]" if symbol.startswith(" ") else word
        joined = ",".join(str(at) for at in side.links[k])
        gap = side.gaps is not None and side.gaps[k]
        pieces.append(("… " if gap else "") + escape(name) + (f"[dim]→{joined}[/dim]" if joined else ""))
    return " ".join(pieces)


def _cells(side: SourceSide, rule: Rule) -> dict[str, str]:
    from rich.markup import escape

    inverse, lex_inverse, direct, lex_direct = (f"{p:.2g}" for p in rule.probabilities)
    context = "*" if rule.context is None else " ".join(side.words[k] for k in rule.context) or "∅"
    return {
        "target": escape(" ".join(readable(rule.target))),
        "kind": rule.kind.replace("_", " "),
        "context": escape(context),
        "count": f"{rule.count:.3g}" if rule.count < 1000 else f"{rule.count:.0f}",
        "p\n(t|g)": direct,
        "p\n(g|t)": inverse,
        "lex\n(t|g)": lex_direct,
        "lex\n(g|t)": lex_inverse,
        "alignment": " ".join(f"{s}-{t}" for s, t in rule.alignment),
    }


@app.command("export")
def export_(
    model: Model_,
    out: Annotated[
        Path, typer.Argument(help="Moses phrase table or rule table to write; .gz, .bz2, .xz or .zst compresses."), FILE
    ],
) -> None:
    """Write the rules as a Moses phrase table, rules with holes as a hierarchical rule table."""
    note(f"{out}: {_table(model).to_moses(out):,} lines.")


@app.command("import")
def import_(
    phrase_table: Annotated[
        Path, typer.Argument(help="A Moses phrase table or hierarchical rule table, plain or compressed.")
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
