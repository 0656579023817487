"""Re-ranking a Transformer's lists without a development set.

By default the command as it is installed, over the files as they are: the development lists with the training corpus as
memory, and with that of the other corpus, which has another domain. ``--test`` scores the test lists as well.
``--cross`` fits classifiers and weights to one corpus and applies them to the other. ``--fit FOLDER`` fits them to both
corpora together and writes the files that the command uses.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import tempfile
from pathlib import Path

from graphmt.consensus import Candidates, NBestList, Outputs, Reranker, RerankOptions, learn, read_lists
from graphmt.consensus.request import MemoryFiles, RerankRequest, run
from graphmt.consensus.reranker import evidence_options
from graphmt.corpus import tokenised
from graphmt.memory_features import GivenFiles, MemoryPairs, MemoryResources, make_resources
from graphmt.memory_features.columns import PREDICTOR_FILE
from graphmt.memory_features.untuned import OWN, WEIGHTS_FILE
from graphmt.tune import corpus_bleu
from peers.folder import data_folder

CORPORA = ("tatoeba-de-en", "multi30k-de-en")
#: The sets of groups that have weights.
GROUPS = ("memory", "memory+lm", "memory+lm+lexicon")


@dataclasses.dataclass(frozen=True)
class Part:
    """Sentences with their lists, whose only column is the log-probability, and references."""

    sources: list[str]
    lists: list[NBestList]
    references: list[list[str]]

    def candidates(self, options: RerankOptions) -> Candidates:
        return Candidates(self.sources, self.lists, None, options)

    def __add__(self, other: Part) -> Part:
        return Part(self.sources + other.sources, self.lists + other.lists, self.references + other.references)


def read(data: Path, name: str, part: str) -> Part:
    folder = data / "data" / name
    given = read_lists(lists_of(data, name, part))
    column = given.features.index("LogProb")
    return Part(
        list(tokenised(folder / f"{part}.de.conllu.gz", lowercase=True)),
        [NBestList.of(one.number, zip(one.texts, one.values[:, column].tolist(), strict=True)) for one in given],
        [[line] for line in tokenised(folder / f"{part}.en.gz", lowercase=True)],
    )


def lists_of(data: Path, name: str, part: str) -> Path:
    return data / "peers" / "transformer" / f"{name}.{part}.nbest.gz"


def pairs_of(data: Path, name: str) -> list[tuple[str, str]]:
    files = (data / "data" / name / file for file in ("train.de.conllu.gz", "train.en.gz"))
    return list(zip(*(tokenised(file, lowercase=True) for file in files), strict=True))


def alignment_of(data: Path, name: str) -> Path:
    return data / "peers" / f"moses-{name}" / "aligned.gdfa.gz"


def resources_of(pairs: list[tuple[str, str]], alignment: Path, options: RerankOptions) -> MemoryResources:
    """Those of all groups."""
    files = GivenFiles(alignment=alignment)
    stored = MemoryPairs(pairs)
    return make_resources(stored, ("memory", "lm", "lexicon"), evidence_options(options), lowercase=True, files=files)


def with_groups(resources: MemoryResources, options: RerankOptions) -> MemoryResources:
    """Without the groups that the options leave out."""
    kept = options.memory_groups
    return dataclasses.replace(
        resources,
        language_model=resources.language_model if "lm" in kept else None,
        lexicon=resources.lexicon if "lexicon" in kept else None,
    )


def options_of(groups: str) -> RerankOptions:
    return RerankOptions(features=groups, classifier="lr", lowercase=True, score="score", normalised="no")


def fit(data: Path, folder: Path) -> dict[str, object]:
    """Classifiers and weights for both corpora together: one memory, one development set."""
    parts = [read(data, name, "dev") for name in CORPORA]
    pairs = [pair for name in CORPORA for pair in pairs_of(data, name)]
    with tempfile.TemporaryDirectory() as work:
        alignment = Path(work) / "alignment"
        with alignment.open("w", encoding="utf-8") as stream:
            for name in CORPORA:
                stream.writelines(f"{line}\n" for line in tokenised(alignment_of(data, name)))
        resources = resources_of(pairs, alignment, options_of(GROUPS[0]))
    joined = parts[0] + parts[1]
    weights: dict[str, dict[str, float]] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for groups in GROUPS:
        options = options_of(groups)
        made = learn(joined.candidates(options), joined.references, options, with_groups(resources, options))
        weights[groups] = {OWN if name == "score" else name: round(w, 6) for name, w in made.stages[0].items()}
        # The classifiers have used the posterior already; noise must not reverse the order of the list.
        weights[groups][OWN] = max(weights[groups][OWN], 0.0)
        print(groups, f"{made.bleu[-1]:.2f}", weights[groups], flush=True)
        assert made.fitted is not None and made.fitted.posteriors is not None
        made.fitted.posteriors.save(folder / PREDICTOR_FILE)
    content = {"made by": "bench/untuned_rerank.py --fit", "lists": list(CORPORA), "weights": weights}
    (folder / WEIGHTS_FILE).write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    return {"fit": weights}


def cross(data: Path) -> dict[str, object]:
    """Everything fitted to one corpus and applied to the other, with its memory and with that of the first."""
    parts = {name: read(data, name, "dev") for name in CORPORA}
    resources = {
        name: resources_of(pairs_of(data, name), alignment_of(data, name), options_of(GROUPS[0])) for name in CORPORA
    }
    found: dict[str, object] = {}
    for groups in GROUPS:
        options = options_of(groups)
        for known, new in (CORPORA, CORPORA[::-1]):
            part = parts[known]
            made = learn(part.candidates(options), part.references, options, with_groups(resources[known], options))
            for memory in (new, known):
                own = applied(made, with_groups(resources[memory], options))
                row = {
                    "first": corpus_bleu([one.texts[0] for one in parts[new].lists], parts[new].references),
                    "always": bleu(own, parts[new]),
                    "abstaining": bleu(dataclasses.replace(own, options=own.options.replace(abstain=True)), parts[new]),
                }
                found[f"{groups}, fitted to {known}, {new} with {memory}"] = row
                print(f"{groups:18} {known} -> {new}, memory {memory}: {rounded(row)}", flush=True)
    return {"cross": found}


def applied(made: Reranker, resources: MemoryResources) -> Reranker:
    """A re-ranker with another memory."""
    assert made.fitted is not None and made.fitted.posteriors is not None and resources.index is not None
    posteriors = dataclasses.replace(made.fitted.posteriors, index=resources.index)
    return dataclasses.replace(
        made, fitted=dataclasses.replace(made.fitted, resources=resources, posteriors=posteriors)
    )


def bleu(reranker: Reranker, part: Part) -> float:
    candidates = part.candidates(reranker.options)
    return corpus_bleu(candidates.best(reranker.rank(candidates).scores), part.references)


def shipped(data: Path, parts: list[str], features: list[str]) -> dict[str, object]:
    """The command over the files as they are."""
    found: dict[str, object] = {}
    for name in CORPORA:
        for part in parts:
            references = [[line] for line in tokenised(data / "data" / name / f"{part}.en.gz", lowercase=True)]
            lists = lists_of(data, name, part)
            row = {"first": corpus_bleu([one.texts[0] for one in read_lists(lists)], references)}
            source = data / "data" / name / f"{part}.de.conllu.gz"
            arms = [(groups, name) for groups in features]
            # The memory of the other corpus has another domain.
            arms += [("auto", other) for other in CORPORA if other != name and part == "dev"]
            for groups, memory in arms:
                row[f"{groups}, memory {memory}"] = corpus_bleu(
                    command(data, lists, source, memory, groups), references
                )
            found[f"{name} {part}"] = row
            print(f"{name} {part}: {rounded(row)}", flush=True)
    return {"shipped": found}


def command(data: Path, lists: Path, source: Path, memory: str, groups: str) -> list[str]:
    """The lines that ``graphmt rerank`` writes, in lower case."""
    folder = data / "data" / memory
    with tempfile.TemporaryDirectory() as work:
        out = Path(work) / "out"
        files = GivenFiles(alignment=alignment_of(data, memory)) if "lexicon" in groups else GivenFiles()
        memory_files = MemoryFiles([folder / "train.de.conllu.gz"], [folder / "train.en.gz"])
        # What auto stands for in a small memory.
        settings = {"threshold": 0.5, "abstain": True} if groups == "gc" else {}
        request = RerankRequest([lists], source, memory_files, files=files, outputs=Outputs(out))
        run(request, {"features": groups, **settings})
        return [line.lower() for line in out.read_text("utf-8").splitlines()]


def rounded(row: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 2) for name, value in row.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--fit", type=Path, metavar="FOLDER", help="write classifiers and weights")
    parser.add_argument("--cross", action="store_true", help="fit to one corpus, apply to the other")
    parser.add_argument("--test", action="store_true", help="score the test lists as well")
    parser.add_argument("--features", action="append", help="for example gc; repeat for several")
    given = parser.parse_args()
    if given.fit is not None:
        answer = fit(given.data, given.fit)
    elif given.cross:
        answer = cross(given.data)
    else:
        answer = shipped(given.data, ["dev", "test"] if given.test else ["dev"], given.features or ["auto", "gc"])
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
