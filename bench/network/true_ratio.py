"""true_ratio.py TOOL FOLDER [SEED [PROBLEM...]] - The flow residual at the true weights, beside those that fits find.

A log of 50 trajectories of 200 steps (trained policies, behaviour 0.7, target 0.9), and a run of the target
itself over a million steps. The true weight of a row is the density of that run at its state and action
over the density of the log. Both are counted: rows of the run, with the action of row i, that are no
farther from its state than its 8th neighbour among the log's rows with that action. The table has w'Kw
for equal weights, for these, and for the weights that the tool writes with --weights-out, all with the
same K: a Gaussian kernel of the median width on standardised columns times 0.7 + 0.3 [a = b], by 2,000
random Fourier features. Beside it stand the error of the weighted mean reward and the effective sample
size. Needs numpy and scipy; shares no code with the tool.
"""

import subprocess
import sys

import numpy as np
from scipy.spatial import cKDTree

NEIGHBOURS, FEATURES, SHARED = 8, 2000, 0.7
FITS = {
    "network": ["--method", "blackbox", "--weights", "neural"],
    "chain": ["--method", "blackbox", "--weights", "neighbours"],
    "default": ["--method", "blackbox"],
}


def simulate(tool, problem, path, words):
    subprocess.run([tool, "simulate", problem, *words, "--quiet", "-o", path], check=True, stdout=subprocess.DEVNULL)
    return np.load(path)


def true_weights(log, run, states):
    """Counts of the run's rows around each row of the log."""
    w = np.zeros(len(log["a"]))
    far = states(run["s"])
    for action in np.unique(log["a"]):
        rows = np.flatnonzero(log["a"] == action)
        near = states(log["s"][rows])
        k = min(NEIGHBOURS, len(rows) - 1)
        radius = cKDTree(near).query(near, k + 1)[0][:, k]
        w[rows] = cKDTree(far[run["a"] == action]).query_ball_point(near, radius, return_length=True) / k
    return w


def residual_of(log, states, rng):
    """A function from weights to w'Kw."""
    x, then, actions = states(log["s"]), states(log["ns"]), log["npi"].shape[1]
    pick = rng.integers(len(x), size=(2, 4000))
    width = np.median(np.linalg.norm(x[pick[0]] - x[pick[1]], axis=1))
    turn = rng.standard_normal((x.shape[1], FEATURES)) / width
    shift = rng.uniform(0, 2 * np.pi, FEATURES)
    z, z_then = (np.sqrt(2 / FEATURES) * np.cos(s @ turn + shift) for s in (x, then))
    took = np.eye(actions)[log["a"]]
    after = log["npi"].copy()
    ended = log["terminated"].astype(bool)
    begins = np.flatnonzero(np.r_[True, np.diff(log["episode"]) != 0])
    start = [(z[begins] * log["pi"][begins, b : b + 1]).mean(0) for b in range(actions)]

    def loss(w):
        w = w / w.sum()
        go = w * ~ended
        parts = []
        for b in range(actions):
            parts.append((w * took[:, b]) @ z - (go * after[:, b]) @ z_then - w[ended].sum() * start[b])
        together = np.sum(parts, axis=0)
        return SHARED * together @ together + (1 - SHARED) * sum(p @ p for p in parts)

    return loss


def main():
    tool, folder = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 9401
    print(f"{'problem':12} {'weights':10} {'residual':>10} {'error':>9} {'ess':>7}")
    for problem in sys.argv[4:] or ["pendulum", "mountaincar", "cartpole", "acrobot"]:
        behind = f"{folder}/{problem}.log.npz"
        log = simulate(tool, problem, behind, ["--behavior", "trained@0.7", "--target", "trained@0.9",
                                               "--episodes", "50", "--horizon", "200", "--seed", str(seed)])
        run = simulate(tool, problem, f"{folder}/{problem}.run.npz",
                       ["--behavior", "trained@0.9", "--episodes", "10", "--horizon", "100000", "--seed", str(seed)])
        middle, size = log["s"].mean(0), log["s"].std(0)
        turns = problem == "pendulum"  # an angle, and a speed

        def states(s):
            if turns:
                return np.c_[np.cos(s[:, 0]), np.sin(s[:, 0]), (s[:, 1] - middle[1]) / size[1]]
            return (s - middle) / size

        weights = {"equal": np.ones(len(log["a"])), "true": true_weights(log, run, states)}
        for name, words in FITS.items():
            path = f"{folder}/{problem}.{name}.csv"
            subprocess.run([tool, "estimate", behind, *words, "--interval", "none", "--threads", "1", "--quiet",
                            "--weights-out", path], check=True, stdout=subprocess.DEVNULL)
            table = np.genfromtxt(path, delimiter=",", names=True)
            weights[name] = table["signed" if "signed" in table.dtype.names else "weight"]
        loss, truth = residual_of(log, states, np.random.default_rng(seed)), run["r"].mean()
        for name, w in weights.items():
            w = w / w.sum()
            print(f"{problem:12} {name:10} {loss(w):10.2e} {w @ log['r'] - truth:+9.4f} {1 / (w @ w):7.0f}")


main()
