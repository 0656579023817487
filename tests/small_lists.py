"""A made-up task on which a memory helps: the model is wrong about one word, the memory knows it."""

from __future__ import annotations

import random
from pathlib import Path

Lists = list[list[tuple[str, dict[str, float]]]]

PLACES = ["haus", "wald", "garten", "hof", "dorf", "zimmer"]
ENGLISH = {"haus": "house", "wald": "wood", "garten": "garden", "hof": "yard", "dorf": "village", "zimmer": "room"}
WHO = {"der mann": "the man", "die frau": "the woman", "das kind": "the child", "der hund": "the dog"}
DOES = {"läuft": "runs", "schläft": "sleeps", "singt": "sings", "wartet": "waits"}


def sentences(number: int, seed: int) -> list[tuple[str, str]]:
    chance = random.Random(seed)
    found = []
    for _ in range(number):
        who, does, place = chance.choice(list(WHO)), chance.choice(list(DOES)), chance.choice(PLACES)
        found.append((f"{who} {does} jetzt im {place} .", f"{WHO[who]} {DOES[does]} in the {ENGLISH[place]} now ."))
    return found


def lists(pairs: list[tuple[str, str]], seed: int) -> Lists:
    """Each has the reference, mostly below a candidate with a wrong word in it."""
    chance = random.Random(seed)
    made = []
    for _, target in pairs:
        wrong = target.replace(" now", " currently" if chance.random() < 0.5 else " at present")
        worse = target.replace("in the", "into a")
        own = [(wrong, -1.0 - chance.random()), (target, -1.2 - chance.random()), (worse, -2.0 - chance.random())]
        own.sort(key=lambda one: -one[1])
        made.append([(text, {"score": score, "length": float(len(text.split()))}) for text, score in own])
    return made


def write(folder: Path, name: str, pairs: list[tuple[str, str]], given: Lists | None = None) -> None:
    (folder / f"{name}.de").write_text("".join(f"{source}\n" for source, _ in pairs), "utf-8")
    (folder / f"{name}.en").write_text("".join(f"{target}\n" for _, target in pairs), "utf-8")
    rows = [
        f"{number} ||| {text} ||| length= {values['length']:g} ||| {values['score']:.4f}\n"
        for number, own in enumerate(given or [])
        for text, values in own
    ]
    if rows:
        (folder / f"{name}.nbest").write_text("".join(rows), "utf-8")
