"""LibreTranslate's routes: its published clients, its parameters, its errors."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient
from graphmt.server import libre_schemas as schemas
from graphmt.server.libre import _fields, _json_object
from graphmt.server.refusals import Refused

HE = {"source": "de", "target": "en"}


def test_libretranslatepy(address: str) -> None:
    api = pytest.importorskip("libretranslatepy", reason="needs libretranslatepy").LibreTranslateAPI(address)
    assert api.translate("Er schläft.", "de", "en") == "He is sleeping."
    assert api.detect("Er schläft nicht.")[0]["language"] == "de"
    assert {one["code"] for one in api.languages()} == {"de", "en"}


def test_deep_translator(address: str) -> None:
    deep = pytest.importorskip("deep_translator", reason="needs deep-translator")
    client = deep.LibreTranslator(source="de", target="en", api_key="any", custom_url=address)
    assert client.translate("Er schläft.") == "He is sleeping."
    assert client.translate_batch(["Er schläft.", "Er schläft."]) == ["He is sleeping."] * 2


def test_the_npm_client(address: str) -> None:
    """The package libretranslate of npm, if it is installed where node looks for it (NODE_PATH)."""
    if shutil.which("node") is None:
        pytest.skip("needs node")
    script = """
    const client = require("libretranslate");
    const asked = {query: "Er schläft.", source: "auto", target: "en", apiurl: process.argv[1].replace(/[/]$/, "")};
    client.translate(asked).then((text) => console.log(text));
    """
    done = subprocess.run(["node", "-e", script, address], capture_output=True, text=True, check=False, timeout=60)
    if "Cannot find module" in done.stderr:
        pytest.skip("needs the npm package libretranslate (npm install libretranslate, and NODE_PATH)")
    assert (done.stdout, done.stderr) == ("He is sleeping.\n", "")


@pytest.mark.parametrize("how", ["json", "data", "params"])
def test_parameters_in_json_form_and_query(client: TestClient, how: str) -> None:
    answer = client.post("/translate", **{how: {"q": "Er schläft.", **HE}})
    assert answer.json() == {"translatedText": "He is sleeping."}


def test_lists_alternatives_and_detection(client: TestClient) -> None:
    asked = {"q": ["Er schläft. Er schläft.", "", "Bank"], "source": "auto", "target": "en", "alternatives": 2}
    answer = client.post("/translate", json=asked).json()
    schemas.LibreTranslateOut.model_validate(answer)
    assert answer["translatedText"][:2] == ["He is sleeping. He is sleeping.", ""]
    assert len(answer["translatedText"]) == len(answer["alternatives"]) == len(answer["detectedLanguage"]) == 3
    assert 1 <= len(answer["alternatives"][0]) <= 2
    assert answer["translatedText"][0] not in answer["alternatives"][0]
    assert answer["detectedLanguage"][0]["language"] == "de"
    assert 50 < answer["detectedLanguage"][0]["confidence"] <= 100


def test_html(client: TestClient) -> None:
    text = '<p class="a">Er <b>schläft</b>.</p>\n<!-- nicht --><p>Er schläft &amp; schläft.</p>'
    made = client.post("/translate", json={"q": text, "format": "html", **HE}).json()["translatedText"]
    for piece in ('<p class="a">', "<b>", "</b>", "<!-- nicht -->", "&amp;"):
        assert made.count(piece) == 1, made
    assert "sleeping" in made.replace("<b>", "").replace("</b>", "")


def test_the_same_language_is_left_alone(client: TestClient) -> None:
    made = client.post("/translate", json={"q": "He sleeps.", "source": "en", "target": "en"})
    assert made.json() == {"translatedText": "He sleeps."}
    made = client.post("/translate", json={"q": "Er schläft.", "source": "de-AT", "target": "EN"})
    assert made.json() == {"translatedText": "He is sleeping."}


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({}, "missing parameter: q"),
        ({"q": "a"}, "missing parameter: source"),
        ({"q": "a", "source": "de"}, "missing parameter: target"),
        ({"q": "a", "source": "xx", "target": "en"}, "xx is not supported"),
        ({"q": "a", "source": "de", "target": "xx"}, "xx is not supported"),
        ({"q": "a", "source": "en", "target": "de"}, "de is not available"),
        ({"q": 5, **HE}, "q:"),
        ({"q": "a", "format": "pdf", **HE}, "format"),
        ({"q": "a", "alternatives": -1, **HE}, "alternatives"),
    ],
)
def test_errors(client: TestClient, asked: dict, word: str) -> None:
    answer = client.post("/translate", json=asked)
    assert answer.status_code == 400
    assert word in answer.json()["error"]


def test_the_fields_of_a_body_are_limited() -> None:
    names = {f"n{k}": 0 for k in range(10_001)}
    for read, body in ((_json_object, json.dumps(names)), (lambda body: _fields(body, "form"), urlencode(names))):
        with pytest.raises(Refused, match=r"more than 10,000 fields"):
            read(body.encode())


def test_detection_and_languages(client: TestClient) -> None:
    found = client.post("/detect", data={"q": "The man is not sleeping."}).json()
    assert [one["language"] for one in found] == ["en", "de"]
    assert sum(one["confidence"] for one in found) == pytest.approx(100, abs=0.2)
    assert {one["confidence"] for one in client.post("/detect", json={"q": "123"}).json()} == {0}
    assert client.get("/languages").json() == [
        {"code": "de", "name": "German", "targets": ["de", "en"]},
        {"code": "en", "name": "English", "targets": ["en"]},
    ]


def test_settings(client: TestClient) -> None:
    found = schemas.SettingsOut.model_validate(client.get("/frontend/settings").json())
    assert found.language["target"] == {"code": "en", "name": "English"}
    assert not found.keyRequired
    assert ".po" in found.supportedFilesFormat
    assert client.post("/suggest").status_code == 403


def upload(client: TestClient, name: str, data: bytes, status: int = 200, **more: str) -> str:
    answer = client.post("/translate_file", files={"file": (name, io.BytesIO(data))}, data={**HE, **more})
    assert answer.status_code == status, answer.text
    return answer.json()["translatedFileUrl"] if status == 200 else answer.json()["error"]


def test_files(client: TestClient) -> None:
    po = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Er schläft {name}."\nmsgstr ""\n'
    url = upload(client, "../../etc/to do.po", po.encode())
    assert url.startswith("http://testserver/download_file/")
    answer = client.get(url)
    assert answer.headers["content-disposition"] == 'attachment; filename="to_do_en.po"'
    assert b"{name}" in answer.content.split(b"msgstr")[2]
    assert b"sleeping" in answer.content
    text = client.get(upload(client, "a.txt", "Er schläft.\n\nEr schläft.".encode())).text
    assert text == "He is sleeping.\n\nHe is sleeping."


def test_files_that_are_refused(client: TestClient) -> None:
    assert "format" in upload(client, "a.exe", b"a", 400)
    assert "UTF-8" in upload(client, "a.txt", b"\xff", 400)
    assert "format" in upload(client, "a.properties", b"a=b", 400)
    for data in (b"menu.a=b\nmenu.c=d\nmenu.e=f\n", b"<?xml version='1.0'?><a/>", b"PK\x03\x04"):
        assert "plain text, one sentence a line, was expected" in upload(client, "a.txt", data, 400)
    assert upload(client, "a.po", b"msgid broken", 400)
    french = b'msgid ""\nmsgstr "Language: fr\\n"\n\nmsgid "a"\nmsgstr ""\n'
    assert "its language is fr, but the model translates de into en" in upload(client, "a.po", french, 400)
    assert upload(client, "a.xliff", b"<broken", 400)
    assert "xx" in upload(client, "a.txt", b"a", 400, target="xx")
    assert client.post("/translate_file", data=HE).json()["error"] == "missing parameter: file."


@pytest.mark.parametrize(
    "name", ["a", "..%2f..%2fetc%2fpasswd", "0" * 32, "0" * 32 + ".po", "%00", "/etc/passwd", "a/../../b"]
)
def test_no_file_can_be_read(client: TestClient, name: str) -> None:
    answer = client.get(f"/download_file/{name}")
    assert answer.status_code == 404
    assert "root:" not in answer.text
