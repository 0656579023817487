"""Re-ranking as a whole: tuned and untuned, by each method, saved and loaded, explained."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import graphmt
import numpy as np
import pytest
import small_lists
from graphmt.consensus import (
    Candidates,
    DevSet,
    NBestList,
    Outputs,
    Reranker,
    RerankOptions,
    explain,
    learn,
    make_memory,
    read_memory,
    rerank,
    rerank_files,
)
from graphmt.consensus import memory as memories
from graphmt.consensus.candidates import feature_names
from graphmt.consensus.learning import ANCHORS, SCALES, best_scale, is_log_probability
from graphmt.consensus.reranker import anchored, direct
from graphmt.errors import InputError, OptionError
from graphmt.tune import corpus_bleu

MEMORY = small_lists.sentences(150, 1)
DEV, TEST = small_lists.sentences(40, 2), small_lists.sentences(40, 3)
DEV_LISTS, TEST_LISTS = small_lists.lists(DEV, 4), small_lists.lists(TEST, 5)
ALL = [NBestList.of(number, own) for number, own in enumerate(TEST_LISTS)]


def made(options: RerankOptions, lists: list[NBestList] | None = None) -> Candidates:
    return Candidates([source for source, _ in TEST], lists or ALL, make_memory(MEMORY, options), options)


def bleu(texts: list[str], pairs: list[tuple[str, str]]) -> float:
    return corpus_bleu(texts, [[target] for _, target in pairs])


def test_the_memory_corrects_the_model_after_tuning() -> None:
    dev = DevSet([source for source, _ in DEV], DEV_LISTS, [target for _, target in DEV])
    before = bleu([own[0][0] for own in TEST_LISTS], TEST)
    found = graphmt.rerank(
        [source for source, _ in TEST], TEST_LISTS, None, MEMORY, RerankOptions(features="gc,lc"), dev=dev
    )
    assert before < 90 and bleu([one.best for one in found], TEST) > 99
    assert all(sorted(one.places) == [0, 1, 2] and list(one.scores) == sorted(one.scores)[::-1] for one in found)


@pytest.mark.parametrize("options", [{}, {"method": "struct-lp"}, {"normalise": "plain"}, {"features": "gc"}])
def test_without_tuning_it_helps_too(options: dict[str, str]) -> None:
    found = rerank([source for source, _ in TEST], TEST_LISTS, None, MEMORY, RerankOptions(**options))  # type: ignore[arg-type]
    assert bleu([one.best for one in found], TEST) > bleu([own[0][0] for own in TEST_LISTS], TEST) + 5


def test_formula_8_hears_nothing_from_a_single_translation() -> None:
    """As printed it gives every candidate with a common n-gram the same: why another normalisation is the default."""
    options = RerankOptions(normalise="neighbour", between=False)
    candidates = made(options)
    values = candidates.propagated(candidates.graph, candidates.posterior(candidates.scores, 1.0))
    assert values[:, 0] == pytest.approx(np.ones(len(values)), abs=1e-6)


def test_none_leaves_the_order_and_mbr_needs_no_memory() -> None:
    sources = [source for source, _ in TEST]
    assert all(one.places[0] == 0 for one in rerank(sources, TEST_LISTS, None, None, RerankOptions(method="none")))
    for gain in ("bleu", "chrf"):
        found = rerank(sources, TEST_LISTS, None, None, RerankOptions(method=f"mbr-{gain}", scale=0.0))
        # With equal posteriors the reference is between the two others.
        assert bleu([one.best for one in found], TEST) > 99


@pytest.mark.parametrize(("size", "least"), [(8.0, 0.25), (0.1, 8.0)])
def test_small_scores_are_scaled_up_until_that_helps_no_more(size: float, least: float) -> None:
    """The first of each list is right, the others are like one another: MBR takes one where posteriors are flat."""
    options = RerankOptions(method="mbr-bleu")
    lists = []
    for number, (_, target) in enumerate(TEST):
        others = [f"x y z v {word}" for word in ("a", "b", "c")]
        texts = [(target, 0.0), *((text, -size * (1 + number % 8)) for text in others)]
        lists.append(NBestList.of(number, [(text, {"score": score, "length": 1.0}) for text, score in texts]))
    found = learn(made(options, lists), [[target] for _, target in TEST], options)
    assert found.scale >= least and found.bleu[-1] > 99
    assert learn(made(options, lists), [[target] for _, target in TEST], options.replace(scale=0.1)).scale == 0.1


def test_gc_and_lc_alone_are_only_these_beside_the_lists_own() -> None:
    assert feature_names("gc") == ("gc1", "gc2", "gc3", "gc4", "gc-none")
    assert feature_names("lc") == ("lc1", "lc2", "lc3", "lc4")
    assert feature_names("gc+lc") == feature_names("gc") + feature_names("lc") and feature_names("none") == ()
    options = RerankOptions(features="gc")
    references = [[target] for _, target in TEST]
    assert set(learn(made(options), references, options).stages[-1]) == {"score", "length", *feature_names("gc")}


def test_features_of_sentences_without_neighbours_are_the_floor() -> None:
    options = RerankOptions(floor=0.01, features="gc")
    lists = [NBestList.of(0, [("x", {"score": s, "length": 1.0}) for s in (0.0, -1.0)]), ALL[1]]
    candidates = Candidates(["ganz anders", TEST[1][0]], lists, make_memory(MEMORY, options), options)
    values = candidates.consensus(candidates.posterior(candidates.scores, 1.0))
    assert values[:2] == pytest.approx(np.array([[np.log(0.01)] * 4 + [1.0]] * 2))
    assert (values[2:, 0] > np.log(0.01)).all() and (values[2:, 4] < 1.0).all()


def test_per_sentence_graphs_rank_as_the_joint_graph() -> None:
    options = RerankOptions(tolerance=0.0, rounds=6)
    joint, each = (made(options.replace(per_sentence=way)) for way in (False, True))
    posterior = joint.posterior(joint.scores, 1.0)
    assert (joint.consensus(posterior) == each.consensus(posterior)).all()
    links = joint.graph.links()
    assert not links.in_memory.all(), "no edge between sentences of the input was tried"


def test_a_saved_reranker_ranks_the_same(tmp_path: Path) -> None:
    options = RerankOptions(alternations=3, features="gc,lc", score="score")
    references = [[target] for _, target in DEV]
    dev = Candidates(
        [source for source, _ in DEV],
        [NBestList.of(number, own) for number, own in enumerate(DEV_LISTS)],
        make_memory(MEMORY, options),
        options,
    )
    tuned = learn(dev, references, options)
    assert 2 <= len(tuned.stages) <= 4 and len(tuned.bleu) == len(tuned.stages)
    assert tuned.bleu[-1] == max(tuned.bleu)
    tuned.save(tmp_path / "r.json")
    again = Reranker.load(tmp_path / "r.json", threads=1)
    assert dataclasses.replace(again, options=tuned.options) == tuned and again.options.threads == 1
    assert (again.rank(made(options)).scores == tuned.rank(made(options)).scores).all()
    # The development set itself: what rank gives is what tuning saw.
    assert bleu(dev.best(tuned.rank(dev).scores), DEV) == pytest.approx(tuned.bleu[-1], abs=1e-9)


def test_lists_with_other_columns_are_refused() -> None:
    with pytest.raises(InputError, match="sentence 7 has the columns score, the others have score, length"):
        Candidates(["a", "b"], [ALL[0], NBestList.of(7, [("x", 0.0)])], None, RerankOptions())


def test_what_is_no_reranker_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    for text in ("", "{}", '{"graphmt reranker": 1, "options": {}, "features": [], "stages": []}'):
        path.write_text(text)
        with pytest.raises(InputError, match="not a re-ranker"):
            Reranker.load(path)
    Reranker.untuned(("score", "other"), RerankOptions(features="gc")).save(path)
    whole = path.read_text()
    for wrong in (("other", "othre"), ("gc4", "gc5"), ('"other": 0.0,', '"other": NaN,'), ('"gc"', '"gc+lc"')):
        assert wrong[0] in whole
        path.write_text(whole.replace(wrong[0], wrong[1], 1))
        with pytest.raises(InputError, match="not a re-ranker"):
            Reranker.load(path)
    path.write_text('{"graphmt reranker": 99}')
    with pytest.raises(InputError, match="version 99"):
        Reranker.load(path)
    tuned = Reranker.untuned(("score", "other"), RerankOptions())
    with pytest.raises(InputError, match="tuned on score, other"):
        tuned.rank(made(RerankOptions()))
    with pytest.raises(OptionError, match=r"no column 'lenght' \(did you mean 'length'"):
        made(RerankOptions(score="lenght"))


def test_voices_sum_up_to_what_was_said() -> None:
    options = RerankOptions()
    candidates = made(options)
    posterior = candidates.posterior(candidates.scores, 1.0)
    values = candidates.propagated(candidates.graph, posterior)
    said = candidates.graph.support(values, 0, 1)
    once_more = options.replace(rounds=options.rounds + 1, tolerance=0.0)
    again = candidates.graph.propagate(posterior, once_more).values
    assert np.sum([one.added for one in said], axis=0) == pytest.approx(again[1], abs=1e-4)
    reranker = Reranker.untuned(candidates.features, options)
    scores = reranker.rank(candidates).scores
    told = list(explain(candidates, reranker, scores, most=1000))
    assert [one.chosen for one in told] == candidates.best(scores)
    for one in told:
        assert sum(one.share for one in one.support) == pytest.approx(1.0)
        assert 1 <= one.neighbours <= len(one.support) and one.source == TEST[one.sentence][0]
        assert all(0.3 <= one.similarity <= 1 for one in one.support)
    assert any(one.changed for one in told)


def test_files_in_chunks_and_whole_give_the_same(tmp_path: Path) -> None:
    small_lists.write(tmp_path, "test", TEST, TEST_LISTS)
    memory = make_memory(MEMORY)
    texts = []
    for chunk in (7, 10_000):
        options = RerankOptions(chunk=chunk, between=False)
        out = Outputs(tmp_path / f"{chunk}.txt", explain=tmp_path / f"{chunk}.jsonl")
        done = rerank_files(tmp_path / "test.nbest", tmp_path / "test.de", memory, options, out)
        assert (done.sentences, done.candidates, done.with_neighbours) == (40, 120, 40) and done.changed > 5
        texts.append((tmp_path / f"{chunk}.txt").read_text())
        told = [json.loads(line) for line in (tmp_path / f"{chunk}.jsonl").read_text().splitlines()]
        assert [one["sentence"] for one in told] == list(range(40))
        assert [one["chosen"] for one in told] == texts[-1].splitlines()
    assert texts[0] == texts[1]


@pytest.mark.parametrize(("lines", "said"), [(39, "39 sentences, but more n-best lists"), (41, "more sentences")])
def test_another_number_of_sources_is_refused_and_nothing_is_left(tmp_path: Path, lines: int, said: str) -> None:
    small_lists.write(tmp_path, "test", (TEST + TEST)[:lines], TEST_LISTS)
    with pytest.raises(InputError, match=said):
        rerank_files(
            tmp_path / "test.nbest",
            tmp_path / "test.de",
            make_memory(MEMORY),
            RerankOptions(chunk=10),
            Outputs(tmp_path / "out"),
        )
    assert not (tmp_path / "out").exists() and sorted(p.name for p in tmp_path.iterdir()) == [
        "test.de",
        "test.en",
        "test.nbest",
    ]


def test_raw_text_is_split_first() -> None:
    lists = [[("A man sleeps, now.", -1.0), ("A man sleeps now!", -0.5)]]
    options = RerankOptions(tokenise=True, source_language="de", lowercase=True, normalised="no")
    found = rerank(["Ein Mann schläft."], lists, None, [("ein Mann schläft.", "a man sleeps, now.")], options)
    assert found[0].best == "A man sleeps, now."


def test_trees_are_read_with_splitting_too(tmp_path: Path) -> None:
    words = TEST[0][0].split()
    rows = [f"{k}\t{word}" + "\t_" * 4 + f"\t{k - 1}\t_\t_\t_\n" for k, word in enumerate(words, 1)]
    (tmp_path / "one.conllu").write_text("".join(rows) + "\n", "utf-8")
    (tmp_path / "one.de").write_text(TEST[0][0] + "\n", "utf-8")
    small_lists.write(tmp_path, "one", TEST[:1], TEST_LISTS[:1])
    options = RerankOptions(tokenise=True, source_language="de")
    memory = make_memory(MEMORY, options)
    told = []
    for source in ("one.de", "one.conllu"):
        out = Outputs(tmp_path / "out", explain=tmp_path / "why")
        done = rerank_files(tmp_path / "one.nbest", tmp_path / source, memory, options, out)
        assert done.with_neighbours == 1
        told.append((tmp_path / "why").read_text("utf-8"))
    assert told[0] == told[1]


def test_processes_split_a_large_memory_as_one_does() -> None:
    pairs = [(f"Ein Haus, {number}.", f"A house, {number}.") for number in range(memories.CHUNK + 500)]
    options = RerankOptions(tokenise=True, source_language="de")
    one, two = (make_memory(pairs, options, processes=processes) for processes in (1, 2))
    assert one.entries(0, len(pairs)) == two.entries(0, len(pairs))
    assert one.entries(0, 1)[0].source == "Ein Haus , 0 ."


def test_options_of_a_reranker_cannot_be_changed_beside_it(tmp_path: Path) -> None:
    Reranker.untuned(("score",), RerankOptions(features="gc", scale=2.0)).save(tmp_path / "r.json")
    assert Reranker.load(tmp_path / "r.json", features="gc", scale=2, chunk=7).options.chunk == 7
    with pytest.raises(OptionError, match=r"another --features, --source-language\. Leave"):
        Reranker.load(tmp_path / "r.json", features="gc+lc", scale=2.0, **{"source-language": "de"})


def test_columns_of_the_names_of_ours_are_refused() -> None:
    lists = [NBestList.of(0, [("a", {"score": 1.0, "gc1": 2.0})])]
    options = RerankOptions()
    with pytest.raises(InputError, match="the lists have the columns gc1"):
        rerank(["a"], lists, None, MEMORY, options)
    with pytest.raises(InputError, match="the lists have the columns gc1"):
        learn(Candidates(["a"], lists, None, options), [["a"]], options)
    assert rerank(["a"], lists, None, MEMORY, RerankOptions(method="none"))[0].best == "a"


def test_nothing_is_no_list() -> None:
    with pytest.raises(InputError, match="sentence 1 has no candidates"):
        rerank(["a", "b"], [[("a", 0.0)], []], None, MEMORY)


def test_an_empty_memory_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.tsv").touch()
    with pytest.raises(InputError, match=r"m\.tsv: the translation memory is empty"):
        read_memory([tmp_path / "m.tsv"])


def test_ties_are_broken_by_the_order_of_the_list() -> None:
    """Formula (8) as printed: T_l of a candidate sums to 1 over the neighbour's labels, so with equal labels all tie.

    The sums are added up from different similarities, which rounding alone tells apart.
    """
    memory = make_memory([("a b c d e", label) for label in ("x y z u", "x y w v s", "x z u w v s t")])
    texts = ["x", "x y", "x y z", "y z u w", "x w v s", "x z u w v s t", "x y w", "u x z y s w", "x v y u t s r q"]
    options = RerankOptions(method="struct-lp", normalise="neighbour", threads=1)
    for order in (texts, texts[::-1]):
        lists = [NBestList.of(0, [(text, -float(rank)) for rank, text in enumerate(order)])]
        candidates = Candidates(["a b c d f"], lists, memory, options)
        ranked = Reranker.untuned(candidates.features, options).rank(candidates)
        assert ranked.scores == pytest.approx([1 / 3] * len(texts), rel=1e-13)
        assert candidates.order(ranked.scores) == [list(range(len(texts)))]


def test_scores_that_differ_by_more_than_rounding_are_ranked() -> None:
    from graphmt.consensus.candidates import _ranked

    tiny = 1.0 + 2e-13
    assert _ranked(np.array([1.0, tiny, 2.0, 0.5, tiny, 1.0 + 1e-11])) == [2, 5, 0, 1, 4, 3]
    assert _ranked(np.array([-1.0, -tiny, 0.0, -0.0])) == [2, 3, 0, 1]
    assert _ranked(np.array([])) == []


def test_struct_lp_can_be_anchored_by_the_posterior(tmp_path: Path) -> None:
    options = RerankOptions(method="struct-lp", scale=1.0)
    candidates = made(options)
    posterior = candidates.posterior(candidates.scores, 1.0)
    plain = direct(candidates, posterior, options)
    for power in (0.5, 2.0):
        found = direct(candidates, posterior, options.replace(anchor=power))
        wanted = np.maximum(plain, options.floor) * posterior**power
        assert np.exp(found) == pytest.approx(wanted)
    assert (direct(candidates, posterior, options.replace(anchor=0.0)) == plain).all()
    assert (direct(candidates, posterior, options.replace(anchor=None)) == anchored(plain, posterior, 1.0, 1e-4)).all()
    # With a power that large only the posterior counts.
    strong = Reranker.untuned(candidates.features, options.replace(anchor=1e6)).rank(candidates)
    assert candidates.order(strong.scores) == candidates.order(candidates.scores)
    references = [[target] for _, target in TEST]
    tuned = learn(candidates, references, options.replace(anchor=None))
    assert tuned.options.anchor in ANCHORS
    assert tuned.bleu[-1] >= learn(candidates, references, options).bleu[-1]
    tuned.save(tmp_path / "r.json")
    assert (Reranker.load(tmp_path / "r.json").rank(candidates).scores == tuned.rank(candidates).scores).all()


def test_of_scales_within_the_noise_the_nearest_to_one_is_taken() -> None:
    bleu = {0.25: 40.0, 0.5: 41.9, 1.0: 42.0, 2.0: 42.15, 4.0: 42.1, 8.0: 41.0}
    for noise, wanted in ((0.0, 2.0), (0.1, 2.0), (0.2, 1.0)):
        assert best_scale(SCALES, bleu.__getitem__, lambda found: found, noise) == (wanted, bleu[wanted])
    candidates = made(RerankOptions())
    assert is_log_probability(candidates, "LogProb") and is_log_probability(candidates, "log_probability")
    assert not is_log_probability(candidates, "length")
