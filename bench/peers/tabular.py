#!/usr/bin/env python3
"""Times the tabular black-box estimate on a large finite log, and the same in NumPy.

    tabular.py TOOL FOLDER OUT.json [REPEATS]

NumPy's version counts transitions with bincount, builds the chain of the target policy on the
states and solves for its stationary distribution. It can do so only where the log covers the
policy; Backflow also solves the log with gaps, a quadratic program over 11,800 pairs. Times leave
out reading the file. Medians over turns, on the clock."""
import json
import statistics
import subprocess
import sys
import time

import numpy as np

S, A, N, BRANCH = 2000, 6, 1_000_000, 10


def make(path, gaps, rng):
    """Random walks; every pair has BRANCH successors. With gaps, action 5 is never taken in every
    tenth state."""
    to = rng.integers(0, S, (S, A, BRANCH))
    s, a, ns = (np.empty(N, int) for _ in range(3))
    state = np.arange(1000) % S  # a thousand walks side by side
    for i in range(0, N, 1000):
        act = rng.integers(0, A, 1000)
        if gaps:
            act = np.where((state % 10 == 0) & (act == A - 1), 0, act)
        after = to[state, act, rng.integers(0, BRANCH, 1000)]
        s[i:i + 1000], a[i:i + 1000], ns[i:i + 1000] = state, act, after
        state = after
    pi = rng.dirichlet(np.ones(A), S)
    np.savez(path, s=s, a=a, r=rng.normal(size=N), ns=ns, npi=pi[ns])
    np.save(str(path)[:-4] + "-pi.npy", pi)


def in_numpy(log, pi):
    s, a, r, ns = (log[k] for k in ("s", "a", "r", "ns"))
    cell = s * A + a
    share = pi.ravel()[cell] / np.bincount(cell, minlength=S * A)[cell]
    p = np.bincount(s * S + ns, weights=share, minlength=S * S).reshape(S, S)
    m = np.eye(S) - p.T
    m[-1] = 1
    d = np.linalg.solve(m, np.eye(S)[-1])
    return d[s] @ (share * r)


def main():
    tool, folder, out = sys.argv[1:4]
    repeats = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    rng = np.random.default_rng(1)
    rows = {"backflow, covered": [], "NumPy, covered": [], "backflow, with gaps": []}
    values = {}
    for name in ("covered", "gaps"):
        make(f"{folder}/{name}.npz", name == "gaps", rng)
    log = dict(np.load(f"{folder}/covered.npz"))
    pi = np.load(f"{folder}/covered-pi.npy")
    for _ in range(repeats):
        for name, label in (("covered", "backflow, covered"), ("gaps", "backflow, with gaps")):
            answer = json.loads(subprocess.run(
                [tool, "estimate", f"{folder}/{name}.npz", "--json", "--quiet"], check=True,
                capture_output=True, text=True).stdout)
            rows[label].append(answer["seconds"]["estimate"])
            values[label] = answer["value"]
        begun = time.perf_counter()
        values["NumPy, covered"] = in_numpy(log, pi)
        rows["NumPy, covered"].append(time.perf_counter() - begun)
    median = {name: statistics.median(seconds) for name, seconds in rows.items()}
    print(f"{S} states x {A} actions, {N} transitions, median of {repeats}; numpy {np.__version__}")
    for name, seconds in median.items():
        print(f"{name:22} {seconds:7.3f} s   {seconds / median['backflow, covered']:6.2f}x"
              f"   value {values[name]:.12f}")
    with open(out, "w") as file:
        json.dump({"median_seconds": median, "seconds": rows, "values": values}, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
