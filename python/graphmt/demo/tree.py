"""A dependency tree as the demo corpus yields it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tree:
    """One sentence: words, their analyses, and heads counted from 0 (-1: the root)."""

    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.forms)

    def to_conllu(self, comments: tuple[str, ...] = ()) -> str:
        """The sentence in CoNLL-U, the blank line at its end included; comments go without their ``#``."""
        rows = [f"# {comment}" for comment in (*comments, f"text = {' '.join(self.forms)}")]
        columns = zip(self.forms, self.lemmas, self.upos, self.heads, self.deprels, strict=True)
        for i, (form, lemma, upos, head, deprel) in enumerate(columns, 1):
            rows.append(f"{i}\t{form}\t{lemma}\t{upos}\t_\t_\t{head + 1}\t{deprel}\t_\t_")
        return "\n".join(rows) + "\n\n"

    def is_projective(self) -> bool:
        """Whether no two arcs cross."""
        arcs = [(min(i, h), max(i, h)) for i, h in enumerate(self.heads) if h >= 0]
        return not any(a < c < b < d for a, b in arcs for c, d in arcs)
