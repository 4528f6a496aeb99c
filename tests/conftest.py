"""What every test gets: one torch thread, an untouched environment, and honest skips."""

import os
import shutil
from collections.abc import Iterator

import hypothesis
import pytest

# What a launcher, or a shell set up for one, leaves behind and torch or accelerate would act on.
LAUNCHER_NAMES = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
LAUNCHER_PREFIXES = ("ACCELERATE_", "TORCHELASTIC_", "FSDP_")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

hypothesis.settings.register_profile("vfnb", deadline=None, max_examples=50, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("vfnb")


@pytest.fixture(scope="session", autouse=True)
def _one_torch_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _clean_environ(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    before = dict(os.environ)
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.getbasetemp() / "cache")  # never the user's profiles
    for name in before:
        if name in LAUNCHER_NAMES or name.startswith(LAUNCHER_PREFIXES):
            del os.environ[name]
    yield
    os.environ.clear()
    os.environ.update(before)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") is not None:
        import torch

        if not torch.cuda.is_available():
            pytest.skip("needs a CUDA device and there is none here")
    if item.get_closest_marker("browser") is not None and not any(map(shutil.which, BROWSERS)):
        if "CI" in os.environ:
            pytest.fail("needs Chromium, which .ci/run installs, and there is none here")
        pytest.skip("needs Chromium and there is none here: install the package chromium")
