"""log.py truth POLICY.json STEPS [RUNS] - The target's reward per step in the long run, by simulation.
log.py log POLICY.json SEED ROWS OUT.npz - A log of the behaviour, with four sampled actions of the target.

The target is the best policy of the file with Gaussian noise 0.1 on the actions, clipped to their box. The
behaviour takes an earlier policy in 30 of 100 steps and has noise 0.3. There is no time limit: a task that
never ends goes on, and a log has trajectories of 500 steps. An arm that reaches for one goal for ever has no
single long run: for Reacher a step ends with probability 1/50 and a new goal is drawn."""

import json
import sys

import gymnasium
import numpy as np

LENGTH, SAMPLES = 500, 4


class Task:
    def __init__(self, path):
        with open(path) as f:
            kept = json.load(f)
        self.env = gymnasium.make(kept["task"], max_episode_steps=10**9).unwrapped
        self.low, self.high = self.env.action_space.low, self.env.action_space.high
        self.ends = 0.02 if kept["task"].startswith("Reacher") else 0
        self.gain = {k: np.array(p["gain"]) for k, p in kept["policies"].items()}
        self.shift = {k: np.array(p["shift"]) for k, p in kept["policies"].items()}

    def act(self, x, name, noise, rng):
        mean = self.gain[name] @ x + self.shift[name]
        return np.clip(mean + noise * rng.standard_normal(len(mean)), self.low, self.high)

    def target(self, x, rng):
        return self.act(x, "best", 0.1, rng)

    def behaviour(self, x, rng):
        return self.act(x, "earlier" if rng.random() < 0.3 else "best", 0.3, rng)

    def step(self, action, rng):
        x, r, ended, _, _ = self.env.step(action)
        return x, float(r), bool(ended) or rng.random() < self.ends


def truth(task, steps, runs):
    means = []
    for run in range(runs):
        rng = np.random.default_rng([run, 99])
        x, _ = task.env.reset(seed=10**6 + run)
        total = 0.0
        for _ in range(steps):
            x, r, ended = task.step(task.target(x, rng), rng)
            total += r
            if ended:
                x, _ = task.env.reset(seed=int(rng.integers(2**31)))
        means.append(total / steps)
    error = np.std(means, ddof=1) / np.sqrt(runs) if runs > 1 else 0
    print(json.dumps({"truth": float(np.mean(means)), "error": float(error)}))


def log(task, seed, rows, out):
    rng = np.random.default_rng([seed, 3])
    kept = {k: [] for k in ("s", "a", "r", "ns", "na", "episode", "t", "terminated")}
    episode = -1
    fresh = True
    for i in range(rows):
        if fresh or i % LENGTH == 0:
            x, _ = task.env.reset(seed=int(rng.integers(2**31)))
            episode, t, fresh = episode + 1, 0, False
        a = task.behaviour(x, rng)
        then, r, ended = task.step(a, rng)
        row = (x, a, r, then, [task.target(then, rng) for _ in range(SAMPLES)], episode, t, int(ended))
        for k, v in zip(kept, row):
            kept[k].append(v)
        x, t, fresh = then, t + 1, ended
    np.savez(out, **{k: np.array(v, dtype=np.int64 if k in ("episode", "t", "terminated") else float)
                     for k, v in kept.items()})


def main():
    task = Task(sys.argv[2])
    if sys.argv[1] == "truth":
        truth(task, int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 20)
    else:
        log(task, int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])


main()
