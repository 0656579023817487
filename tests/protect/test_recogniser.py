"""The recogniser against regular expressions that say the same, on any text."""

from __future__ import annotations

import pickle

import pytest
from amounts import examples
from graphmt.errors import OptionError
from graphmt.protect import GROUPS, Recogniser
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive_recogniser import naive_items

#: Characters and parts of which items and what looks like them consist; each list for some kinds.
PARTS = (
    [*"0123456789abcdeinorstvxz-+−±.,:;/\\'’_%$#@&<>{}[]()\"= \t!?*~|`", *"éſ²\u0301文가\u00a0\u202f\x1c\n\ue000⟨⟩"],
    [*"</> =\"'aA0:.&;#x", "<!--", "-->", "<![CDATA[", "]]>", "<?a", "?>", "</a>", "<b c='d'>", "&amp;"],
    [*"a1./\\:@-_+~*()?#, ", "www.", "http://", "mailto:", "a@b.de", ".com", ".md", "C:\\", "\\\\a\\b", "../", "/a/"],
    [*"%0-1.*$dlhsL({)}[], #a", "%s", "%1$", "I64", "{{", "}}", "{%", "%}", "{n, plural,", "${", "$(a)", "\\n", "%<a>"],
    [*"012-+−.,:/'_vxaé文( \u00a0\u202f", "1.2", "-rc1", "-alpha", "0x", "\u00a0234"],
)
lines = st.one_of([st.lists(st.sampled_from(parts), max_size=25).map("".join) for parts in PARTS])
groups = st.one_of(st.just(tuple(GROUPS)), st.sampled_from([(group,) for group in GROUPS]))


def found(line: str, groups: tuple[str, ...], patterns: tuple[str, ...] = ()) -> list[tuple[int, int, str]]:
    # Tags are paired afterwards.
    kinds = {"open": "tag", "close": "tag"}
    items = Recogniser(groups, patterns).find(line)
    return [(item.start, item.end, kinds.get(item.kind, item.kind)) for item in items]


@settings(max_examples=examples(3000), deadline=None)
@given(lines, groups)
@example("./_+./_+./_", tuple(GROUPS))
@example("~/.+~/.+.@-.-", tuple(GROUPS))
@example("a/b.c/d.é www.). a.de/.", tuple(GROUPS))
@example("1_2_3x 1.2.3x 1-rc1.2x 0x1g", tuple(GROUPS))
@example("%.s %5.s %-s %0*d 5%d 5%da %1$$s", tuple(GROUPS))
@example("{ {a}} {{ }} {%} {%%} {a b} { a } {a, list}", tuple(GROUPS))
def test_items(line: str, groups: tuple[str, ...]) -> None:
    assert found(line, groups) == naive_items(line, groups)


@settings(max_examples=examples(300), deadline=None)
@given(lines, st.sampled_from([(r"\.w",), ("[A-Z]+-[0-9]+", "a.?"), ("1", r"\.[a-z]{2}"), (r"\b|b",)]))
@example("x.www.www.a", (r"\.w",))
def test_own_patterns(line: str, patterns: tuple[str, ...]) -> None:
    groups = ("addresses", "numbers")
    # In Rust's syntax marks belong to words, and some numbers do not.
    line = line.encode("ascii", "ignore").decode()
    assert found(line, groups, patterns) == naive_items(line, groups, patterns)


def test_matches_of_own_patterns_are_found_at_any_place_of_a_long_line() -> None:
    line = "é " * 1700 + "AB-1" + " x" * 3000 + "AB-22"
    assert [(item.start, item.text) for item in Recogniser((), ["[A-Z]+-[0-9]+"]).find(line)] == [
        (3400, "AB-1"),
        (9404, "AB-22"),
    ]


def test_matches_of_own_patterns_have_at_most_1000_characters() -> None:
    recogniser = Recogniser((), ["<.*>|b", "x+"])
    assert [item.text for item in recogniser.find("<" + "a" * 998 + ">b")] == ["<" + "a" * 998 + ">", "b"]
    assert [item.text for item in recogniser.find("<" + "a" * 999 + ">b")] == ["b"]
    assert [len(item.text) for item in recogniser.find("a" * 1500 + "x" * 2500)] == [1000, 1000, 500]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(?<=a)b", "look-around"),
        (r"(a)\1", "backreferences are not supported"),
        ("(", "unclosed group"),
        ("x*", "matches the empty string"),
        ("(a{1000}){1000}", "too large"),
        ("\ud800", "not valid Unicode"),
    ],
)
def test_unusable_patterns(pattern: str, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Recogniser((), [pattern])


def test_surrogates_are_no_items() -> None:
    assert [(item.text, item.start) for item in Recogniser().find("\ud800 5 \udfff%s")] == [("5", 2), ("%s", 5)]


def test_a_recogniser_crosses_processes() -> None:
    one = pickle.loads(pickle.dumps(Recogniser(("numbers",), ["a"], whole_tokens=True)))
    assert (one.groups, one.patterns, one.whole_tokens) == (("numbers",), ("a",), True)
    assert [item.text for item in one.find("a 5 b5 x,5")] == ["a", "5"]
