"""Aligners that are trained on a sample and applied to all pairs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from graphmt.align import AlignOptions, TrainedAligner, align, train_aligner
from graphmt.align.aligners import make_aligner
from graphmt.align.encoding import evenly_spaced
from graphmt.align.options import NAMES
from graphmt.errors import InputError, OptionError

#: Ten words, translated word by word in reverse order; a pair with an empty side, and a long one.
WORDS = [chr(ord("a") + n) for n in range(10)]
SOURCE = [" ".join(WORDS[(n + k) % 10] for k in range(1, 4)) for n in range(10)] * 3
TARGET = [" ".join(word.upper() + "x" for word in reversed(line.split())) for line in SOURCE]
SOURCE += ["", "a " * 40, "A zzz c"]
TARGET += ["Ax", "Ax " * 40, "Cx yyy Ax"]


def test_a_sample_is_evenly_spaced_and_has_its_size() -> None:
    assert np.flatnonzero(evenly_spaced(10, 4)).tolist() == [2, 4, 7, 9]
    for pairs in range(1, 30):
        for sample in range(1, 30):
            assert evenly_spaced(pairs, sample).sum() == min(pairs, sample)


@pytest.mark.parametrize("model", [name for name in NAMES if name not in ("eflomal", "gibbs")])
def test_pieces_of_a_text_get_the_links_of_the_whole(model: str, tmp_path: Path) -> None:
    options = AlignOptions(model=model, max_length=30, sample=20, threads=1)
    whole = align(SOURCE, TARGET, options)
    assert (whole.empty, whole.too_long) == (1, 1)
    assert whole.alignment[31] == []
    chosen = np.flatnonzero(evenly_spaced(len(SOURCE), 20))
    train_aligner([SOURCE[n] for n in chosen], [TARGET[n] for n in chosen], tmp_path / "model", options)
    trained = TrainedAligner(tmp_path / "model")
    # No word of the text is stored apart from the vocabulary.
    assert all((tmp_path / "model" / f"forward.{end}").stat().st_size == 0 for end in ("src", "trg", "aligns"))
    pieces = [trained.align(SOURCE[at : at + 7], TARGET[at : at + 7]) for at in range(0, len(SOURCE), 7)]
    assert "".join(piece.alignment.text() for piece in pieces) == whole.alignment.text()
    assert "".join(piece.forward.text() for piece in pieces) == whole.forward.text()
    assert sum(piece.too_long for piece in pieces) == 1
    # Lower-cased as in training, and a word that training had not seen.
    assert (0, 2) in whole.alignment[32]


def test_what_cannot_be_trained_or_opened_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = AlignOptions(model="ibm1", threads=1)
    with pytest.raises(InputError, match="none of 1 pairs can be used to train an aligner"):
        train_aligner([""], ["a"], tmp_path / "model", options)
    with pytest.raises(InputError, match="not a trained aligner"):
        TrainedAligner(tmp_path)
    train_aligner(["a b"], ["c d"], tmp_path / "model", options)
    with pytest.raises(InputError, match="exists already"):
        train_aligner(["a b"], ["c d"], tmp_path / "model", options)
    (tmp_path / "model" / "reverse.ibm_lexnd").unlink()
    with pytest.raises(InputError, match=r"reverse\.ibm_lexnd: no such file"):
        TrainedAligner(tmp_path / "model")
    aligner = make_aligner(options.replace(model="eflomal"))
    with pytest.raises(OptionError, match="eflomal cannot be trained on a sample"):
        aligner.search(tmp_path, [], [])


@pytest.mark.parametrize("name", ["source.words", "forward.ibm_lexnd"])
def test_a_file_of_another_aligner_is_refused(tmp_path: Path, name: str) -> None:
    options = AlignOptions(model="ibm1", threads=1)
    train_aligner(["a b", "b"], ["c d", "d"], tmp_path / "model", options)
    train_aligner(["a b c", "c"], ["d c e", "e"], tmp_path / "other", options)
    own = (tmp_path / "model" / name).read_bytes()
    assert own != (tmp_path / "other" / name).read_bytes()
    shutil.copyfile(tmp_path / "other" / name, tmp_path / "model" / name)
    with pytest.raises(InputError, match=f"{name}: this is not the file that the aligner was trained with"):
        TrainedAligner(tmp_path / "model")
    # Folders of older versions do not know their files.
    record = json.loads((tmp_path / "model" / "aligner.json").read_text("utf-8"))
    del record["files"]
    (tmp_path / "model" / "aligner.json").write_text(json.dumps(record), "utf-8")
    TrainedAligner(tmp_path / "model")
