"""Options are declared once, checked in one place, and refuse unknown names with the nearest one."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from graphmt.errors import InputError, OptionError
from graphmt.options import Options, _checked, markdown, option, read_toml, template
from graphmt.stages import STAGES
from graphmt.systems.reads import only_for


@dataclasses.dataclass(frozen=True)
class Sample(Options):
    order: int = option(5, "Longest n-gram.", minimum=1, maximum=6)
    share: float = option(0.5, "A share.", minimum=0.0)
    mode: str = option("fast", "How.", choices=("fast", "exact"))
    limits: tuple[int, ...] = option((), "Thresholds.", minimum=0)
    name: str | None = option(None, "A name.")
    number: int = option(0, "Any number.")
    upper: bool = option(False, "A switch.")


def test_values_are_made_right() -> None:
    made = Sample.from_mapping({"order": 3, "share": 1, "limits": [0, 1], "upper": True})
    assert made == Sample(order=3, share=1.0, limits=(0, 1), upper=True)
    assert isinstance(made.share, float)
    assert made.replace(order=2).as_dict()["order"] == 2


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"order": 7}, "order must be at most 6, not 7."),
        ({"order": 0}, "order must be at least 1, not 0."),
        ({"order": "5"}, "order takes a whole number, not '5'."),
        ({"order": True}, "order takes a whole number, not True."),
        ({"share": float("inf")}, "share must be a finite number, not inf."),
        ({"share": float("nan")}, "share must be a finite number, not nan."),
        ({"upper": 1}, "upper takes true or false, not 1."),
        ({"mode": "fats"}, "mode cannot be 'fats' (did you mean 'fast'?)."),
        ({"limits": [1, -1]}, "limits must be at least 0, not -1."),
        ({"limits": [1, "a"]}, "limits takes a whole number, not 'a'."),
        ({"limits": [2**64]}, "limits must be at most 2147483647, not 18446744073709551616."),
        ({"number": 2**31}, "number must be at most 2147483647, not 2147483648."),
        ({"number": -(2**64)}, "number must be at least -2147483647, not -18446744073709551616."),
        ({"order": 10**400}, f"order must be at most 6, not 1{'0' * 39}… (401 characters)."),
        ({"order": 10**5000}, "order must be at most 6, not a number with thousands of digits."),
        ({"share": 10**400}, f"share must be a finite number, not 1{'0' * 39}… (401 characters)."),
        ({"share": 10**5000}, "share must be a finite number, not a number with thousands of digits."),
        ({"mode": 10**5000}, "mode takes a text, not a number with thousands of digits."),
        ({"oder": 3}, "unknown option 'oder' (did you mean 'order'?)."),
        ({"qqq": 3}, "unknown option 'qqq' (known: limits, mode, name, number, order, share, upper)."),
    ],
)
def test_a_wrong_value_gets_a_sentence(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError) as error:
        Sample.from_mapping(values)
    assert error.value.message == sentence


def test_toml_names_the_file_and_the_section(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("[sample]\nmode = 'exact'\n")
    assert read_toml(path, {"sample": Sample}) == {"sample": {"mode": "exact"}}
    cases = [
        ("[sampel]\n", OptionError, "did you mean 'sample'"),
        ("[sample]\nordr = 1\n", OptionError, "did you mean 'order'"),
        ("[sample]\norder = 9\n", OptionError, "at most 6"),
        ("order = 1\n", OptionError, "outside a section|unknown section"),
        ("sample = 1\n", OptionError, "outside a section"),
        ("[sample\n", InputError, "not a TOML file"),
        ("[sample]\norder = 18446744073709551616\n", OptionError, "at most 6"),
        (f"[sample]\norder = {'9' * 5000}\n", InputError, "not a TOML file"),
        (f"[sample]\norder = {'[' * 5000}\n", InputError, "nested too deeply"),
    ]
    for text, kind, sentence in cases:
        path.write_text(text)
        with pytest.raises(kind, match=sentence) as error:
            read_toml(path, {"sample": Sample})
        assert str(path) in str(error.value)
    with pytest.raises(InputError, match="no such file"):
        read_toml(tmp_path / "none.toml", {})
    with pytest.raises(InputError, match=r"this is a folder|permission denied"):
        read_toml(tmp_path, {})


@pytest.mark.parametrize("name", [name for name, stage in STAGES.items() if "threads" in stage().as_dict()])
def test_threads_are_limited(name: str) -> None:
    assert STAGES[name].from_mapping({"threads": 1024}).as_dict()["threads"] == 1024
    with pytest.raises(OptionError, match="threads must be at most 1024, not 2147483648"):
        STAGES[name].from_mapping({"threads": 2**31})


@pytest.mark.parametrize("stage", STAGES.values())
def test_defaults_would_pass_the_checks_that_they_are_spared(stage: type[Options]) -> None:
    for field in dataclasses.fields(stage):
        checked = _checked(field, stage())
        assert (type(checked), checked) == (type(field.default), field.default)


def test_the_template_is_a_file_that_gives_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "all.toml"
    path.write_text(template({"sample": Sample}, only_for))
    assert Sample.from_mapping(read_toml(path, {"sample": Sample})["sample"]) == Sample()


def test_the_option_page_is_up_to_date() -> None:
    page = Path(__file__).parent.parent / "docs" / "reference" / "options.md"
    assert page.read_text(encoding="utf-8") == markdown(STAGES, only_for), (
        "run: graphmt options --markdown > docs/reference/options.md"
    )
