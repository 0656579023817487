"""Moses' programs, run on its own tables and ours: extraction, both searches."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from pathlib import Path

from peers.processes import Usage, run

#: Sorting by bytes, as Moses' training script does it.
BY_BYTES = {**os.environ, "LC_ALL": "C"}


@dataclasses.dataclass(frozen=True)
class Extraction:
    """The files that Moses' extraction reads: both sides, links, lexical tables in both directions."""

    source: Path
    target: Path
    alignment: Path
    f2e: Path
    e2f: Path


def phrase_table(moses: Path, files: Extraction, folder: Path) -> Usage:
    """Extract and score phrases on plain files: FOLDER/phrase-table."""
    extracted, inverse = folder / "extract", folder / "extract.inv"
    used = run([moses / "extract", files.target, files.source, files.alignment, extracted, "7"])
    for path in (extracted, inverse):
        used += _sort(path, folder)
    half, half_inverse = folder / "half.f2e", folder / "half.e2f"
    used += run([moses / "score", folder / "extract.sorted", files.f2e, half])
    used += run([moses / "score", folder / "extract.inv.sorted", files.e2f, half_inverse, "--Inverse"])
    used += _sort(half_inverse, folder)
    return used + run([moses / "consolidate", half, folder / "half.e2f.sorted", folder / "phrase-table"])


def _sort(path: Path, folder: Path) -> Usage:
    out = path.with_suffix(path.suffix + ".sorted")
    return run(["sort", "-T", folder, path], out=out, environment=BY_BYTES)


def phrase_settings(table: Path, language_model: Path, weights: Path) -> str:
    """A moses.ini for phrases without lexicalised reordering."""
    return _settings(
        mapping=["0 T 0"],
        options={"distortion-limit": "6", "search-algorithm": "1"},
        features=[
            f"PhraseDictionaryMemory name=TranslationModel0 num-features=4 path={table} input-factor=0 "
            "output-factor=0 table-limit=20",
            "Distortion",
            *_common(language_model),
        ],
        weights=weights,
    )


def chart_settings(table: Path, glue: Path, language_model: Path, weights: Path, *, algorithm: int) -> str:
    """A moses.ini for a hierarchical system: cube pruning is algorithm 3, incremental search algorithm 5."""
    return _settings(
        mapping=["0 T 0", "1 T 1"],
        options={"search-algorithm": str(algorithm), "non-terminals": "X", "max-chart-span": "20\n1000"},
        features=[
            f"PhraseDictionaryMemory name=TranslationModel0 num-features=4 path={table} input-factor=0 "
            "output-factor=0 table-limit=20",
            f"PhraseDictionaryMemory name=TranslationModel1 num-features=1 path={glue} input-factor=0 output-factor=0",
            *_common(language_model),
        ],
        weights=weights,
    )


def _common(language_model: Path) -> list[str]:
    return [
        "UnknownWordPenalty",
        "WordPenalty",
        "PhrasePenalty",
        f"KENLM lazyken=0 name=LM0 factor=0 path={language_model} order=5",
    ]


def _settings(*, mapping: list[str], options: Mapping[str, str], features: list[str], weights: Path) -> str:
    parts = {
        "input-factors": ["0"],
        "mapping": mapping,
        **{name: [value] for name, value in options.items()},
        "feature": features,
        "weight": [f"{name}= {' '.join(values)}" for name, *values in _weights(weights)],
    }
    return "\n".join(line for name, lines in parts.items() for line in (f"[{name}]", *lines, "")) + "\n"


def decode(program: Path, settings: Path, text: Path, *, pops: int, scores: Path | None = None) -> Usage:
    """Translate a text on one thread; on demand, write the best translation's score for each sentence."""
    limits = ["-cube-pruning-pop-limit", str(pops), "-stack", str(pops)]
    output = ["-v", "0"] if scores is None else ["-n-best-list", scores, "1", "-v", "0"]
    return run([program, "-f", settings, "-threads", "1", *limits, *output], given=text)


def best_scores(scores: Path, weights: Path) -> list[float]:
    """The total of each line of a list of the best translations, from its features.

    The totals that incremental search prints count the unknown words twice in the language model. Lists leave out the
    penalty of unknown words, which is the difference to the printed total in whole hundreds.
    """
    of_feature = {name: [float(value) for value in values] for name, *values in _weights(weights)}
    found = []
    for line in scores.read_text(encoding="utf-8").splitlines():
        _, _, features, total = re.split(r" \|\|\| ", line)[:4]
        score = 0.0
        for name, values in re.findall(r"(\S+)= ((?:-?[\d.e-]+ ?)+)", features):
            score += sum(a * float(b) for a, b in zip(of_feature[name], values.split(), strict=True))
        found.append(score - 100 * round((score - float(total)) / 100))
    return found


def _weights(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]
