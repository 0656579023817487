"""Texts take time linear in their length: steps are counted for texts of n, 2n and 4n characters."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import graphmt
import pytest
from graphmt import _core
from graphmt.corpus import TextOptions, TextSteps
from graphmt.localisation import Message, html, strings
from graphmt.localisation.formats import READERS as FORMATS
from graphmt.protect import GROUPS, Recogniser
from graphmt.protect.arrange import arrange
from naive_recogniser import compiled as naive_pattern
from python_steps import CountedText, steps_of
from regex_attacks import attacks
from regex_steps import StepCounter

PACKAGE = Path(graphmt.__file__).parent
#: How often a part of an attack is repeated; bounded repeats of the package have fewer.
LENGTHS = (40, 80, 160)
#: For the scanner, whose steps take little time; longer with patterns of a user, whose matches are limited in length.
MORE = (400, 800, 1600)
LONG = (4000, 8000, 16000)
METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")
#: Values of the names in patterns that are made at run time.
NAMES = {
    **{"name": "x", "end": ".osg", "separator": ",", "roles": ("part",), "self": SimpleNamespace(_name="x")},
    **dict.fromkeys(("path", "place"), Path("a.b")),
}


class Pattern(NamedTuple):
    """A pattern of the package, and one of the methods that are called on it."""

    place: str
    compiled: re.Pattern[Any]
    method: str


def is_linear(cost: Callable[[int], int], lengths: tuple[int, int, int] = LENGTHS) -> bool:
    """Whether twice the length costs about twice as much; what is added for each length counts, not the constant."""
    one, two, four = lengths
    first, second = cost(one), cost(two)
    return second <= 2.5 * first + 50 and cost(four) - second <= 2.5 * (second - first) + 50


def is_quick(cost: Callable[[int], int], width: int) -> bool:
    """Whether so few steps are taken for each character that the costs cannot be quadratic; spares the comparison."""
    return cost(LENGTHS[0]) <= 12 * LENGTHS[0] * width


def used(path: Path) -> Iterator[Pattern]:
    """Every pattern in a module, wherever it is: ``re.compile`` and calls such as ``re.sub``."""
    tree = ast.parse(path.read_text("utf-8"))
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    module = importlib.import_module(".".join(("graphmt", *parts)).removesuffix(".__init__"))
    named: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
            named.setdefault(node.value.id, set()).add(node.attr)
    targets = {id(node.value): ast.unparse(node.targets[0]) for node in ast.walk(tree) if isinstance(node, ast.Assign)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if ast.unparse(node.func.value) != "re" or node.func.attr not in ("compile", *METHODS):
            continue
        call = ast.Call(ast.parse("re.compile", mode="eval").body, [node.args[0], *flags_of(node)], [])
        source = ast.fix_missing_locations(ast.Expression(call))
        try:
            compiled = eval(compile(source, str(path), "eval"), {**vars(module), **NAMES})
        except NameError as error:
            raise AssertionError(f"{path}:{node.lineno}: {error}; NAMES needs a value for it") from None
        where = f"{'/'.join(parts)}:{targets.get(id(node), node.lineno)}"
        # A pattern that is passed on could be searched for.
        methods = {node.func.attr} if node.func.attr != "compile" else named.get(targets.get(id(node), ""), {"search"})
        for method in sorted({one if one in ("match", "fullmatch") else "search" for one in methods}):
            yield Pattern(f"{where}.{method}", compiled, method)


def flags_of(call: ast.Call) -> list[ast.expr]:
    given = [word.value for word in call.keywords if word.arg == "flags"]
    return given or [one for one in call.args[1:] if "re." in ast.unparse(one)]


SOURCES = [
    path for path in sorted(PACKAGE.rglob("*.py")) if re.search(r"^import re$", path.read_text("utf-8"), re.MULTILINE)
]
PATTERNS = [one for path in SOURCES for one in used(path)]


def steps_in(counter: StepCounter, method: str, start: str, part: str, number: int) -> int:
    """The steps on a text of a beginning and a number of equal parts, which ends with what no pattern expects."""
    return counter.count(start + number * part + "\0", method)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.place)
def test_pattern(pattern: Pattern) -> None:
    counter = StepCounter(pattern.compiled)
    slow = []
    for start, part in attacks(counter.tree, pattern.compiled.flags):
        cost = functools.partial(steps_in, counter, pattern.method, start, part)
        if not is_quick(cost, len(part)) and not is_linear(cost):
            slow.append((start, part))
    assert not slow


def test_no_pattern_is_overlooked() -> None:
    others = re.compile(r"^from re\b|^[ \t]+import re\b|\bimport re as\b|\bimport regex\b", re.MULTILINE)
    assert not [path for path in PACKAGE.rglob("*.py") if others.search(path.read_text("utf-8"))]
    assert len(PATTERNS) > 80


def test_a_slow_pattern_is_found() -> None:
    for text, start, part in ((r"a+b", "", "a"), (r"%0*[0-9]*d", "%", "0"), (r'"(?:[^"\\]|\\.)*"', '"', '\\"')):
        counter = StepCounter(re.compile(text))
        assert (start, part) in attacks(counter.tree, 0)
        assert not is_linear(functools.partial(steps_in, counter, "search", start, part))


#: Beginning and repeated part of texts for the scanner, besides those derived from the naive recogniser.
ATTACKS = [
    (start, part)
    for start, parts in {
        "": [
            "./_+",
            "~/+",
            "/+./",
            "/a.",
            "\\\\a",
            "www.)",
            "a@",
            "a/.b",
            ".md/",
            "C:\\)",
            "1-rc.",
            "{",
            "{ ",
            "${",
            "{a,",
        ],
        "<a": [" b='c'", " b", " ", " b='"],
        "<": ["!--", "!--<", "![CDATA[<", "?a<", "a b='<"],
        "%": ["0", "%a", "%%a", "<a%", "0%", "a"],
        "%(a)": ["0", "0%(a)"],
        "$(": ["a", "a$("],
        "\\\\": [".\\", "a"],
        "a.de": ["/.", ".de", ".x"],
        "a@": ["b.-", "b.c@"],
        "http://": [")", "(."],
        "{": ["{}", "a "],
        "1": ["_2", ".2", "-rc1", "\u00a0000"],
        "*": [".md", "*.md"],
    }.items()
    for part in parts
]


def is_linear_in(scanner: _core.ItemScanner, start: str, part: str, lengths: tuple[int, int, int]) -> bool:
    return is_linear(lambda n: scanner.steps(start + n * part + "!"), lengths)


def test_scanner() -> None:
    scanner = _core.ItemScanner(list(GROUPS), [])
    pattern = naive_pattern(tuple(GROUPS))
    derived = attacks(StepCounter(pattern).tree, pattern.flags)
    assert len(derived) > 100
    assert not [one for one in [*ATTACKS, *derived] if not is_linear_in(scanner, *one, MORE)]


@pytest.mark.parametrize(
    ("pattern", "start", "part"),
    [
        ("%0*[a-z]", "%", "0"),
        ("a(?:.*b)?", "", "a"),
        ("a(?:.*b)?|c", "c", "ca"),
        (".*[^A-Z]|[A-Z]", "", "A"),
        ("(?:a|b|ab)*c", "", "ab"),
        (r"\w+@\w+", "", "a"),
        (r"(?s)<.*>.{1001}|b", "", "<>"),
        (r"\.w", "", ".www"),
    ],
)
def test_own_patterns(pattern: str, start: str, part: str) -> None:
    assert is_linear_in(_core.ItemScanner(list(GROUPS), [pattern]), start, part, LONG)


def reading(ending: str, module: Any, text: str) -> object:
    """A reader of files, which looks at a text that counts."""
    whole = module.decoded
    try:
        module.decoded = lambda *given, **more: (CountedText(text), "utf-8", b"")
        return FORMATS[ending](b"", "x", ("de", "en"))
    finally:
        module.decoded = whole


def message(text: str) -> None:
    one = Message(text, Recogniser())
    one.joined({sentence: CountedText(sentence) for sentence in one.sentences}.__getitem__)


def restored(text: str) -> None:
    steps = TextSteps(TextOptions(tokenise=True, protect="auto"))
    line = steps.prepare(text)
    arrange(list(reversed(line.tokens)), [(at, at) for at in range(len(line.tokens))], line)


#: Functions that read or write texts, and texts that could take long.
READERS: dict[str, Callable[[int], object]] = {
    "items": lambda n: Recogniser().find("<b>" * n + "</i></b>" * n),
    "lines in items": lambda n: message("{a\n}" * n),
    "arguments": lambda n: message("".join(f"{{n{k}, plural, one {{a}}}} {'words ' * 30}" for k in range(n))),
    "nested arguments": lambda n: message("{n, plural, one {" * n + "a" + "}}" * n),
    "tags of HTML like our own": lambda n: reading(".html", html, "<p>b <" + "x" * n),
    "blocks of HTML": lambda n: reading(".html", html, "<p>a\n" * n),
    "attributes of HTML": lambda n: reading(".html", html, "<html" + " lang" * n + " lang=de>"),
    "strings": lambda n: reading(".strings", strings, '"a" = "b";\n' * n),
    "JSON": lambda n: reading(".json", strings, "[" + '"a",\n' * n + '""]'),
    "tags placed anew": lambda n: restored("<b>a " * n + "</b>" * n),
}


@pytest.mark.parametrize("reader", READERS, ids=str)
def test_reader(reader: str) -> None:
    # Python 3.14 counts the operations of a function from its second traced call on.
    steps_of(lambda: READERS[reader](LENGTHS[0]))
    assert is_linear(lambda n: steps_of(lambda: READERS[reader](n)))
