#!/usr/bin/env python3
"""Times reading one CSV log: Backflow, pandas.read_csv and numpy.loadtxt, in turns, in one run.

    read_csv.py BENCH_CSV FILE OUT.json [REPEATS]

Every reader gets the file from the page cache, and each turn runs all of them, so that whatever
else the machine does is shared; the median over the turns is reported, on the clock and on the
processor (all threads together), which a busy machine disturbs less. Backflow's time has in it
what the others do not do: checks of every value, episodes, probabilities."""
import json
import os
import statistics
import subprocess
import sys
import time

import numpy
import pandas


def backflow(program, path, threads):
    out = subprocess.run([program, "read", path, str(threads)], check=True, capture_output=True,
                         text=True).stdout
    return tuple(map(float, out.split()))


def timed(call):
    begun, processor = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - begun, time.process_time() - processor


def main():
    program, path, out = sys.argv[1:4]
    repeats = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    size = os.path.getsize(path)
    readers = {
        "backflow, 1 thread": lambda: backflow(program, path, 1),
        "backflow, all threads": lambda: backflow(program, path, 0),
        "pandas.read_csv": lambda: timed(lambda: pandas.read_csv(path)),
        "pandas.read_csv, round_trip": lambda: timed(
            lambda: pandas.read_csv(path, float_precision="round_trip")),
        "numpy.loadtxt": lambda: timed(lambda: numpy.loadtxt(path, delimiter=",", skiprows=1)),
    }
    with open(path, "rb") as file:  # into the page cache
        while file.read(1 << 24):
            pass
    seconds = {name: [] for name in readers}
    for _ in range(repeats):
        for name, reader in readers.items():
            seconds[name].append(reader())
    median = {name: statistics.median(v[0] for v in values) for name, values in seconds.items()}
    busy = {name: statistics.median(v[1] for v in values) for name, values in seconds.items()}
    base = busy["backflow, 1 thread"]
    print(f"{size / 1e6:.0f} MB, median of {repeats}; pandas {pandas.__version__}, "
          f"numpy {numpy.__version__}, {os.cpu_count()} processors")
    print(f"{'reader':28} {'seconds':>8} {'MB/s':>6} {'on processor':>13} {'MB/s':>6} {'ratio':>7}")
    for name in readers:
        print(f"{name:28} {median[name]:8.3f} {size / 1e6 / median[name]:6.0f} {busy[name]:13.3f} "
              f"{size / 1e6 / busy[name]:6.0f} {busy[name] / base:6.2f}x")
    with open(out, "w") as file:
        json.dump({"bytes": size, "repeats": repeats, "median_seconds": median,
                   "median_processor_seconds": busy, "seconds": seconds,
                   "pandas": pandas.__version__, "numpy": numpy.__version__}, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
