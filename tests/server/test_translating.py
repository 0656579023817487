"""/v1/translate and /v1/models: the same translations as from Python, in the documented shape."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from graphmt.server import schemas
from small_models import Trained

TEXT = "Wir haben bei einer Bank gearbeitet."


def ask(client: TestClient, status: int = 200, **body: object) -> dict:
    answer = client.post("/v1/translate", json=body)
    assert answer.status_code == status, answer.text
    if status == 200:
        schemas.TranslateOut.model_validate(answer.json())
    return answer.json()


def test_raw_text_is_tokenised_for_models_of_tokens_and_detokenised(client: TestClient, demo: Trained) -> None:
    made = ask(client, text=TEXT, model="hpb")
    best = demo.load("hpb").translate("Wir haben bei einer Bank gearbeitet .")
    assert made["sentences"][0]["translations"][0]["tokens"] == list(best.tokens)
    assert made["translation"] == best.text.replace(" .", ".")


def test_tokens_are_translated_as_by_the_command(client: TestClient, demo: Trained) -> None:
    sentences = demo.texts()[:6]
    made = ask(client, text=sentences, tokenised=True, n_best=3)
    lists = demo.load("hpb").n_best(sentences, 3, distinct=True)
    assert made["translation"] == [best[0].text for best in lists]
    for own, best in zip(made["sentences"], lists, strict=True):
        assert [one["text"] for one in own["translations"]] == [one.text for one in best]
        assert [one["score"] for one in own["translations"]] == [one.score for one in best]
        assert [[tuple(link) for link in one["alignment"]] for one in own["translations"]] == [
            list(one.alignment) for one in best
        ]


def test_a_text_keeps_its_lines_and_spaces(client: TestClient) -> None:
    made = ask(client, text="  Er schläft. Er schläft.\n\n\tEr schläft.\n")
    assert made["translation"] == "  He is sleeping. He is sleeping.\n\n\tHe is sleeping.\n"
    assert len(made["sentences"]) == 3
    assert ask(client, text=" \n ")["translation"] == " \n "
    assert ask(client, text=[""])["translation"] == [""]


def test_protected_text_survives_a_model_without_protection(client: TestClient) -> None:
    text = "Er schläft {name} bei <b>https://example.org/a?b=c</b> %d mal."
    made = ask(client, text=text)["translation"]
    for item in ("{name}", "<b>", "</b>", "https://example.org/a?b=c", "%d"):
        assert made.count(item) == 1, made


def test_trees(client: TestClient, demo: Trained) -> None:
    trees = demo.trees()[:4]
    made = ask(client, conllu="".join(tree.conllu() for tree in trees), model="gbmt-ctx", derivations=["json", "svg"])
    best = demo.load("gbmt-ctx").translate(trees)
    assert made["translation"] == [one.text for one in best]
    first = made["sentences"][0]
    assert first["source"]["heads"] == list(trees[0].heads)
    shown = first["translations"][0]
    assert shown["svg"].startswith("<svg")
    steps = shown["derivation"]["steps"]
    assert [(tuple(step["positions"]), step["kind"]) for step in steps] == [
        (step.positions, step.kind) for step in best[0].derivation.steps
    ]
    assert all("→" in step["rule"] for step in steps)
    # Text needs a parser, which these models do not have.
    assert "parser" in ask(client, 422, text=TEXT, model="gbmt-ctx")["error"]


def test_a_malformed_tree_names_no_file(client: TestClient) -> None:
    made = ask(client, 422, conllu="1\ta\tb\n\n", model="gbmt-ctx")
    assert "/" not in made["error"]


def test_glossary_and_fixed_spans(client: TestClient) -> None:
    term = {"source": "Bank", "target": "riverside", "usage": "required"}
    assert ask(client, text=TEXT, glossary=[term])["translation"] == "We worked for a riverside."
    fixed = [{"sentence": 1, "first": 4, "end": 5, "target": "riverside"}]
    made = ask(client, text=f"{TEXT} {TEXT}", fixed=fixed, derivations=["json"])
    assert made["translation"].count("riverside") == 1
    kinds = [step["kind"] for step in made["sentences"][1]["translations"][0]["derivation"]["steps"]]
    assert "term" in kinds
    both = ask(client, text=TEXT, glossary=[term], fixed=[{"first": 4, "end": 5, "target": "bank"}])
    assert "riverside" not in both["translation"]
    assert "there are 1 sentences" in ask(client, 422, text=TEXT, fixed=fixed)["error"]
    wrong = [{"first": 4, "end": 90, "target": "x"}]
    assert "not in the sentence" in ask(client, 422, text=TEXT, fixed=wrong)["error"]


def test_confidence(client: TestClient) -> None:
    known, unknown = ask(client, text=["Er schläft .", "Er qwertz ."], confidence=True)["sentences"]
    assert known["confidence"]["unknown"] == 0
    assert unknown["confidence"]["unknown"] == pytest.approx(1 / 3)
    for one in (known, unknown):
        sure = one["confidence"]
        assert 0 < sure["posterior"] <= 1
        assert sure["value"] == pytest.approx(sure["posterior"] * (1 - sure["unknown"]))
        assert len(one["translations"]) == 1


def test_memory(client: TestClient) -> None:
    made = ask(client, text=["Er schläft .", "Er schläft nicht ."], tokenised=True, model="remembering")
    assert made["translation"][0] == "He is fast asleep ."
    taken, similar = (one["translations"][0]["memory"] for one in made["sentences"])
    assert taken["taken"] is True
    assert similar is None or similar["taken"] is False
    without = ask(client, text=["Er schläft ."], tokenised=True, model="remembering", memory=False)
    assert without["translation"] == ["He is sleeping ."]


def test_terms_and_fixed_spans_win_over_the_memory(client: TestClient) -> None:
    def matches(text: list[str], **more: object) -> list[tuple[str, bool, str | None]]:
        made = ask(client, text=text, tokenised=True, model="remembering", **more)
        best = [one["translations"][0] for one in made["sentences"]]
        return [(one["text"], one["memory"]["taken"], one["memory"]["contradicts"]) for one in best]

    term = {"source": "schläft", "target": "slumbers"}
    wanted = [("He slumbers .", False, "schläft → slumbers")]
    assert matches(["Er schläft ."], glossary=[term]) == wanted
    # A choice in one sentence says nothing about the others.
    fixed = [{"sentence": 1, "first": 1, "end": 2, "target": "slumbers"}]
    wanted = [("He is fast asleep .", True, None), ("He slumbers .", False, None)]
    assert matches(["Er schläft .", "Er schläft ."], fixed=fixed) == wanted
    asked = {"text": "Er schläft .", "tokenised": True, "model": "remembering", "glossary": [term]}
    found = client.post("/v1/explain", json=asked).json()
    assert found["translation"]["text"] == "He slumbers ."
    assert (found["memory"]["taken"], found["memory"]["contradicts"]) == (False, "schläft → slumbers")


def test_models(client: TestClient) -> None:
    answer = client.get("/v1/models")
    found = schemas.ModelsOut.model_validate(answer.json()).models
    assert [one.name for one in found] == ["hpb", "pbmt", "gbmt-ctx", "remembering"]
    assert found[0].chart and not found[1].chart
    assert found[2].input == ["conllu"]
    assert found[3].memory == 2
    assert (found[0].source, found[0].target) == ("de", "en")
    assert len({one.version for one in found}) == 3


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({}, "one of text and conllu"),
        ({"text": "a", "conllu": "b"}, "one of text and conllu"),
        ({"text": "a", "n_best": 0}, "n_best"),
        ({"text": "a", "n_best": 21}, "at most 20"),
        ({"text": "a", "nbest": 2}, "nbest"),
        ({"text": "a " * 51}, "51 words"),
        ({"text": ["a"] * 21}, "21 sentences"),
        ({"text": "Abc. " * 21}, "21 sentences"),
        ({"text": "a", "consensus": True}, "no consensus"),
        ({"text": "a", "glossary": [{"source": " ", "target": "x"}]}, "empty"),
    ],
)
def test_what_cannot_be_processed(client: TestClient, body: dict, word: str) -> None:
    answer = client.post("/v1/translate", json=body)
    assert answer.status_code == 422
    assert word in answer.json()["error"]


def test_an_unknown_model(client: TestClient) -> None:
    assert "hpb" in ask(client, 404, text="a", model="nowhere")["hint"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"a"', b"\xff", b'{"text": "\\ud800"}', b"[" * 5000])
def test_a_malformed_body(client: TestClient, body: bytes) -> None:
    answer = client.post("/v1/translate", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422), answer.text
    assert answer.json()["error"]
