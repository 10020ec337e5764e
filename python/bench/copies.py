"""copies.py [ROWS] - How often a frame is copied on its way into a log.

Makes a frame of 10 million rows (four numbers of a state, an action, a reward, an episode and a step,
640 MB as doubles), makes a log of it, and says how much memory that took beside what the log has to
hold: its columns as doubles (next states too), 4 bytes per action, 8 per row for its place in the
frame and 8 for its place in the episode. A second copy of the frame would show as its size in MB.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Any

import numpy as np

import backflow as bf


def resident(peak: bool) -> float:
    """MB that the process has, or had at most."""
    if peak:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def columns(n: int) -> dict[str, Any]:
    draw = np.random.default_rng(1)
    made: dict[str, Any] = {f"x{j}": draw.random(n) for j in range(4)}
    made["act"] = draw.integers(0, 3, n)
    made["gain"] = draw.random(n)
    made["who"] = np.arange(n) // 100
    made["step"] = np.arange(n) % 100
    return made


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    library = sys.argv[2] if len(sys.argv) > 2 else "polars"
    frame: Any = columns(n)
    if library == "polars":
        import polars

        frame = polars.DataFrame(frame)
    elif library == "pyarrow":
        import pyarrow

        frame = pyarrow.table(frame)
    elif library == "pandas":
        import pandas

        frame = pandas.DataFrame(frame)
    before = resident(peak=False)
    began = time.perf_counter()
    log = bf.Log(frame, state=["x0", "x1", "x2", "x3"], action="act", reward="gain", episode="who", time="step")
    seconds = time.perf_counter() - began
    after, peak = resident(peak=False), resident(peak=True)
    held = len(log) * (8 * (4 + 4 + 1) + 4 + 2 + 8 + 8) / 2**20
    print(
        f"{library}: {n} rows, frame {n * 64 / 2**20:.0f} MB, log made in {seconds:.1f} s; memory grew by "
        f"{after - before:.0f} MB, of which columns of the log are {held:.0f} MB; at most {peak - before:.0f} MB"
    )


if __name__ == "__main__":
    main()
