"""Odd input: an answer that is right, or a sentence; never status 500."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient
from graphmt.errors import InputError
from graphmt.server import ModelSource, ServeOptions, create_app
from graphmt.server.detect import LanguageDetector
from small_models import Trained

HE = {"source": "de", "target": "en"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
SLEEPS = {"translatedText": "He is sleeping."}


def post(client: TestClient, path: str, body: object):
    # The client's own encoder would refuse what clients in other languages send.
    return client.post(path, content=json.dumps(body).encode(), headers={"content-type": "application/json"})


@pytest.mark.parametrize(
    ("path", "body", "status", "place"),
    [
        ("/translate", {"q": "\ud800 Haus", **HE}, 400, "q"),
        ("/translate", {"q": ["Haus", "\udfff"], **HE}, 400, "q"),
        ("/translate", {"q": "<b>\ud800</b>", "format": "html", **HE}, 400, "q"),
        ("/translate", {"q": "Haus", "source": "\ud800", "target": "en"}, 400, "source"),
        ("/detect", {"q": "\ud800 Haus"}, 400, "q"),
        ("/v1/translate", {"text": "\ud800 Haus"}, 422, "text"),
        ("/v1/translate", {"text": "Haus", "glossary": [{"source": "\ud800", "target": "a"}]}, 422, "glossary"),
        ("/v1/explain", {"text": "\ud800 Haus"}, 422, "text"),
    ],
)
def test_half_of_a_surrogate_pair(client: TestClient, path: str, body: object, status: int, place: str) -> None:
    answer = post(client, path, body)
    assert answer.status_code == status
    assert answer.json()["error"].startswith(place) and "half of a surrogate pair" in answer.json()["error"]


def test_half_of_a_surrogate_pair_in_python(demo: Trained) -> None:
    with pytest.raises(InputError, match="sentence 2 is not text: character 5 is half of a surrogate pair"):
        demo.load("pbmt").translate(["das", "das \udc80"])


@pytest.mark.parametrize("control", ["\0", "\x07", "\x1b", "\x7f", "\t"])
def test_control_characters_separate_words(client: TestClient, control: str) -> None:
    answer = post(client, "/translate", {"q": f"das{control}Haus", **HE})
    assert answer.json() == {"translatedText": "the house"}


@pytest.mark.parametrize("number", ["9" * 5000, "0" * 5000 + "2"])
def test_a_plural_rule_with_a_huge_number(client: TestClient, number: str) -> None:
    header = f'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: nplurals={number};\\n"\n'
    entry = '\nmsgid "das Haus"\nmsgid_plural "die Bank"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    answer = client.post("/translate_file", files={"file": ("a.po", (header + entry).encode())}, data=HE)
    assert answer.status_code == 200, answer.text


def test_links_lead_to_the_server_whatever_the_request_says(client: TestClient, demo: Trained) -> None:
    def link(client: TestClient) -> str:
        files = {"file": ("a.txt", b"Haus")}
        answer = client.post("/translate_file", files=files, data=HE, headers={"host": "evil.example"})
        return str(answer.json()["translatedFileUrl"])

    assert link(client).startswith("http://testserver/download_file/")
    options = ServeOptions(reload_interval=0, url="https://mt.example.org/de/")
    with TestClient(create_app([ModelSource.parse(str(demo.models["pbmt"]))], options)) as behind_a_proxy:
        assert link(behind_a_proxy).startswith("https://mt.example.org/de/download_file/")


def test_a_long_word_is_counted_in_characters(client: TestClient) -> None:
    said = post(client, "/v1/translate", {"text": "x" * 2501}).json()["error"]
    assert said == "sentence 1 has 2,501 characters; at most 2,500 are translated."
    assert post(client, "/v1/translate", {"text": "x" * 2500}).status_code == 200


@pytest.mark.parametrize("text", ["Er schläft.", "Er schl%C3%A4ft.", "Er+schläft."])
def test_forms_and_queries_are_utf_8(client: TestClient, text: str) -> None:
    encoded = f"q={text}&source=de&target=en"
    assert client.post("/translate", content=encoded.encode(), headers=FORM).json() == SLEEPS
    assert client.post(f"/translate?{encoded}").json() == SLEEPS


def test_forms_of_other_encodings_are_refused(client: TestClient) -> None:
    answer = client.post("/translate", content="q=Er schläft.&source=de&target=en".encode("latin-1"), headers=FORM)
    assert (answer.status_code, answer.json()["error"]) == (400, "the form is not UTF-8.")
    answer = client.post("/translate?q=Er%20schl%E4ft.&source=de&target=en")
    assert (answer.status_code, answer.json()["error"]) == (400, "the query is not UTF-8.")


def test_several_texts_in_a_form(client: TestClient) -> None:
    answer = client.post("/translate", data={"q": ["Er schläft.", "Haus"], **HE})
    assert answer.json() == {"translatedText": ["He is sleeping.", "House"]}


def test_models_that_translate_no_text_are_left_to_others(demo: Trained, caplog) -> None:
    sources = [ModelSource("ctx", str(demo.models["gbmt-ctx"])), ModelSource("plain", str(demo.models["pbmt"]))]
    with TestClient(create_app(sources, ServeOptions(reload_interval=0))) as client:
        assert "ctx needs trees and has no parser" in caplog.text
        assert client.post("/translate", json={"q": "Er schläft.", **HE}).json() == SLEEPS
        assert client.post("/v1/translate", json={"text": "Er schläft."}).json()["model"] == "plain"
        trees = demo.trees()[0].conllu()
        assert client.post("/v1/translate", json={"conllu": trees}).json()["model"] == "ctx"
        assert {one["code"] for one in client.get("/languages").json()} == {"de", "en"}
    with TestClient(create_app(sources[:1], ServeOptions(reload_interval=0))) as client:
        assert client.get("/languages").json() == []
        assert client.post("/translate", json={"q": "Er schläft.", **HE}).status_code == 400


def test_detection_is_not_sure_of_languages_without_a_model(demo: Trained) -> None:
    english = "the a he she it sleeps is are was not house man woman with from and old new"
    words = {"de": " ".join(demo.texts()).split(), "en": english.split(), "he": ["שלום", "בית"]}
    detector = LanguageDetector(words)
    [language, share], *_ = detector.detect(demo.texts()[0])
    assert language == "de" and share > 0.9
    # The small vocabulary of another script fits no better than the others.
    spanish = dict(detector.detect("El perro duerme todo el día en nuestra casa ."))
    assert max(spanish.values()) < 0.5 and spanish["he"] < 0.01
    assert [share for _, share in detector.detect("Εκεί κάτω")] == [0, 0, 0]


def test_unknown_words_make_detection_less_sure() -> None:
    detector = LanguageDetector({"de": ["haus", "schläft"], "en": ["house", "sleeps"]})
    shares = [detector.detect("haus " * known + "qqxq " * (4 - known))[0][1] for known in range(5)]
    assert shares[0] == 0 and shares == sorted(set(shares)) and shares[4] == pytest.approx(1, abs=0.01)
