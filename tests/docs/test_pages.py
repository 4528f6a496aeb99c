"""The pages under docs/ keep their word: promises name tests that exist, links lead somewhere."""

import ast
import re
from pathlib import Path

import pytest
from source import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
LINKS = [
    (page, link)
    for page in PAGES
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    if "://" not in link
]
PROMISES = (DOCS / "promises.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PROMISES.splitlines()
    if line.startswith("| ") and not line.startswith(("| guarantee", "| ---"))
]


def named_tests(text: str) -> list[str]:
    return re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", text)


def exists(named: str) -> bool:
    name, _, function = named.partition("::")
    path = ROOT / name
    if not path.is_file():
        return False
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return not function or any(isinstance(node, ast.FunctionDef) and node.name == function for node in ast.walk(tree))


@pytest.mark.parametrize("named", sorted(set(named_tests(PROMISES))))
def test_a_test_named_by_a_promise_exists(named: str) -> None:
    assert exists(named)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_promise_names_its_test(row: list[str]) -> None:
    guarantee, assumptions, end, test = row

    assert guarantee
    assert assumptions
    assert end
    assert named_tests(test)


def test_a_promise_without_a_test_is_noticed() -> None:
    assert not exists("tests/docs/test_pages.py::test_that_nobody_wrote")
    assert not exists("tests/docs/test_nothing.py")


@pytest.mark.parametrize(("page", "link"), LINKS, ids=lambda value: str(value).removeprefix(f"{ROOT}/"))
def test_a_link_leads_somewhere(page: Path, link: str) -> None:
    assert (page.parent / link).exists()


def test_every_decision_is_listed() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    decisions = sorted((DOCS / "adr").glob("[0-9]*.md"))

    assert [path.name for path in decisions if f"(adr/{path.name})" not in index] == []
