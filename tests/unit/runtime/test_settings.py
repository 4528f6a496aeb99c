"""What is set for a whole process."""

import platform
import subprocess
import sys

import pytest

_CODE = """
import resource
from vfnb.runtime.settings import keep_freed_memory

def pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        held = [b"1" * (8 << 20) for _ in range(3)]
        del held
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

without = pages()
keep_freed_memory()
pages()
print(without, pages())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another system's allocator is left as it is")
def test_memory_that_was_freed_is_not_asked_for_page_by_page_again() -> None:
    said = subprocess.run([sys.executable, "-c", _CODE], check=True, capture_output=True, text=True, timeout=60)

    without, kept = map(int, said.stdout.split())
    assert without > 20_000, "else there is nothing to win"
    assert kept < 1_000
