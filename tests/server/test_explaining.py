"""/v1/explain: features that add up, alternatives that can be fixed, runners-up, neighbours."""

from __future__ import annotations

import functools

import pytest
from fastapi.testclient import TestClient
from graphmt.model import Derivation, FixedSpan, Model
from graphmt.server import alternatives, schemas
from small_models import Trained

TEXT = "Wir haben bei einer Bank gearbeitet."


def ask(client: TestClient, status: int = 200, **body: object) -> dict:
    answer = client.post("/v1/explain", json=body)
    assert answer.status_code == status, answer.text
    if status == 200:
        schemas.ExplainOut.model_validate(answer.json())
    return answer.json()


def question(model: str, demo: Trained) -> dict:
    return {"conllu": demo.trees()[0].conllu()} if model == "gbmt-ctx" else {"text": TEXT}


@pytest.mark.parametrize("model", ["hpb", "pbmt", "gbmt-ctx"])
def test_features_of_steps_add_up(client: TestClient, demo: Trained, model: str) -> None:
    found = ask(client, model=model, **question(model, demo))["translation"]
    for name, value in found["features"].items():
        parts = sum(step["features"].get(name, 0.0) for step in found["steps"]) + found["sentence_features"][name]
        assert parts == pytest.approx(value, abs=1e-4), name
    # What a rule of the table has is found in its step.
    for name in ("p_target_given_source", "lex_target_given_source", "word_penalty"):
        assert found["sentence_features"][name] == pytest.approx(0, abs=1e-4)
    total = sum(step["score"] for step in found["steps"]) + found["sentence_score"]
    assert total == pytest.approx(found["score"], abs=1e-3)


@pytest.mark.parametrize("model", ["hpb", "pbmt", "gbmt-ctx"])
def test_every_alternative_can_be_fixed(client: TestClient, demo: Trained, model: str) -> None:
    asked = question(model, demo)
    found = ask(client, model=model, alternatives=3, **asked)
    spans = [span for span in found["alternatives"] if span["fixable"] and len(span["options"]) > 1]
    assert spans
    for span in spans[:4]:
        other = next(one for one in span["options"] if not one["chosen"])
        fixed = [{"first": span["first"], "end": span["end"], "target": other["text"]}]
        again = ask(client, model=model, fixed=fixed, **asked)
        steps = again["translation"]["derivation"]["steps"]
        term = next(step for step in steps if step["kind"] == "term")
        assert term["positions"] == list(range(span["first"], span["end"]))
        assert [word.lower() for word in term["target"]] == other["target"]
        assert again["fixed"]["without"]["text"] == found["translation"]["text"]
        gain = sum(row["difference"] for row in again["fixed"]["differences"])
        assert gain == pytest.approx(again["translation"]["score"] - found["translation"]["score"], abs=1e-3)


@pytest.mark.parametrize("name", ["hpb", "dgst", "pbmt", "gbmt-ctx"])
def test_fixing_what_was_chosen_changes_no_score(demo: Trained, name: str) -> None:
    """The span keeps the scores of the rule, so that a translation with another choice can be compared."""
    model, checked = demo.load(name), 0
    for tree in demo.trees()[:6]:
        best = model.translate(tree)
        for step in best.derivation.steps:
            if step.kind not in ("basic", "rule") or step.children or not step.positions:
                continue
            first, end = step.positions[0], step.positions[-1] + 1
            if end - first > len(step.positions):
                continue
            again = model.with_fixed({0: [FixedSpan(first, end, " ".join(step.target))]}).translate(tree)
            assert again.tokens == best.tokens
            assert again.score == pytest.approx(best.score, abs=1e-3)
            assert {key: again.features[key] for key in best.features} == pytest.approx(best.features, abs=1e-3)
            assert any(one.kind == "term" for one in again.derivation.steps)
            checked += 1
    assert checked > 5


def test_the_tree_of_a_derivation_is_made_once(client: TestClient, monkeypatch) -> None:
    made = []
    real = Derivation.tree.func
    counting = functools.cached_property(lambda derivation: made.append(id(derivation)) or real(derivation))
    counting.__set_name__(Derivation, "tree")
    monkeypatch.setattr(Derivation, "tree", counting)
    found = ask(client, text=TEXT, model="hpb")
    # For the best translation, the others that are listed, and the runners-up.
    most = 1 + len(found["others"]) + len(found["translation"]["steps"])
    assert 0 < len(made) == len(set(made)) <= most


def test_the_chosen_option_is_marked(client: TestClient) -> None:
    for model in ("hpb", "pbmt"):
        found = ask(client, text=TEXT, model=model, alternatives=5)
        steps = found["translation"]["derivation"]["steps"]
        for step in steps:
            if step["positions"] and not step["children"]:
                [span] = [one for one in found["alternatives"] if one["positions"] == step["positions"]]
                chosen = [one["target"] for one in span["options"] if one["chosen"]]
                assert chosen == [step["target"]]


@pytest.mark.parametrize("model", ["hpb", "pbmt", "gbmt-ctx"])
def test_one_span_only(client: TestClient, demo: Trained, model: str) -> None:
    asked = question(model, demo)
    everything = ask(client, model=model, alternatives=5, **asked)["alternatives"]
    for span in everything[::3]:
        bounds = span["first"], span["end"]
        same = [one for one in everything if (one["first"], one["end"]) == bounds]
        assert ask(client, model=model, span=bounds, **asked)["alternatives"] == same


def test_the_words_of_a_span(client: TestClient) -> None:
    [found] = ask(client, text=TEXT, span=[4, 5])["alternatives"]
    assert {"bank", "bench"} <= {one["text"] for one in found["options"]}


def test_alternatives_are_work_only_if_they_are_asked_for(client: TestClient, monkeypatch) -> None:
    """Listing the options of a sentence takes longer than translating it."""
    calls = []
    real = alternatives.n_best_with_options
    monkeypatch.setattr(alternatives, "n_best_with_options", lambda *given: calls.append(given) or real(*given))
    assert ask(client, text=TEXT)["alternatives"] == [] and not calls
    assert ask(client, text=TEXT, span=[4, 5])["alternatives"] and len(calls) == 1


def test_explaining_is_one_search(client: TestClient, monkeypatch) -> None:
    searches = []
    real = Model.n_best_prepared
    monkeypatch.setattr(Model, "n_best_prepared", lambda *given, **how: searches.append(given) or real(*given, **how))
    ask(client, text=TEXT, model="hpb")
    assert len(searches) == 1


def test_runners_up_do_without_the_rule(client: TestClient) -> None:
    found = ask(client, text=TEXT, model="pbmt")["translation"]
    seen = 0
    for step, scored in zip(found["derivation"]["steps"], found["steps"], strict=True):
        other = scored["runner_up"]
        if other is None:
            continue
        seen += 1
        assert other["score"] <= found["score"] + 1e-4
        assert all((one["positions"], one["target"]) != (step["positions"], step["target"]) for one in other["steps"])
        gain = sum(row["difference"] for row in other["differences"])
        assert gain == pytest.approx(found["score"] - other["score"], abs=1e-3)
        sizes = [abs(row["difference"]) for row in other["differences"]]
        assert sizes == sorted(sizes, reverse=True)
    assert seen


def test_the_graph_of_the_source(client: TestClient, demo: Trained) -> None:
    tree = demo.trees()[0]
    found = ask(client, conllu=tree.conllu(), model="gbmt-ctx")
    assert found["source"]["deprels"] == list(tree.deprels)
    links = {tuple(sorted(link)) for link in found["links"]}
    dependencies = {tuple(sorted((k, head))) for k, head in enumerate(tree.heads) if head >= 0}
    assert dependencies <= links
    assert {(k, k + 1) for k in range(len(tree.heads) - 1)} <= links


def test_neighbours_of_the_memory(client: TestClient) -> None:
    found = ask(client, text="Er schläft nicht .", tokenised=True, model="remembering")
    assert [one["source"] for one in found["neighbours"]] == ["Sie schläft nicht ."]
    assert found["neighbours"][0]["similarity"] == 0.75
    # Raw text is tokenised before it is compared.
    assert ask(client, text="Er schläft nicht.", model="remembering")["neighbours"] == found["neighbours"]
    assert ask(client, text=TEXT)["neighbours"] is None


def test_one_sentence_only(client: TestClient, demo: Trained) -> None:
    trees = "".join(tree.conllu() for tree in demo.trees()[:2])
    assert "one is explained" in ask(client, 422, conllu=trees, model="gbmt-ctx")["error"]
    assert "51 words" in ask(client, 422, text="a " * 51)["error"]
    # A text with two sentences is taken as one.
    assert ask(client, text="Er schläft. Er schläft.")["source"]["tokens"].count("schläft") == 2
    ask(client, 422, text=" ")
