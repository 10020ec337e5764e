"""``backflow`` and ``python -m backflow``: the command that came with the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from . import _blas


def main() -> None:
    """Becomes the tool: its output, exit status and signals are its own."""
    _blas.choose()
    tool = Path(__file__).parent / "bin" / "backflow"
    os.execv(tool, ["backflow", *sys.argv[1:]])


if __name__ == "__main__":
    main()
