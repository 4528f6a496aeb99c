"""The `vfnb` command."""

from vfnb.cli.main import main

__all__ = ["main"]
