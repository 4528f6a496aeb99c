from pathlib import Path

import yaml
from source import ROOT

from vfnb.session.citation import citation
from vfnb.session.environment import code_here, numeric_environment, wider_environment
from vfnb.session.receipt import thinned


def test_a_long_runs_receipt_keeps_few_fingerprints_and_the_last() -> None:
    kept = thinned({step: str(step) for step in range(1, 100_002)})

    assert len(kept) <= 1000
    assert list(kept)[-1] == 100_001
    assert all(step % 128 == 0 for step in list(kept)[:-1])


def test_a_short_runs_receipt_keeps_all() -> None:
    assert thinned({3: "c", 1: "a"}) == {1: "a", 3: "c"}


def test_the_entries_to_cite_are_those_of_the_citation_file() -> None:
    file = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    (paper,) = file["references"]

    text = citation(file["version"])

    assert paper["title"] in text
    assert paper["collection-title"] in text
    assert f"year = {{{paper['year']}}}" in text
    assert all(author["family-names"] in text for author in paper["authors"])
    assert file["authors"][0]["name"] in text
    assert f"version = {{{file['version']}}}" in text


def test_the_environment_is_words_and_its_two_parts_share_none() -> None:
    numeric, wider = numeric_environment(), wider_environment()

    assert not numeric.keys() & wider.keys()
    assert all(isinstance(text, str) and text for text in (numeric | wider).values())


def test_a_folder_without_a_repository_has_no_commit(tmp_path: Path) -> None:
    assert code_here(tmp_path) is None
    assert code_here(tmp_path / "nowhere") is None
