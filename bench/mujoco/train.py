"""train.py TASK OUT.json [SECONDS [SEED]] - A linear policy for a MuJoCo task by augmented random search.

Actions are W (obs - mean) / deviation, clipped to the action box. Directions are drawn, the returns of
W + noise D and W - noise D measured, and W moved along the best of them (Mania, Guy, Recht 2018, V2-t).
Keeps the best W, and an earlier one of about half its return, with the statistics of the observations.
Stops after SECONDS of processor time."""

import json
import sys
import time

import gymnasium
import numpy as np

# directions, of which the best are used, step, noise, reward taken off each step while training
SETTINGS = {
    "Swimmer-v5": (1, 1, 0.02, 0.01, 0.0),
    "Hopper-v5": (8, 4, 0.02, 0.025, 1.0),
    "HalfCheetah-v5": (8, 4, 0.02, 0.03, 0.0),
    "Walker2d-v5": (16, 8, 0.03, 0.025, 1.0),
    "InvertedDoublePendulum-v5": (8, 4, 0.02, 0.03, 0.0),
    "Reacher-v5": (16, 8, 0.02, 0.03, 0.0),
}
LENGTH = {"Reacher-v5": 50, "InvertedDoublePendulum-v5": 500}


class Moments:
    def __init__(self, d):
        self.n, self.mean, self.square = 0, np.zeros(d), np.zeros(d)

    def add(self, x):
        self.n += 1
        gap = x - self.mean
        self.mean += gap / self.n
        self.square += gap * (x - self.mean)

    def deviation(self):
        s = np.sqrt(self.square / max(self.n - 1, 1))
        return np.where(s < 1e-7, 1.0, s)


def episode(env, w, mean, scale, length, seed, off, moments=None):
    x, _ = env.reset(seed=seed)
    total = shaped = 0.0
    low, high = env.action_space.low, env.action_space.high
    for _ in range(length):
        if moments is not None:
            moments.add(x)
        x, r, ended, _, _ = env.step(np.clip(w @ ((x - mean) / scale), low, high))
        total += r
        shaped += r - off
        if ended:
            break
    return total, shaped


def main():
    task, out = sys.argv[1], sys.argv[2]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 240
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    count, top, step, noise, off = SETTINGS[task]
    length = LENGTH.get(task, 1000)
    rng = np.random.default_rng(seed)
    env = gymnasium.make(task, max_episode_steps=10**9).unwrapped
    d, k = env.observation_space.shape[0], env.action_space.shape[0]
    w, moments, kept, begin, rounds = np.zeros((k, d)), Moments(d), [], time.process_time(), 0
    while time.process_time() - begin < seconds:
        mean, scale = moments.mean.copy(), moments.deviation() if moments.n else np.ones(d)
        if rounds % 10 == 0:
            score = np.mean([episode(env, w, mean, scale, length, 10**6 + e, off)[0] for e in range(3)])
            kept.append((score, w.copy(), mean, scale))
            print(task, rounds, round(float(score), 2), flush=True)
        results = []
        for _ in range(count):
            direction, s = rng.standard_normal((k, d)), int(rng.integers(10**6))
            plus = episode(env, w + noise * direction, mean, scale, length, s, off, moments)[1]
            minus = episode(env, w - noise * direction, mean, scale, length, s, off, moments)[1]
            results.append((max(plus, minus), plus, minus, direction))
        results.sort(key=lambda x: -x[0])
        best = results[:top]
        spread = np.std([x for r in best for x in r[1:3]]) + 1e-9
        w = w + step / (top * spread) * sum((p - m) * v for _, p, m, v in best)
        rounds += 1
    best = max(kept, key=lambda x: x[0])
    low = kept[0][0]
    half = min(kept, key=lambda x: abs(x[0] - low - 0.5 * (best[0] - low)))
    policies = {}
    for name, (score, w, mean, scale) in (("best", best), ("earlier", half)):
        gain = w / scale
        policies[name] = {"return": round(float(score), 2),
                          "gain": [[float(f"{g:.5g}") for g in row] for row in gain],
                          "shift": [float(f"{g:.5g}") for g in -gain @ mean]}
    with open(out, "w") as f:
        json.dump({"task": task, "seed": seed, "rounds": rounds, "policies": policies}, f, indent=None)
        f.write("\n")


main()
