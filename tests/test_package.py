"""The public names of the package, and the version."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import graphmt
import pytest

ROOT = Path(__file__).parent.parent


def test_every_public_name_is_there() -> None:
    for name in graphmt.__all__:
        assert getattr(graphmt, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'tranlsate'"):
        _ = graphmt.tranlsate  # type: ignore[attr-defined]


def test_functions_are_not_hidden_by_modules() -> None:
    """A module that is imported later must not take the place of a function of the same name."""
    script = (
        "import graphmt, graphmt.evaluate.comparison, graphmt.tune.step, graphmt.model.model\n"
        "names = 'train', 'tune_model', 'compare', 'load', 'rerank'\n"
        "print([type(getattr(graphmt, name)).__name__ for name in names])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(ast.literal_eval(done.stdout)) == {"function"}


def test_importing_the_package_does_not_import_the_parts() -> None:
    """A worker process or a script that needs one part must not wait for all of them."""
    script = (
        "import sys; before = set(sys.modules); import graphmt\n"
        "print(sorted(name for name in set(sys.modules) - before if name != '__future__'))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['graphmt']"


def test_modules_that_the_documentation_teaches_are_public() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    taught = {name for page in pages for name in re.findall(r"(?:from|import) graphmt\.(\w+)", page.read_text("utf-8"))}
    taught |= {name for page in pages for name in re.findall(r"\bgraphmt\.(\w+)\(", page.read_text("utf-8"))}
    assert {"corpus", "train", "load"} <= taught
    assert taught <= set(graphmt.__all__)


#: Where links of the README lead, which the package index shows without the files beside it.
LINK = re.compile(
    r"https://(?:github\.com/graphmt/graphmt/blob|raw\.githubusercontent\.com/graphmt/graphmt)/main/([^)#]+)"
)


def test_links_of_the_readme_work_outside_the_repository() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert len(links) > 10
    assert [link for link in links if not link.startswith("https://")] == []
    paths = [found[1] for link in links if (found := LINK.match(link))]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_pythons_that_are_named_are_tested() -> None:
    about = (ROOT / "pyproject.toml").read_text("utf-8")
    jobs = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    named = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', about)
    assert f"python: {json.dumps(named)}" in jobs
    assert f'requires-python = ">={named[0]}"' in about


def test_versions_agree() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text("utf-8"), re.MULTILINE)
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert version and cited and version[1] == cited[1] == graphmt.__version__


#: The packages that others bring, in the version that they need, and two whose modules have other names.
BROUGHT_BY = {"starlette": "fastapi", "pydantic_core": "pydantic", "py4j": "pyspark"}
OTHER_NAMES = {"thot": "sil-thot", "ufal": "ufal-udpipe"}


def test_every_package_that_is_imported_is_declared() -> None:
    about = (ROOT / "pyproject.toml").read_text("utf-8").partition("[project.scripts]")[0]
    declared = {re.sub(r"[-_.]+", "-", name) for name in re.findall(r'"([A-Za-z][\w.-]*)[^"\n]*[>=]=[^"\n]*"', about)}
    aliases = {**BROUGHT_BY, **OTHER_NAMES}
    imported = {name for path in (ROOT / "python").rglob("*.py") for name in _imported(path)}
    others = imported - set(sys.stdlib_module_names) - {"graphmt", "_typeshed", "tomllib"}
    assert {"numpy", "pydantic"} <= others
    assert sorted(name for name in others if aliases.get(name, name).replace("_", "-") not in declared) == []


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module).partition(".")[0]
