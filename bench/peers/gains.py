"""Gains of re-ranking: paired bootstrap over sentences, and BLEU by the similarity of the nearest memory source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from graphmt.evaluate.metrics import make_metrics
from graphmt.evaluate.options import EvaluateOptions
from graphmt.evaluate.significance import bootstrap
from peers.reranked import Part

SAMPLES = 10_000
#: Lower bounds of the bands of similarity.
BANDS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8)


INTERVAL = ("gain", "low", "high")


class Gains:
    """Paired comparisons of translations of one part."""

    def __init__(self, part: Part) -> None:
        options = EvaluateOptions(metrics=("bleu",), tokenise="none")
        [self.metric] = make_metrics(options, [list(own) for own in zip(*part.references, strict=True)])

    def gain(self, base: Sequence[str], other: Sequence[str]) -> dict[str, float]:
        """The gain of ``other`` over ``base``, its 95 % interval, and the two-sided p as sacreBLEU computes it."""
        rows = [self.metric.rows(texts) for texts in (base, other)]
        first, second = (self.metric.score(own.sum(0)) for own in rows)
        # The same seed draws the same sentences.
        drawn = [bootstrap(self.metric, own, SAMPLES, seed=1) for own in rows]
        differences = drawn[1] - drawn[0]
        gain = second - first
        low, high = np.percentile(differences, [2.5, 97.5])
        further = np.abs(differences - differences.mean()) >= abs(gain)
        return {"gain": gain, "low": low, "high": high, "p": (further.sum() + 1) / (SAMPLES + 1)}


def by_band(
    part: Part, matches: Sequence[float], outputs: Mapping[str, Sequence[str]], base: str = "own best", new: str = "all"
) -> list[dict[str, float]]:
    """BLEU of each output for the sentences of each band, and the gain of one over another with its 95 % interval."""
    found = []
    for low, high in zip(BANDS, (*BANDS[1:], 1.01), strict=True):
        chosen = [k for k, match in enumerate(matches) if low <= match < high]
        if chosen:
            own = part.chosen(chosen)
            bleu = {name: own.bleu([texts[k] for k in chosen]) for name, texts in outputs.items()}
            gain = Gains(own).gain(*([outputs[name][k] for k in chosen] for name in (base, new)))
            found.append({"from": low, "sentences": len(chosen), **bleu, **{key: gain[key] for key in INTERVAL}})
    return found


def tell_bands(title: str, bands: Sequence[Mapping[str, float]]) -> None:
    for band in bands:
        told = ", ".join(
            f"{name} {value:.2f}" for name, value in band.items() if name not in ("from", "sentences", *INTERVAL)
        )
        gain = f"gain {band['gain']:+.2f} (95 %: {band['low']:+.2f} to {band['high']:+.2f})"
        print(f"{title}, similarity from {band['from']:.1f}: {band['sentences']} sentences: {told}; {gain}", flush=True)
