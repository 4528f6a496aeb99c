"""The built wheel installs and imports in an environment that has never seen the source."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from source import ROOT

import vfnb

PIP = (sys.executable, "-m", "pip", "-q", "--disable-pip-version-check")
SOURCES = ("LICENSE", "README.md", "pyproject.toml")


def run(*command: str | Path, cwd: Path) -> str:
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Built from a copy: setuptools leaves a build folder beside the source, and takes stale files out of it.
    tree = tmp_path_factory.mktemp("tree")
    for name in SOURCES:
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "vfnb", tree / "vfnb", ignore=shutil.ignore_patterns("__pycache__"))
    pip = (sys.executable, "-m", "pip", "-q", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", "dist", ".", cwd=tree)
    (built,) = (tree / "dist").glob("*.whl")
    return built


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "vfnb").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    held = {name for name in ZipFile(wheel).namelist() if name.startswith("vfnb/")}

    assert held == expected


def test_the_wheel_names_the_version_and_the_licence(wheel: Path) -> None:
    assert wheel.name == f"vfnb-{vfnb.__version__}-py3-none-any.whl"
    assert f"vfnb-{vfnb.__version__}.dist-info/licenses/LICENSE" in ZipFile(wheel).namelist()


def test_the_wheel_installs_and_imports_in_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "fresh", with_pip=False, system_site_packages=False)
    python = tmp_path / "fresh" / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path))
    run(*PIP, "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    # The libraries are seen by a plain path, whose own .pth files (an editable vfnb) Python does not follow.
    libraries = Path(pytest.__file__).parent.parent
    (site / "libraries.pth").write_text(f"{libraries}\n", encoding="utf-8")

    code = "import vfnb; names = [getattr(vfnb, name) for name in vfnb.__all__]; print(vfnb.__file__)"
    found = run(python, "-c", code, cwd=tmp_path)

    assert Path(found).is_relative_to(tmp_path / "fresh")
