"""What is recognised, and how translations get it back."""

from __future__ import annotations

import pytest
from graphmt.corpus import TextOptions, TextSteps, Tree
from graphmt.errors import OptionError
from graphmt.protect import Recogniser
from graphmt.protect.pairs import corresponding

RAW = TextOptions(tokenise=True, case="lower", protect="auto")


@pytest.mark.parametrize(
    ("line", "items"),
    [
        ('"%s" %1$s %(name)s %-5.2f %lu %@ %%', "%s %1$s %(name)s %-5.2f %lu %@ %%"),
        ("100% sicher, 50% of, 100%-ige", "100 50 100"),
        ("{name} {{name}} ${x} $count {} {0:,.2f} %{x} #{y}", "{name} {{name}} ${x} $count {} {0:,.2f} %{x} #{y}"),
        ("{n, plural, one {# file} other {{n} files}}!", "{n, plural, one {# file} other {{n} files}}"),
        ("text {in these braces} and {open", ""),
        ("<b>x</b> a < b > c <br/> <a href='?a>b'>", "<b> </b> <br/> <a href='?a>b'>"),
        ("a&nbsp;b &#160; AT&T; fish & chips;", "&nbsp; &#160;"),
        ("(see https://x.org/a_(b)?c=1), www.x.com.", "https://x.org/a_(b)?c=1 www.x.com"),
        ("Mail to a.b+c@example.co.uk.", "a.b+c@example.co.uk"),
        (r"/usr/share, ~/x and C:\Temp\a.txt; and/or km/h N/A", r"/usr/share ~/x C:\Temp\a.txt"),
        ("Edit src/main.rs or README.md, e.g. here.", "src/main.rs README.md"),
        ("v1.2.3-rc1, 1,234.5 (-3) 2024-01-05 12:30 5th MP3", "v1.2.3-rc1 1,234.5 -3 2024-01-05 12:30"),
        ("共3个文件 https://x.org/a。好", "3 https://x.org/a"),
        ("\ue001 ⟨number⟩", "\ue001 ⟨number⟩"),
        ("%APPDATA% %count% %1 of %2", "%APPDATA% %count% %1 %2"),
    ],
)
def test_recognised(line: str, items: str) -> None:
    assert " ".join(item.text for item in Recogniser().find(line)) == items


def test_tags_are_paired_by_name() -> None:
    kinds = [item.kind for item in Recogniser().find("</z><b><i>x</b></i><br><0>y</0>")]
    assert kinds == ["tag", "open", "tag", "close", "tag", "tag", "open", "close"]


def test_groups_and_patterns() -> None:
    assert Recogniser(("numbers",)).find("<b>%s</b> 5")[0].text == "5"
    assert [i.text for i in Recogniser((), [r"[A-Z]{2,}-\d+", "(a)(?:b)"]).find("AB-1 ab x")] == ["AB-1", "ab"]
    for groups, patterns in ((("nubers",), []), ((), ["("]), ((), ["x*"])):
        with pytest.raises(OptionError):
            Recogniser(groups, patterns)
    with pytest.raises(OptionError, match="did you mean 'numbers'"):
        TextOptions(protect="variables,nubers")


def test_protection_is_off_for_tokenised_text_unless_asked() -> None:
    assert TextSteps(TextOptions(protect="auto")).apply("5 <b>") == "5 <b>"
    assert TextSteps(TextOptions(tokenise=True)).apply("%s") == "% s"
    assert TextSteps(TextOptions(protect="numbers")).apply("a 5 b5 x5 2.1") == "a ⟨number⟩ b5 x5 ⟨number⟩"


def test_sentence_starts_are_found_behind_tags_but_not_behind_variables() -> None:
    steps = TextSteps(TextOptions(tokenise=True, case="true", protect="auto"), (("open",), ("file", "File")))
    assert steps.apply("<b>Open</b> %s") == "⟨open⟩ open ⟨close⟩ ⟨variable⟩"
    assert steps.apply("%s File") == "⟨variable⟩ File"


@pytest.mark.parametrize(
    ("line", "output", "links", "text", "repairs"),
    [
        # Items follow the alignment, not the order.
        ("{a} of {b}", "⟨variable⟩ von ⟨variable⟩", "2-0 0-2", "{b} von {a}", ()),
        # Spaces are those of the source where the neighbours are alike.
        ('Open "%s"', "öffne „ ⟨variable⟩ “", "0-0 1-1 2-2 3-3", "Öffne „%s“", ()),
        ("Delete %s?", "⟨variable⟩ löschen ?", "0-1 1-0 2-2", "%s löschen?", ()),
        ("<b>File</b>s", "⟨open⟩ Datei ⟨close⟩ en", "0-0 1-1 2-2 3-3", "<b>Datei</b>en", ()),
        ("%dMB of {n}%", "⟨variable⟩ MB von ⟨variable⟩ %", "0-0 1-1 2-2 3-3 4-4", "%dMB von {n}%", ()),
        # A missing item goes next to the translation of its neighbour.
        ("Open %s now", "jetzt öffnen", "0-1 2-0", "Jetzt öffnen %s", ("inserted %s",)),
        ("5 files", "die ⟨number⟩ von ⟨number⟩ Dateien", "1-4 0-1", "die 5 von Dateien", ("removed ⟨number⟩",)),
        ("a file", "2 Dateien", "1-1", "Dateien", ("removed 2",)),
        # Tags go around the translation of what they enclosed.
        ("The <b>red</b> car", "das ⟨close⟩ rote ⟨open⟩ Auto", "0-0 2-2 4-4", "Das <b>rote</b> Auto", ("placed tags",)),
        ("<b>%s</b> is", "⟨open⟩ ⟨close⟩ ist ⟨variable⟩", "0-0 2-1 3-2 1-3", "ist <b>%s</b>", ("placed tags",)),
        ("<i>a <b>b</b></i> c", "x y z", "1-2 3-1 6-0", "x <i><b>y</b> z</i>", ("placed <i> <b> </b> </i>",)),
    ],
)
def test_restored(line: str, output: str, links: str, text: str, repairs: tuple[str, ...]) -> None:
    pairs = [(int(one), int(other)) for one, other in (link.split("-") for link in links.split())]
    steps = TextSteps(TextOptions(tokenise=True, language="de", case="lower", protect="auto"))
    made = steps.restore(output.split(), pairs, steps.prepare(line))
    assert (made.text, made.repairs) == (text, repairs)


def test_what_cannot_be_repaired_stays_as_it_is() -> None:
    steps = TextSteps(TextOptions(tokenise=True, case="none", protect="auto", patterns=("a.c",)))
    source = steps.prepare("abc x")
    made = steps.restore(["⟨pattern⟩", "a-c", "y"], [(0, 0)], source)
    assert (made.text, made.repairs) == ("abc y", ("removed a-c",))


def test_only_items_of_both_sides_are_typed_in_training() -> None:
    def typed(source: str, target: str) -> tuple[set[int], set[int]]:
        return corresponding(Recogniser().find(source), Recogniser().find(target))

    assert typed("2 of %s", "%s von zwei") == ({1}, {0})
    assert typed("1,000 files", "1.000 Dateien") == ({0}, {0})
    assert typed("<a href='x'>", "<a href='y'>") == ({0}, {0})
    assert typed("%s %s", "%s") == ({0}, {0})
    assert typed("%s %s %s", "%s %s") == ({0, 1}, {0, 1})


def test_tokens_of_trees() -> None:
    tree = Tree(("Open", "%s", "in", "/a/b"), (-1, 0, 3, 0))
    made = TextSteps(RAW).prepare_tree(tree)
    assert made.tokens == ("open", "⟨variable⟩", "in", "⟨path⟩")
    assert [made.tokens[place] for place in made.places] == ["⟨variable⟩", "⟨path⟩"]
    assert TextSteps(RAW).apply_tree(tree).tokens == made.tokens
