"""What pyproject.toml and Binder's files say agrees with itself and with what the tests run on."""

import os
import re
import tomllib
from importlib.metadata import version

import pytest
import yaml
from packaging.requirements import Requirement
from source import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
CORE = {requirement.name: requirement for requirement in map(Requirement, PROJECT["dependencies"])}
RUN_TIME = CORE | {
    requirement.name: requirement
    for extra in ("notebook", "demo", "scheduling", "papers")
    for requirement in map(Requirement, EXTRAS[extra])
}
BINDER = yaml.safe_load((ROOT / "binder" / "environment.yml").read_text(encoding="utf-8"))
POST_BUILD = (ROOT / "binder" / "postBuild").read_text(encoding="utf-8")
BY_PIP = [Requirement(word) for word in re.findall(r"\S+==\S+", POST_BUILD)]
BINDERS_OWN = {"ipython", "jupyterlab"}  # the service brings the front end, and keeps it current
CONDA_NAMES = {"pytorch-cpu": "torch"}


def test_the_extra_all_holds_every_run_time_extra() -> None:
    named = {extra for requirement in map(Requirement, EXTRAS["all"]) for extra in requirement.extras}

    assert named == set(EXTRAS) - {"all", "dev"}


def test_no_extra_names_torch() -> None:
    named = {Requirement(text).name for requirements in EXTRAS.values() for text in requirements}

    assert "torch" not in named


@pytest.mark.parametrize("requirement", RUN_TIME.values(), ids=str)
def test_installed_version_is_in_the_range(requirement: Requirement) -> None:
    assert requirement.specifier.contains(version(requirement.name), prereleases=True)


@pytest.mark.parametrize("line", [line for line in BINDER["dependencies"] if not line.startswith("python=")])
def test_binder_pins_every_package_within_the_range(line: str) -> None:
    name, pinned = line.split("=")
    requirement = RUN_TIME[CONDA_NAMES.get(name, name)]

    assert requirement.specifier.contains(pinned)


def test_binder_has_all_that_the_package_the_dashboard_and_the_quickstart_need() -> None:
    names = {CONDA_NAMES.get(name, name) for name in (re.split("=", line)[0] for line in BINDER["dependencies"])}

    assert set(RUN_TIME) - BINDERS_OWN <= names | {requirement.name for requirement in BY_PIP}


@pytest.mark.parametrize("requirement", BY_PIP, ids=str)
def test_what_binder_installs_by_pip_is_the_version_that_is_tested(requirement: Requirement) -> None:
    tested = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()

    assert str(requirement) in tested


@pytest.mark.parametrize("name", ["postBuild", "start"])
def test_binder_scripts_can_be_executed(name: str) -> None:
    path = ROOT / "binder" / name

    assert os.access(path, os.X_OK)
    assert path.read_text(encoding="utf-8").startswith("#!/bin/bash\n")


def test_binder_build_stops_at_the_first_error() -> None:
    assert "\nset -e\n" in (ROOT / "binder" / "postBuild").read_text(encoding="utf-8")


def test_binder_start_hands_over_to_the_server() -> None:
    assert (ROOT / "binder" / "start").read_text(encoding="utf-8").rstrip().endswith('exec "$@"')
