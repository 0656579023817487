"""Translating localisation files."""

from __future__ import annotations

import dataclasses
from itertools import islice

from graphmt.errors import InputError
from graphmt.localisation.formats import read_document
from graphmt.localisation.languages import require_folders
from graphmt.localisation.messages import Message
from graphmt.model import Model, SentenceMemory, Translation
from graphmt.progress import bar
from graphmt.protect import GROUPS, Recogniser
from graphmt.storage.checks import require_outputs
from graphmt.storage.compression import packed
from graphmt.storage.files import AnyPath, writing_bytes

#: Sentences translated at a time.
_CHUNK = 256


@dataclasses.dataclass(frozen=True)
class DocumentReport:
    """How many units were filled, and which of them had to be repaired.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.localisation import translate_document
    >>> translate_document(graphmt.load("ui"), "todo.po", "done.po").filled
    5
    """

    filled: int
    #: Units that had a translation, or need none.
    others: int
    #: For each repaired unit, its line and what was changed.
    repaired: tuple[tuple[int, str], ...] = ()
    #: Sentences that were taken from a translation memory.
    from_memory: int = 0
    #: Sentences whose exact match in the memory contradicts the glossary, so that it was not taken.
    contradicting: int = 0


def translate_document(
    model: Model, path: AnyPath, out: AnyPath, *, threads: int = 0, memory: SentenceMemory | None = None
) -> DocumentReport:
    """Fill the untranslated units of a localisation file and mark them as machine translations.

    Everything else in the file stays as it is. Protected items are restored even if the model was trained without
    protection.

    Parameters
    ----------
    model
        A model trained on raw text.
    path
        The file; its name tells the format.
    out
        The file to write, whole or not at all.
    threads
        Number of threads; 0: one per core.
    memory
        A translation memory, whose exact matches are taken.

    Returns
    -------
    DocumentReport
        How many units were filled.

    Raises
    ------
    InputError
        If the file is malformed or of an unknown format, or the model was trained on tokenised text.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.localisation import translate_document
    >>> translate_document(graphmt.load("ui"), "todo.po", "done.po")
    DocumentReport(filled=5, others=2, repaired=(), from_memory=0, contradicting=0)
    """
    require_outputs(out, inputs=[path])
    if not (model.source_steps.options.tokenise and model.target_steps.options.tokenise):
        raise InputError(
            "this model was trained on tokenised text; localisation files are raw text.",
            file=model.folder,
            hint="Train it on raw text: graphmt train --raw …",
        )
    model = model.protecting(tuple(GROUPS))
    memory = memory and memory.with_model(model)
    languages = model.source_steps.options.language, model.target_steps.options.language
    require_folders(path, out, languages)
    document = read_document(path, languages)
    recogniser = Recogniser(tuple(GROUPS), model.source_steps.options.patterns)
    messages = [[Message(source, recogniser) for source in unit.sources] for unit in document.units]
    wanted = dict.fromkeys(one for unit in messages for message in unit for one in message.sentences)
    translated: dict[str, str] = {}
    repairs: dict[str, tuple[str, ...]] = {}
    waiting, from_memory, contradicting = iter(wanted), 0, 0
    with bar("sentences", len(wanted)) as advance:
        while chunk := list(islice(waiting, _CHUNK)):
            for sentence, made in zip(chunk, _translations(model, chunk, memory, threads), strict=True):
                translated[sentence] = made.text
                from_memory += made.memory is not None and made.memory.taken
                contradicting += made.memory is not None and made.memory.contradicts is not None
                if made.repairs:
                    repairs[sentence] = made.repairs
            advance(len(translated))
    data = document.filled([[message.joined(translated.__getitem__) for message in unit] for unit in messages])
    with writing_bytes(out) as stream:
        stream.write(packed(data, out))
    repaired = []
    for unit, parts in zip(document.units, messages, strict=True):
        changed = [one for message in parts for sentence in message.sentences for one in repairs.get(sentence, ())]
        if changed:
            repaired.append((unit.line, ", ".join(changed)))
    return DocumentReport(len(document.units), document.others, tuple(repaired), from_memory, contradicting)


def _translations(model: Model, sentences: list[str], memory: SentenceMemory | None, threads: int) -> list[Translation]:
    if memory is None:
        return model.translate(sentences, threads=threads)
    prepared = model.prepare(sentences)
    model.note_cuts(prepared)
    lists = memory.translate(
        sentences, prepared, lambda rest: model.n_best_prepared(rest, 1, threads=threads), threads=threads
    )
    return [best[0] for best in lists]
