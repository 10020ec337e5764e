"""The peer of bench/env.sh: Gymnasium's own environments in a Python loop.

    gym_loop.py write ENV FILE                a network policy of random weights for `backflow`
    gym_loop.py run ENV [--policy FILE]       steps the environment for --seconds

`run` steps as Gymnasium's documentation shows (make, step, reset), one action at a time: an even
draw or, with --policy, alpha * greedy + (1 - alpha) * uniform with the network of the file in
numpy, the same that `backflow value ENV --policy FILE@ALPHA` follows. It prints one JSON object:
steps, processor seconds, steps per second, mean reward. Environments restart where they terminate;
time limits are off, as in `backflow value`.
"""
import argparse
import json
import time

import numpy as np

# Gymnasium's name, actions, our state: name, and None for an angle or its (centre, width).
ENVS = {
    "pendulum": ("Pendulum-v1", 5, [("theta", None), ("thetadot", (0, 4))]),
    "mountaincar": ("MountainCar-v0", 3, [("x", (-0.5, 0.5)), ("v", (0, 0.03))]),
    "cartpole": ("CartPole-v1", 2, [("x", (0, 1)), ("xdot", (0, 1)), ("theta", (0, 0.1)),
                                    ("thetadot", (0, 1))]),
    "acrobot": ("Acrobot-v1", 3, [("cos1", (0, 1)), ("sin1", (0, 1)), ("cos2", (0, 1)),
                                  ("sin2", (0, 1)), ("w1", (0, 3)), ("w2", (0, 5))]),
}


def fnv1a(data):
    value = 14695981039346656037
    for byte in data:
        value = (value ^ byte) * 1099511628211 % (1 << 64)
    return value


def write(name, path):
    _, actions, states = ENVS[name]
    sizes = [sum(1 if scale else 2 for _, scale in states), 20, 20, actions]
    rng = np.random.default_rng(7)
    lines = ["command bench/env.sh", f"env {name}", "choice greedy", f"states {len(states)}"]
    for label, scale in states:
        lines.append(f"state {label} " + (f"scale {scale[0]} {scale[1]}" if scale else "angle"))
    lines += ["layers " + " ".join(map(str, sizes)), "activation tanh"]
    lines.append(f"parameters {sum((a + 1) * b for a, b in zip(sizes, sizes[1:]))}")
    for a, b in zip(sizes, sizes[1:]):
        weights = rng.normal(size=(b, a)) / np.sqrt(a)
        lines += [" ".join(f"{x:.9g}" for x in row) for row in weights]
        lines.append(" ".join(f"{x:.9g}" for x in rng.normal(size=b)))
    body = "\n".join(lines + ["end", ""]).encode()
    with open(path, "wb") as file:
        file.write(b"backflow network policy 1\nchecksum %016x\n" % fnv1a(body) + body)


def read(path, name):
    """The greedy action of the network at one of Gymnasium's observations."""
    with open(path) as file:
        lines = file.read().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("layers "))
    sizes = [int(x) for x in lines[at].split()[1:]]
    numbers = np.array(" ".join(lines[at + 3:lines.index("end")]).split(), dtype=np.float32)
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers.append((numbers[:a * b].reshape(b, a), numbers[a * b:a * b + b]))
        numbers = numbers[a * b + b:]
    # Gymnasium gives the pendulum's angle as cos, sin already: nothing to be done to them.
    scales = [s for _, scale in ENVS[name][2] for s in ([scale] if scale else [(0, 1), (0, 1)])]
    centre = np.array([s[0] for s in scales], dtype=np.float32)
    width = np.array([s[1] for s in scales], dtype=np.float32)
    (w1, b1), (w2, b2), (w3, b3) = layers

    def greedy(seen):
        x = (seen - centre) / width
        x = np.tanh(w1 @ x + b1)
        x = np.tanh(w2 @ x + b2)
        return int((w3 @ x + b3).argmax())

    return greedy


def run(args):
    import gymnasium

    name, actions, _ = ENVS[args.env]
    env = gymnasium.make(name, max_episode_steps=-1)
    torques = [np.array([u], dtype=np.float32) for u in (-2.0, -1.0, 0.0, 1.0, 2.0)]
    act = read(args.policy, args.env) if args.policy else None
    rng = np.random.default_rng(1)
    # Random numbers in bulk, so that the loop is not charged for drawing them one by one.
    size = 1 << 16
    draws, coins = rng.integers(actions, size=size).tolist(), rng.random(size).tolist()
    seen, _ = env.reset(seed=1)
    steps, total = 0, 0.0
    begun = time.process_time()
    while time.process_time() - begun < args.seconds:
        for k in range(2000):
            i = (steps + k) % size
            action = act(seen) if act and coins[i] < args.alpha else draws[i]
            given = torques[action] if args.env == "pendulum" else action
            seen, reward, terminated, _, _ = env.step(given)
            total += reward
            if terminated:
                seen, _ = env.reset()
        steps += 2000
    spent = time.process_time() - begun
    print(json.dumps({"env": args.env, "steps": steps, "seconds": spent,
                      "steps_per_second": steps / spent, "mean_reward": float(total) / steps,
                      "gymnasium": gymnasium.__version__}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["write", "run"])
    parser.add_argument("env", choices=ENVS)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--policy")
    parser.add_argument("--alpha", type=float, default=0.9)
    parser.add_argument("--seconds", type=float, default=2.0)
    args = parser.parse_args()
    if args.what == "write":
        write(args.env, args.file)
    else:
        run(args)


main()
