"""N-gram language models: estimation (interpolated modified Kneser-Ney), ARPA files, fast queries.

>>> from graphmt import lm
>>> lm.train("train.en.gz", "english.lm", lm.LmOptions(order=5))  # doctest: +SKIP
>>> lm.load("english.lm").score("a small house")                  # doctest: +SKIP
"""

from graphmt.lm.model import LanguageModel, Perplexity, WordScore, load
from graphmt.lm.options import LmOptions
from graphmt.lm.train import Built, Trained, build, train

__all__ = [
    "Built",
    "LanguageModel",
    "LmOptions",
    "Perplexity",
    "Trained",
    "WordScore",
    "build",
    "load",
    "train",
]
