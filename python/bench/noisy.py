"""noisy.py ROWS OUT.npz [SEED] - A log with noisy steps in four dimensions, and what its target policy earns.

Two points on a line, each with a velocity, are tied together by a spring and pushed left or right, or not at all, with
noise in every number. The reward is high if they are near 1 and slow. The log is of a policy that pushes at random;
the target pushes towards 1 as a rule. Episodes have 200 steps. Prints the mean reward of the target over 2,000
episodes of 1,200 steps, less the first 200, with its standard error, unless ROWS is above 1,000,000. Needs numpy.
"""

import sys

import numpy as np

STEPS = 200


def policy(s):
    """The target at states (n, 4): probabilities (n, 3) of left, nothing, right."""
    push = 1 / (1 + np.exp(-3 * (1 - s[:, 0] - 0.5 * s[:, 1])))
    return np.stack([0.1 + 0.7 * (1 - push), np.full(len(s), 0.2), 0.7 * push], axis=1)


def step(s, a, rng):
    x, v, y, w = s.T
    pull = 0.5 * (y - x)
    v = 0.9 * v + 0.1 * (pull + 1.5 * (a - 1.0) - 0.3 * x) + 0.05 * rng.standard_normal(len(s))
    w = 0.9 * w - 0.1 * (pull + 0.3 * y) + 0.05 * rng.standard_normal(len(s))
    after = np.stack([x + 0.3 * v, v, y + 0.3 * w, w], axis=1) + 0.02 * rng.standard_normal(s.shape)
    reward = np.exp(-((x - 1) ** 2) - (y - 1) ** 2) - 0.2 * v**2 + 0.1 * rng.standard_normal(len(s))
    return after.astype(np.float32).astype(np.float64), reward


def choose(p, rng):
    return (rng.random((len(p), 1)) > np.cumsum(p, axis=1)[:, :2]).sum(axis=1)


def begin(n, rng):
    return (0.3 * rng.standard_normal((n, 4))).astype(np.float32).astype(np.float64)


def write(rows, path, rng):
    episodes = rows // STEPS
    s = begin(episodes, rng)
    columns = {name: [] for name in ("s", "ns", "a", "r", "pi", "npi")}
    for _ in range(STEPS):
        a = rng.integers(0, 3, episodes)
        after, r = step(s, a, rng)
        found = {"s": s, "ns": after, "r": r, "pi": policy(s), "npi": policy(after)}
        for name, values in found.items():
            columns[name].append(values.astype(np.float32))
        columns["a"].append(a.astype(np.int8))
        s = after
    flat = {name: np.stack(parts, axis=1).reshape(rows, *parts[0].shape[1:]) for name, parts in columns.items()}
    np.savez(path, episode=np.repeat(np.arange(episodes, dtype=np.int32), STEPS), **flat)


def truth(rng):
    s = begin(2000, rng)
    total = np.zeros(len(s))
    for t in range(1200):
        s, r = step(s, choose(policy(s), rng), rng)
        total += r if t >= 200 else 0
    return total.mean() / 1000, total.std() / 1000 / len(s) ** 0.5


rows, path = int(sys.argv[1]) // STEPS * STEPS, sys.argv[2]
rng = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
write(rows, path, rng)
if rows <= 1000000:
    print("%.5f +- %.5f" % truth(np.random.default_rng(0)))
