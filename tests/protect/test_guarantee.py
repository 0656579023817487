"""The guarantee: a translation has exactly the protected items of its source, whatever the models produce."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from amounts import examples
from graphmt.corpus import TextOptions, TextSteps
from graphmt.protect import Recogniser
from graphmt.protect.items import MARKUP, TOKENS
from graphmt.protect.nesting import is_nested
from hypothesis import example, given, settings
from hypothesis import strategies as st

ITEMS = [
    *("%s", "%1$s", "%(name)s", "%-5.2f", "%d", "%%", "%@", "%lu", "%count%", "%1", "%Y"),
    *("{name}", "{{ user.name }}", "${x}", "$path", "{0:,.2f}", "{n, plural, one {# file} other {{n} files}}", "{}"),
    *("<b>", "</b>", "<a href='x > y'>", "</a>", "<br/>", "<i class=big>", "</i>", "<!-- no -->", "<0>", "</0>"),
    *("&nbsp;", "&#160;", "&amp;", "https://example.org/a(b)?c=%20", "www.example.com", "me@example.org", "example.de"),
    *("/usr/share/x", "~/a", r"C:\x\y", "README.md", "src/main.rs", "5", "1,234.50", "v2.0.1-rc1", "2024-01-05", "-3"),
    *("12:30", "0x1F", "\ue000", "\U000f0001", "⟨number⟩", "1\u00a0000"),
]
WORDS = ["Open", "the", "file", "s", "d", "n", "und", "b", "x", "文件", "é", "A", "of"]
SIGNS = [*"()[]{}<>/\\.,:;!?%$&#@\"'`-_=+*~|^·…„“‑ \t\u00a0\u200b", "--", "://", "{{", "}}", "</", "/>", "%(", "&#"]

pieces = st.one_of(st.sampled_from(ITEMS), st.sampled_from(WORDS), st.sampled_from(SIGNS), st.text(max_size=3))
separated = st.lists(st.tuples(pieces, st.sampled_from(["", "", " ", "  "])), max_size=12)
lines = separated.map(lambda parts: "".join(piece + space for piece, space in parts))
#: Tokens as a damaged model might produce them.
tokens = st.lists(
    st.one_of(st.sampled_from(sorted(TOKENS.values())), pieces.map(lambda one: "".join(one.split()) or "x"))
)

STEPS = TextSteps(TextOptions(tokenise=True, case="lower", protect="auto"))
RECOGNISER = Recogniser()


def counted(text: str) -> Counter[str]:
    return Counter(item.text for item in RECOGNISER.find(text))


def checked(line: str, output: list[str], links: list[tuple[int, int]], steps: TextSteps = STEPS) -> tuple[str, ...]:
    source = steps.prepare(line)
    restored = steps.restore(output, links, source)
    assert counted(restored.text) == counted(line)
    nested = [item for item in source.items if item.kind in MARKUP]
    found = [item for item in RECOGNISER.find(restored.text) if item.kind in MARKUP]
    assert Counter(item.text for item in found) == Counter(item.text for item in nested)
    # Paired tags stay paired: as many pairs as in the source, each of the same two texts.
    pairs = Counter((item.text, source.items[item.partner].text) for item in source.items if item.kind == "open")
    whole = RECOGNISER.find(restored.text)
    assert Counter((item.text, whole[item.partner].text) for item in whole if item.kind == "open") >= pairs
    return restored.repairs


@settings(max_examples=examples(200), deadline=None)
@given(lines, tokens, st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12))))
@example("<b>5</b> a", ["⟨close⟩", "⟨number⟩", "⟨open⟩"], [])
@example("a < 5 b > 3", ["<", "b", "⟨number⟩", ">", "⟨number⟩"], [])
@example("%s 5", ["⟨variable⟩", "⟨number⟩", "0"], [])
@example("<b>a", ["⟨tag⟩", "</b>"], [])
def test_any_output_is_repaired(line: str, output: list[str], links: list[tuple[int, int]]) -> None:
    checked(line, output, links)


@settings(max_examples=examples(100), deadline=None)
@given(lines, st.randoms(use_true_random=False))
def test_a_reordered_copy_of_the_source(line: str, random: object) -> None:
    source = STEPS.prepare(line)
    order = list(range(len(source.tokens)))
    random.shuffle(order)  # type: ignore[attr-defined]
    checked(line, [source.tokens[place] for place in order], [(place, at) for at, place in enumerate(order)])


@settings(max_examples=examples(100), deadline=None)
@given(lines)
def test_items_set_apart_are_recognised(line: str) -> None:
    items = RECOGNISER.find(line)
    assert [item.text for item in RECOGNISER.find(" ".join(item.text for item in items))] == [i.text for i in items]
    assert all(line[item.start : item.end] == item.text for item in items)
    assert all(one.end <= other.start for one, other in pairwise(items))


@settings(max_examples=examples(100), deadline=None)
@given(lines)
def test_tokens_are_the_items_in_order(line: str) -> None:
    source = STEPS.prepare(line)
    assert [source.tokens[place] for place in source.places] == [item.token for item in source.items]
    typed = [token for token in source.tokens if token in TOKENS.values()]
    assert typed == [item.token for item in source.items]


@settings(max_examples=examples(100), deadline=None)
@given(lines)
def test_a_copy_of_the_source_needs_no_repair_of_tags(line: str) -> None:
    source = STEPS.prepare(line)
    slots = [
        dict(zip(source.places, range(len(source.items)), strict=True)).get(at, "x") for at in range(len(source.tokens))
    ]
    assert is_nested(slots, source)
