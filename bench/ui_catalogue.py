"""UI strings in English and German, made from templates: commands, questions, errors, progress, settings.

The order of words differs in most of them: German commands and clauses end in their verb. Names, placeholders, tags and
numbers occur as in real catalogues.
"""

from __future__ import annotations

import random
from typing import NamedTuple


class Noun(NamedTuple):
    """English singular and plural; German singular, genitive, plural and gender (``m``, ``f``, ``n``)."""

    en: str
    en_plural: str
    de: str
    de_genitive: str
    de_plural: str
    gender: str


class Verb(NamedTuple):
    """English infinitive, participle and gerund; German infinitive, participle and infinitive with ``zu``."""

    en: str
    en_participle: str
    en_gerund: str
    de: str
    de_participle: str
    de_zu: str


NOUNS = [
    Noun(*row.split("/"))
    for row in (
        "file/files/Datei/Datei/Dateien/f",
        "folder/folders/Ordner/Ordners/Ordner/m",
        "message/messages/Nachricht/Nachricht/Nachrichten/f",
        "account/accounts/Konto/Kontos/Konten/n",
        "image/images/Bild/Bildes/Bilder/n",
        "document/documents/Dokument/Dokuments/Dokumente/n",
        "page/pages/Seite/Seite/Seiten/f",
        "window/windows/Fenster/Fensters/Fenster/n",
        "project/projects/Projekt/Projekts/Projekte/n",
        "calendar/calendars/Kalender/Kalenders/Kalender/m",
        "contact/contacts/Kontakt/Kontakts/Kontakte/m",
        "event/events/Termin/Termins/Termine/m",
        "device/devices/Gerät/Geräts/Geräte/n",
        "backup/backups/Sicherung/Sicherung/Sicherungen/f",
        "language/languages/Sprache/Sprache/Sprachen/f",
        "filter/filters/Filter/Filters/Filter/m",
        "template/templates/Vorlage/Vorlage/Vorlagen/f",
        "table/tables/Tabelle/Tabelle/Tabellen/f",
        "column/columns/Spalte/Spalte/Spalten/f",
        "row/rows/Zeile/Zeile/Zeilen/f",
        "comment/comments/Kommentar/Kommentars/Kommentare/m",
        "attachment/attachments/Anhang/Anhangs/Anhänge/m",
        "bookmark/bookmarks/Lesezeichen/Lesezeichens/Lesezeichen/n",
        "extension/extensions/Erweiterung/Erweiterung/Erweiterungen/f",
        "certificate/certificates/Zertifikat/Zertifikats/Zertifikate/n",
        "database/databases/Datenbank/Datenbank/Datenbanken/f",
        "key/keys/Schlüssel/Schlüssels/Schlüssel/m",
        "report/reports/Bericht/Berichts/Berichte/m",
        "session/sessions/Sitzung/Sitzung/Sitzungen/f",
        "playlist/playlists/Wiedergabeliste/Wiedergabeliste/Wiedergabelisten/f",
        "layer/layers/Ebene/Ebene/Ebenen/f",
        "invoice/invoices/Rechnung/Rechnung/Rechnungen/f",
        "password/passwords/Passwort/Passworts/Passwörter/n",
        "group/groups/Gruppe/Gruppe/Gruppen/f",
        "shortcut/shortcuts/Tastenkürzel/Tastenkürzels/Tastenkürzel/n",
        "track/tracks/Titel/Titels/Titel/m",
    )
]

VERBS = [
    Verb(*row.split("/"))
    for row in (
        "open/opened/opening/öffnen/geöffnet/zu öffnen",
        "delete/deleted/deleting/löschen/gelöscht/zu löschen",
        "save/saved/saving/speichern/gespeichert/zu speichern",
        "close/closed/closing/schließen/geschlossen/zu schließen",
        "copy/copied/copying/kopieren/kopiert/zu kopieren",
        "move/moved/moving/verschieben/verschoben/zu verschieben",
        "rename/renamed/renaming/umbenennen/umbenannt/umzubenennen",
        "print/printed/printing/drucken/gedruckt/zu drucken",
        "share/shared/sharing/teilen/geteilt/zu teilen",
        "edit/edited/editing/bearbeiten/bearbeitet/zu bearbeiten",
        "import/imported/importing/importieren/importiert/zu importieren",
        "export/exported/exporting/exportieren/exportiert/zu exportieren",
        "create/created/creating/erstellen/erstellt/zu erstellen",
        "remove/removed/removing/entfernen/entfernt/zu entfernen",
        "select/selected/selecting/auswählen/ausgewählt/auszuwählen",
        "restore/restored/restoring/wiederherstellen/wiederhergestellt/wiederherzustellen",
        "download/downloaded/downloading/herunterladen/heruntergeladen/herunterzuladen",
        "upload/uploaded/uploading/hochladen/hochgeladen/hochzuladen",
        "update/updated/updating/aktualisieren/aktualisiert/zu aktualisieren",
        "lock/locked/locking/sperren/gesperrt/zu sperren",
        "hide/hidden/hiding/ausblenden/ausgeblendet/auszublenden",
        "show/shown/showing/anzeigen/angezeigt/anzuzeigen",
        "check/checked/checking/prüfen/geprüft/zu prüfen",
        "send/sent/sending/senden/gesendet/zu senden",
    )
]

#: German words that agree with a noun, by gender; ``_a`` is the accusative.
AGREEING = {
    "the": ("der", "die", "das"),
    "the_a": ("den", "die", "das"),
    "the_g": ("des", "der", "des"),
    "this_a": ("diesen", "diese", "dieses"),
    "a": ("ein", "eine", "ein"),
    "new": ("neuer", "neue", "neues"),
    "it": ("er", "sie", "es"),
    "it_a": ("ihn", "sie", "es"),
    "no_a": ("keinen", "keine", "kein"),
}

#: English and German. ``N``, ``M``: nouns, with ``s`` plural and ``g`` genitive; ``V``, ``W``: verbs, with ``p``
#: participle, ``i`` gerund and ``z`` the infinitive with zu; ``I``, ``J``: items. ``^`` capitalises the word after it.
TEMPLATES = [
    ("^{V} {N}", "^{N} {V}"),
    ("^{V} {Ns}…", "^{Ns} {V}…"),
    ("^{V} the selected {Ns}", "^die ausgewählten {Ns} {V}"),
    ("^{V} this {N}", "^{this_a} {N} {V}"),
    ("^{V} all {Ns} and close the window", "^alle {Ns} {V} und das Fenster schließen"),
    ("Do you really want to {V} the {N} “{I}”?", "Möchten Sie {the_a} {N} „{I}“ wirklich {V}?"),
    ("Do you want to {V} the {N} before you {W} it?", "Möchten Sie {the_a} {N} {V}, bevor Sie {it_a} {W}?"),
    ("The {N} {I} could not be {Vp}.", "^{the} {N} {I} konnte nicht {Vp} werden."),
    ("Could not {V} the {N}: {I}", "^{the} {N} konnte nicht {Vp} werden: {I}"),
    ("{I} {Ns} were {Vp}.", "{I} {Ns} wurden {Vp}."),
    ("The {N} has been {Vp}.", "^{the} {N} wurde {Vp}."),
    ("The {N} has been {Vp} and {Wp}.", "^{the} {N} wurde {Vp} und {Wp}."),
    ("^{Vi} {N} {I} of {J}…", "^{N} {I} von {J} wird {Vp}…"),
    ("Cannot {V} the {N} because it is being {Wp}.", "^{the} {N} kann nicht {Vp} werden, weil {it} gerade {Wp} wird."),
    ("Click <b>^{V}</b> to {W} the {N}.", "Klicken Sie auf <b>^{V}</b>, um {the_a} {N} {Wz}."),
    ("Enter the name of the {N}", "Geben Sie den Namen {the_g} {Ng} ein"),
    ("No {Ns} found", "Keine {Ns} gefunden"),
    ("No {Ns} to {V}", "Keine {Ns} {Vz}"),
    ("New {N}", "^{new} {N}"),
    ("Number of {Ns}: {I}", "Anzahl der {Ns}: {I}"),
    ("You do not have permission to {V} this {N}.", "Sie haben keine Berechtigung, {this_a} {N} {Vz}."),
    ("Select the {Ns} that you want to {V}.", "Wählen Sie die {Ns} aus, die Sie {V} möchten."),
    ("If you {V} the {N}, all {Ms} will be {Wp}.", "Wenn Sie {the_a} {N} {V}, werden alle {Ms} {Wp}."),
    ("Last {Vp} on {I}", "Zuletzt am {I} {Vp}"),
    ("The {N} already exists. Do you want to {V} it?", "^{the} {N} ist bereits vorhanden. Möchten Sie {it_a} {V}?"),
    ("Don’t {V} {Ns} automatically", "^{Ns} nicht automatisch {V}"),
    ("Always ask before {Vi} {an} {N}", "Immer fragen, bevor {a} {N} {Vp} wird"),
    ("^{V} {Ns} in the background when {Ms} are {Wp}", "^{Ns} im Hintergrund {V}, wenn {Ms} {Wp} werden"),
    ("{I} has {Vp} the {N} “{J}”.", "{I} hat {the_a} {N} „{J}“ {Vp}."),
    ("There is not enough space to {V} the {N}.", "Der Speicherplatz reicht nicht aus, um {the_a} {N} {Vz}."),
    ("You can {V} up to {I} {Ns}.", "Sie können bis zu {I} {Ns} {V}."),
    ("You must {V} the {N} first.", "Sie müssen {the_a} {N} zuerst {V}."),
    ("This {N} has no {Ms}.", "^{this_n} {N} hat keine {Ms}."),
    ("^{V} {N} with {M}…", "^{N} mit {M} {V}…"),
]

ITEMS = [
    *("%s", "%d", "%1$s", "%2$s", "{name}", "{count}", "${user}"),
    *("<i>{title}</i>", "5", "12", "https://example.org", "a.txt"),
]


def catalogue(size: int, seed: int) -> list[tuple[str, str]]:
    """Distinct pairs (English, German)."""
    chance = random.Random(seed)
    made: dict[str, str] = {}
    while len(made) < size:
        english, german = _filled(*chance.choice(TEMPLATES), chance)
        made.setdefault(english, german)
    return list(made.items())


def _filled(english: str, german: str, chance: random.Random) -> tuple[str, str]:
    nouns, verbs, items = chance.sample(NOUNS, 2), chance.sample(VERBS, 2), chance.sample(ITEMS, 2)
    gender = "mfn".index(nouns[0].gender)
    article = "an" if nouns[0].en[0] in "aeiou" else "a"
    values = [{"an": article}, {name: forms[gender] for name, forms in AGREEING.items()}]
    values[1]["this_n"] = ("dieser", "diese", "dieses")[gender]
    for name, noun in zip("NM", nouns, strict=True):
        values[0] |= {name: noun.en, f"{name}s": noun.en_plural}
        values[1] |= {name: noun.de, f"{name}s": noun.de_plural, f"{name}g": noun.de_genitive}
    for name, verb in zip("VW", verbs, strict=True):
        values[0] |= {name: verb.en, f"{name}p": verb.en_participle, f"{name}i": verb.en_gerund}
        values[1] |= {name: verb.de, f"{name}p": verb.de_participle, f"{name}z": verb.de_zu}
    for side in values:
        side |= dict(zip("IJ", items, strict=True))
    return _capitalised(english.format(**values[0])), _capitalised(german.format(**values[1]))


def _capitalised(text: str) -> str:
    first, *others = text.split("^")
    return first + "".join(part[:1].upper() + part[1:] for part in others)
