"""table.py MUJOCO.tsv - Tables of what bench/mujoco.sh has measured.

By task and method: RMSE and bias over the logs, RMSE over that of naive on the same logs, how often the
verdict is sound, processor seconds. `apart` is the mean of a method's squared error less the default's on the
logs that both have, in standard errors: above 2 the default is better, below -2 the method is. Of `interval`: how
many intervals hold the truth, and how wide they are."""

import csv
import sys
from collections import defaultdict

import numpy as np


def main():
    runs, truth = defaultdict(dict), {}
    with open(sys.argv[1]) as f:
        for row in csv.DictReader(f, delimiter="\t"):
            if row["value"]:
                key = row["task"], int(row["rows"])
                runs[key].setdefault(row["method"], {})[int(row["seed"])] = row
                truth[key] = float(row["truth"])
    for key, methods in runs.items():
        def errors(method):
            return {s: float(r["value"]) - truth[key] for s, r in methods.get(method, {}).items()}

        print(f"{key[0]}, {key[1]} rows, truth {truth[key]:.4f}")
        print(f"  {'method':<10} {'logs':>4} {'rmse':>8} {'bias':>8} {'/naive':>7} {'apart':>6} {'sound':>6} {'seconds':>8}")
        naive, default = errors("naive"), errors("default")
        for method, rows in methods.items():
            e = errors(method)
            both = [s for s in e if s in naive]
            ratio = np.sqrt(np.mean([e[s] ** 2 for s in both]) / np.mean([naive[s] ** 2 for s in both])) if both else np.nan
            gap = np.array([e[s] ** 2 - default[s] ** 2 for s in e if s in default])
            known = method not in ("default", "interval") and len(gap) > 1 and np.std(gap) > 0
            apart = np.mean(gap) / (np.std(gap, ddof=1) / np.sqrt(len(gap))) if known else np.nan
            sound = sum(r["verdict"].strip('"') == "sound" for r in rows.values())
            x = np.array(list(e.values()))
            print(f"  {method:<10} {len(x):>4} {np.sqrt(np.mean(x**2)):>8.4f} {np.mean(x):>+8.4f} {ratio:>7.3f} {apart:>6.1f} "
                  f"{sound:>6} {np.mean([float(r['seconds']) for r in rows.values()]):>8.1f}")
        held = [(float(r["low"]), float(r["high"])) for r in methods.get("interval", {}).values() if r["low"]]
        if held:
            inside = sum(low <= truth[key] <= high for low, high in held)
            print(f"  intervals: {inside} of {len(held)} hold the truth, half-width {np.mean([h - l for l, h in held]) / 2:.4f}")


main()
