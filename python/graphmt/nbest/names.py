"""Names that JSON objects and the headers of tables use."""

from __future__ import annotations

from graphmt.nbest.scores import LOG_PROBABILITY, SCORE

#: The sentence number.
NUMBER_NAMES = ("sentence", "id", "sentence_id", "sent_id", "segment_id")
#: The translation.
TEXT_NAMES = (
    *("text", "translation", "hypothesis", "hyp", "tgt", "target", "output", "prediction", "candidate"),
    *("translation_text", "generated_text", "content", "mt"),
)
#: The score.
SCORE_NAMES = (SCORE, LOG_PROBABILITY, "log_prob", "logprob", "sequence_score", "cumulative_logprob")
#: The source sentence.
SOURCE_NAMES = ("source", "src", "input", "source_text", "prompt")
#: The candidates of a sentence.
LIST_NAMES = (
    *("candidates", "hypotheses", "translations", "n_best", "nbest", "outputs", "predictions", "sequences"),
    *("alternatives", "choices"),
)
#: Their scores, in a list beside them.
SCORES_NAMES = ("scores", "sequences_scores", "log_probs", "logprobs", "log_probabilities")
