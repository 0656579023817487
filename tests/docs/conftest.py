"""A folder with the files that the documentation names, and a shell to run its examples in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from doc_shell import Shell
from graphmt import lm
from graphmt.corpus.convert import write_tokens
from graphmt.demo import DemoOptions, write
from graphmt.storage.files import writing
from graphmt.training import train
from programs import fork_server
from small_models import Trained

#: Model folders that the pages name, and the systems they hold.
MODELS = {"model": "gbmt-ctx", "pbmt": "pbmt", "hpb": "hpb", "btg": "btg"}


@pytest.fixture(scope="session")
def shell() -> Shell:
    if shutil.which("bash") is None:
        pytest.skip("the examples are run by bash")
    return Shell(fork_server().programs("graphmt", "python"))


@pytest.fixture(scope="session")
def prepared(demo: Trained, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the how-to pages start from, as the tutorial leaves them; a smaller corpus."""
    folder = tmp_path_factory.mktemp("prepared")
    corpus = write(folder / "corpus", DemoOptions(train=200, dev=10, test=10))
    for name, system in MODELS.items():
        shutil.copytree(demo.models[system], folder / name)
    with writing(folder / "aligned.gz") as out:
        out.writelines(" ".join(f"{i}-{j}" for i, j in sorted(pair.alignment)) + "\n" for pair in corpus.train)
    lm.train([folder / "corpus" / "train.en"], folder / "english.lm")
    shutil.copytree(Path(__file__).with_name("files"), folder, dirs_exist_ok=True)
    # For examples in docstrings: tokenised text, and a model with lexical selection.
    write_tokens(folder / "corpus" / "train.de.conllu", folder / "tokens.de")
    files = {"source": demo.source, "target": demo.target, "alignment": demo.alignment, "language_model": demo.lm}
    options = {"gm": {"lemmas": False, "threads": 1}, "extract": {"threads": 1}}
    added = {"rules_of": demo.models["hpb"], "selection": ["gm"], "options": options}
    train("hpb", **files, **added, out=folder / "selection")
    # A model of raw text with placeholders.
    sides = {"source_language": "en", "target_language": "de", "tokenise": True, "case": "true"}
    options = {"sides": sides, "align": {"model": "hmm"}, "extract": {"threads": 1}}
    train("pbmt", source=folder / "ui.en", target=folder / "ui.de", out=folder / "ui", options=options)
    return folder
