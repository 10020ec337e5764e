"""change.py HOW SEED LOG.npz OUT.npz: the same log, told differently.

HOW is one of
  scale    every column of the state in another unit (factors from 0.01 to 100)
  repeat   the first column of the state a second time
  mix      the columns of the state, in deviations, turned by a random rotation
  noise    one more column, of numbers that mean nothing
  split    action 0 is two actions; the log and the policy choose between them by a coin
  order    the episodes in another order
"""

import sys

import numpy as np


def states(log, change):
    both = np.concatenate([log["s"], log["ns"]])
    made = change(both)
    return {**log, "s": made[: len(log["s"])], "ns": made[len(log["s"]) :]}


def split(log, rng):
    second = (log["a"] == 0) & (rng.random(len(log["a"])) < 0.5)
    out = {**log, "a": np.where(second, log["pi"].shape[1], log["a"])}
    for name in ("pi", "npi"):
        half = log[name][:, :1] / 2
        out[name] = np.concatenate([half, log[name][:, 1:], half], axis=1)
    out["mu"] = np.where(log["a"] == 0, log["mu"] / 2, log["mu"])
    return out


def noise(log, rng):
    """What comes next in the new column is what the next row has: it is part of the process."""
    x = rng.normal(size=len(log["r"]))
    follows = (log["episode"][1:] == log["episode"][:-1]) & (log["t"][1:] == log["t"][:-1] + 1)
    nx = np.append(np.where(follows, x[1:], rng.normal(size=len(x) - 1)), rng.normal())
    return {
        **log,
        "s": np.column_stack([log["s"], x]),
        "ns": np.column_stack([log["ns"], nx]),
    }


def order(log, rng):
    _, which = np.unique(log["episode"], return_inverse=True)
    place = rng.permutation(which.max() + 1)[which]
    rows = np.argsort(place, kind="stable")
    return {name: column[rows] for name, column in log.items()}


def main(how, seed, source, target):
    with np.load(source) as file:
        log = dict(file)
    rng = np.random.default_rng(int(seed))
    d = log["s"].shape[1]
    if how == "scale":
        log = states(log, lambda x: x * 10 ** rng.uniform(-2, 2, d))
    elif how == "repeat":
        log = states(log, lambda x: np.column_stack([x, x[:, 0]]))
    elif how == "mix":
        turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
        log = states(log, lambda x: (x / x.std(axis=0)) @ turn)
    else:
        log = {"noise": noise, "split": split, "order": order}[how](log, rng)
    np.savez(target, **log)


if __name__ == "__main__":
    main(*sys.argv[1:])
