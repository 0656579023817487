"""Pairs of strings of a user interface, English and German, with placeholders, tags, addresses and numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

_TEMPLATES = [
    ("Open {n}", "{n} öffnen"),
    ("Delete {v}?", "{v} löschen?"),
    ("Could not open {v}.", "{v} konnte nicht geöffnet werden."),
    ("{d} files were deleted.", "{d} Dateien wurden gelöscht."),
    ("One file was deleted.", "Eine Datei wurde gelöscht."),
    ("Page {d} of {e}", "Seite {d} von {e}"),
    ("Click <b>{n}</b> to save the file.", "Klicken Sie auf <b>{n}</b>, um die Datei zu speichern."),
    ('Read the <a href="{u}">manual</a> first.', 'Lesen Sie zuerst das <a href="{u}">Handbuch</a>.'),
    ("Write to {m} for help.", "Schreiben Sie an {m}, um Hilfe zu erhalten."),
    ("The folder {v} is empty.", "Der Ordner {v} ist leer."),
    ('Save the file as "{v}"', "Die Datei als „{v}“ speichern"),
    ("Download version {d} from {u}", "Version {d} von {u} herunterladen"),
    ("Save the changes?", "Änderungen speichern?"),
    ("Welcome, {v}!", "Willkommen, {v}!"),
]
_NOUNS = [("File", "Datei"), ("Folder", "Ordner"), ("Settings", "Einstellungen"), ("Export", "Exportieren")]
_VARIABLES = ["%s", "{name}", "%(file)s", "${path}", "%1$s", "{{ user }}"]
_NUMBERS = ["%d", "5", "{count}", "12", "2.1.0"]
_URLS = ["https://example.org/help", "www.example.com"]
_ADDRESSES = ["help@example.org", "{address}"]


def pairs() -> Iterator[tuple[str, str]]:
    """All combinations of templates and fillers, a few times shortened."""
    for source, target in _TEMPLATES:
        choices = [
            _NOUNS if "{n}" in source else [("", "")],
            _VARIABLES if "{v}" in source else [""],
            _NUMBERS if "{d}" in source else [""],
            _NUMBERS[:3] if "{e}" in source else [""],
            _URLS if "{u}" in source else [""],
            _ADDRESSES if "{m}" in source else [""],
        ]
        for noun, *rest in itertools.product(*choices):
            values = dict(zip("vdeum", rest, strict=True))
            yield _filled(source, n=noun[0], **values), _filled(target, n=noun[1], **values)


def _filled(template: str, **values: str) -> str:
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", value)
    return template
