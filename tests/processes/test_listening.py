"""Nobody beyond this machine can reach a job: what its processes listen on is loopback."""

import ipaddress
import os
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from kernels import interpreter
from processes import descendants

TABLES = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}  # a table, and the state of a socket that waits
TRAIN = """
job = begun({method!r})
print(len(job.workers), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_a_job_listens_on_loopback_only(method: str, tmp_path: Path) -> None:
    with interpreter(tmp_path, TRAIN.format(method=method)) as kernel:
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "2\n"

        found = list(_listening([kernel.pid, *(one.pid for one in descendants(kernel.pid))]))

    assert len(found) >= 2  # the workers' groups: were none found, this test would look in the wrong place
    assert [address for address in found if not address.is_loopback] == []


@pytest.mark.parametrize(
    ("family", "kind", "everywhere"),
    [
        (socket.AF_INET, socket.SOCK_STREAM, "0.0.0.0"),
        (socket.AF_INET6, socket.SOCK_STREAM, "::"),
        (socket.AF_INET, socket.SOCK_DGRAM, "0.0.0.0"),
    ],
)
def test_a_socket_that_all_can_reach_would_be_noticed(family: int, kind: int, everywhere: str) -> None:
    with socket.socket(family, kind) as one:
        one.bind((everywhere, 0))
        if kind == socket.SOCK_STREAM:
            one.listen()

        assert ipaddress.ip_address(everywhere) in _listening([os.getpid()])


Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _listening(pids: Iterable[int]) -> Iterator[Address]:
    """Give the addresses on which processes wait for connections or datagrams."""
    ours = {inode for pid in pids for inode in _sockets(pid)}
    for table, waiting in TABLES.items():
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == waiting and fields[9] in ours:
                yield _address(fields[1])


def _sockets(pid: int) -> Iterator[str]:
    """Give the inodes of a process's sockets."""
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(fd.readlink())
        except FileNotFoundError:
            continue  # closed meanwhile
        if target.startswith("socket:["):
            yield target.removeprefix("socket:[").removesuffix("]")


def _address(text: str) -> Address:
    # Hexadecimal, in words of four bytes, each in the machine's own order.
    raw = bytes.fromhex(text.partition(":")[0])
    words = [int.from_bytes(raw[at : at + 4], "little").to_bytes(4, "big") for at in range(0, len(raw), 4)]
    address = ipaddress.ip_address(b"".join(words))
    return getattr(address, "ipv4_mapped", None) or address
