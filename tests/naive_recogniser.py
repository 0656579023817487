"""The protected items of a line by regular expressions that backtrack: slow on some lines, but short."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

#: Letters, digits and underscores, except those of scripts without spaces between words, next to which an item may
#: start or end.
_UNSPACED = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_WORD = f"(?![{_UNSPACED}])\\w"
_NOT_IN_WORD = f"(?<!{_WORD})"
_NO_WORD = f"(?!{_WORD})"

_SYMBOL = "[\ue000-\uf8ff\ufdd0-\ufdef\U000f0000-\U0010ffff]|⟨[a-z]+⟩"

_ATTRIBUTE = r"""\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"<]{0,4000}"|'[^'<]{0,4000}'|[^\s"'=<>`]+))?"""
_TAG = rf"""<(?:
      !--.{{0,1000}}?-->
    | !\[CDATA\[.{{0,4000}}?\]\]>
    | \?\w.{{0,4000}}?\?>
    | /?(?:[A-Za-z][\w:.-]*|[0-9]+)(?:{_ATTRIBUTE})*\s*/?>
)"""

_ENTITY = r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|\#[0-9]{1,7}|\#[xX][0-9A-Fa-f]{1,6});"

_ADDRESS = rf"[^\s<>\"'`{_UNSPACED}]"
_TOP_LEVEL = "com|org|net|edu|gov|info|io|dev|app|ai|eu|de|at|ch|uk|fr|es|it|nl|pl|cn|jp|kr"
_URL = rf"""
      {_NOT_IN_WORD}(?ai:(?:https?|ftps?|sftp|file|ssh|git|wss?|ircs?|ldaps?)://|mailto:|www\.){_ADDRESS}+
    | (?<![\w@.-])(?:[A-Za-z0-9-]+\.)+(?:{_TOP_LEVEL})(?![\w.-]*\w)(?:[/?\#]{_ADDRESS}*)?
"""
_EMAIL = r"(?<![A-Za-z0-9._+-])[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"

_EXTENSION = (
    "avif|bash|bat|bin|bmp|c|cfg|conf|cpp|cs|css|csv|dll|docx?|eps|epub|exe|gif|gz|html?|ini|iso|jar|java|jpe?g|js|json|"
    "jsx|log|lua|md|mkv|mov|mp[34]|mo|odt|ods|ogg|pdf|php|png|pot?|pptx?|ps1|py|rar|rb|rs|rst|rtf|sh|sql|svg|tar|tgz|"
    "tiff?|toml|tsv?|tsx|ttf|txt|wav|webm|webp|woff2?|xlf|xliff|xlsx?|xml|ya?ml|zip"
)
_NOT_BEFORE_ROOT = r"""[\w\])}>"'/.~<:%\\-]"""
_PART = r"[\w.+@$~-]"
_PATH = rf"""
      {_NOT_IN_WORD}[A-Za-z]:\\[^\s<>"|?*:]*
    | (?<![\w\\])\\\\[\w.$-]+(?:\\[\w.$-]+)+
    | (?<!{_NOT_BEFORE_ROOT})(?:~|\.{{1,2}})(?:/{_PART}+)+/?
    | (?<!{_NOT_BEFORE_ROOT})/(?=[^\s/]*[A-Za-z])(?:{_PART}{{2,}}|{_PART}/{_PART}+)(?:/{_PART}*)*
    | (?<![\w./\\-])(?:[\w.-]+/)+[\w-]+\.[A-Za-z][A-Za-z0-9]{{0,4}}(?!\w)
    | (?<![\w./\\*-])(?:\*|[A-Za-z0-9_-]+)(?:\.[A-Za-z0-9_-]+)*\.(?ai:{_EXTENSION})(?![\w/\\]|\.\w)
"""

_FLAGS = r"(?:[0-9]+\$)?(?:[+#0']|-(?=[0-9*]))*(?:\*|[0-9]+)?(?:\.(?:\*|[0-9]+))?(?:hh?|ll?|q|j|z|t|L|I64|I32)?"
_PRINTF = rf"{_FLAGS.replace('#', chr(92) + '#')}[diouxXeEfFgGaAcCsSpn@]"
#: Also of Python (``%(name)s``), Objective-C (``%@``), Qt (``%1``), strftime, variables of environments, and escapes.
_VARIABLE = rf"""
      %[A-Za-z_][\w.]+%(?![\w%])
    | %\([\w\ .-]+\)[-+\#0]*[0-9]*(?:\.[0-9]+)?[diouxXeEfFgGcrsa]
    | (?<![0-9])%{_PRINTF}
    | %{_PRINTF}(?![A-Za-z])
    | %%
    | (?<![\w%])%[aAbBcdHIjmMpSUwWxXyYZ](?!\w)
    | (?<![0-9%])%(?:L?[0-9]{{1,2}})(?![0-9])
    | %<\w+>[a-zA-Z]
    | \\[nrt]
    | \$\([A-Za-z_]\w*\)
    | (?<![\w$])\$[A-Za-z_]\w*
"""
#: The start of a form with braces, whose end the recogniser finds by counting.
_BRACE = r"[$\#%]?\{"

#: Versions, dates, times, and numbers with separators.
_NUMBER = rf"""
    (?:(?<![^\s(\[])[-+−±])?{_NOT_IN_WORD}(?<![0-9][.,:/'’_-])
    (?:
          0[xX][0-9A-Fa-f]+
        | [vV]?[0-9]+
          (?:[.,:/'’_-][0-9]+|[\u00a0\u202f][0-9]{{3}}(?![0-9]))*
          (?:-(?:alpha|beta|rc|dev|pre)[.0-9]*[0-9])?
    ){_NO_WORD}
"""

#: What may stand in braces: nothing, anything without spaces, one dotted name, an ICU argument.
_BRACED = re.compile(
    r"""\{(?:
          \{.*\}                                                             # {{ anything }}
        | %.*%                                                               # {% anything %}
        | [^\s{}]*
        | \s*[\w.$@\[\]]+\s*
        | \s*[\w.-]+\s*,\s*(?:plural|select|selectordinal|number|date|time|choice|spellout|ordinal|duration|list)\b.*
    )\}""",
    re.VERBOSE | re.DOTALL,
)

_CLOSING = {")": "(", "]": "[", "}": "{"}
#: Characters at the end of an address that belong to the sentence.
_TRAILING = ".,;:!?…*_~|"

_BY_GROUP = {
    "tags": (("tag", _TAG), ("entity", _ENTITY)),
    "addresses": (("url", _URL), ("email", _EMAIL), ("path", _PATH)),
    "variables": (("variable", _VARIABLE), ("brace", _BRACE)),
    "numbers": (("number", _NUMBER),),
}


@lru_cache
def compiled(groups: tuple[str, ...]) -> re.Pattern[str]:
    """One expression for all kinds of some groups; the name of the matching group is the kind."""
    kinds = [("symbol", _SYMBOL), *(one for group, listed in _BY_GROUP.items() if group in groups for one in listed)]
    return re.compile("|".join(f"(?P<{kind}>{text})" for kind, text in kinds), re.VERBOSE | re.DOTALL)


def naive_items(line: str, groups: tuple[str, ...], patterns: Sequence[str] = ()) -> list[tuple[int, int, str]]:
    """The start, the end and the kind of each item of a line."""
    builtin = compiled(groups)
    own = [re.compile(pattern) for pattern in patterns]
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(line):
        ends = [match.end() for pattern in own if (match := pattern.match(line, at)) and match.end() > at]
        match = builtin.match(line, at)
        end, kind = at, ""
        if ends:
            end, kind = ends[0], "pattern"
        elif match is not None:
            end, kind = match.end(), str(match.lastgroup)
            if kind == "brace":
                end, kind = _braced(line, end - 1), "variable"
            elif kind in ("url", "path"):
                end = _address_end(builtin, line, at, end)
        if end > at:
            found.append((at, end, kind))
        at = max(end, at + 1)
    return found


def _braced(line: str, brace: int) -> int:
    """The end of the form with a brace; 0 if there is none."""
    depth = 0
    for at in range(brace, len(line)):
        depth += {"{": 1, "}": -1}.get(line[at], 0)
        if depth == 0:
            return at + 1 if _BRACED.fullmatch(line, brace, at + 1) else 0
    return 0


def _address_end(builtin: re.Pattern[str], line: str, start: int, end: int) -> int:
    """The end of an address without the punctuation after it; ``start`` if the rest is not an address."""
    text = line[start:end]
    while text and (text[-1] in _TRAILING or text.count(text[-1]) > text.count(_CLOSING.get(text[-1], text[-1]))):
        text = text[:-1]
    if not re.search(r"\w", text):
        return start
    again = builtin.match(text)
    return start + len(text) if len(text) == end - start or (again and again.end() == len(text)) else start
