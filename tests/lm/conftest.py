from __future__ import annotations

import random
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from graphmt import _core
from graphmt.lm import LanguageModel, load


def core_train(text: str, out: Path, **changes: Any) -> Any:
    """Train without the options dataclass, so that the memory can be a few kilobytes."""
    source = out.with_name(out.name + ".txt")
    source.write_text(text, encoding="utf-8")
    call = {"arpa": out.name.endswith(".arpa"), "temporary": tempfile.gettempdir(), "progress": None}
    call |= {name: changes.pop(name) for name in call.keys() & changes.keys()}
    options = {"order": 3, "max_memory": 1 << 24, "prune": [], "discount_fallback": True, "reserved_words": "error"}
    given: Any = SimpleNamespace(**{**options, "threads": 1, **changes})
    # Like the option it is in MiB, but less than one here.
    given.max_memory /= 1 << 20
    return _core.lm_train([source], out, given, **call)


def random_text(seed: int, sentences: int, words: int) -> str:
    """Sentences with a skewed choice of words, so that all counts from one up occur."""
    source = random.Random(seed)
    vocabulary = [f"w{i}" for i in range(words)]
    weights = [1 / (i + 1) for i in range(words)]
    lines = (" ".join(source.choices(vocabulary, weights, k=source.randint(0, 12))) for _ in range(sentences))
    return "".join(line + "\n" for line in lines)


@pytest.fixture(scope="session", params=["whole", "pruned"])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[LanguageModel, Path]:
    """A model of order 4 as binary, and as ARPA file; only a pruned one has n-grams that nothing follows."""
    folder = tmp_path_factory.mktemp("lm")
    text = random_text(1, 400, 60)
    prune = [0, 1, 2] if request.param == "pruned" else []
    core_train(text, folder / "model.arpa", order=4, prune=prune)
    core_train(text, folder / "model.lm", order=4, prune=prune)
    return load(folder / "model.lm"), folder / "model.arpa"
