"""finite.py - Finite processes for bench/gaps.sh: their logs, and exact values by elimination.

finite.py taxi|clinic SEED EPISODES OUT.csv

The process and its policies are the same for all seeds of a kind; the seed draws the log. Prints one line of
JSON: value (reward per step in the long run), for the clinic also the return and the length of an episode,
and the share of the log's next pairs, under the target, that the log never shows."""

import json
import sys

import numpy as np


def softmax(q, heat):
    e = np.exp((q - q.max(1, keepdims=True)) / heat)
    return e / e.sum(1, keepdims=True)


def stationary(p):
    """The stationary distribution of p (S, S), by elimination."""
    n = len(p)
    a = p.T - np.eye(n)
    a[-1] = 1
    return np.linalg.solve(a, np.eye(n)[-1])


class Taxi:
    """A taxi on 5 by 5 squares with walls and four stands. State: square (25), which stands have somebody
    waiting (16), the passenger's destination or nobody (5). Actions: four moves, pick up, set down. A step
    costs 1, a passenger brought to his stand pays 20. People come to a stand and leave it at random."""

    stands = [3, 10, 18, 24]
    walls = {(1, 2), (6, 7), (11, 16), (12, 17), (13, 18), (8, 9)}
    actions, limit, episodic = 6, 400, False
    come, leave = 0.08, 0.03

    def __init__(self):
        self.states = 25 * 16 * 5
        wait = np.zeros((16, 16))
        for a in range(16):
            for b in range(16):
                p = 1.0
                for k in range(4):
                    now, then = a >> k & 1, b >> k & 1
                    go = self.leave if now else self.come
                    p *= go if now != then else 1 - go
                wait[a, b] = p
        self.wait = wait
        self.move = np.zeros((self.states, 6), int)  # the state before people come and go
        self.reward = -np.ones((self.states, 6))
        self.scatter = [None] * self.states
        for s in range(self.states):
            square, people, rider = s // 80, s // 5 % 16, s % 5
            for a in range(6):
                to, p, on = square, people, rider
                if a < 4:
                    step = (-5, 5, 1, -1)[a]
                    next_ = square + step
                    ok = 0 <= next_ < 25 and (a < 2 or next_ // 5 == square // 5)
                    ok = ok and tuple(sorted((square, next_))) not in self.walls
                    to = next_ if ok else square
                elif a == 4 and rider == 4 and square in self.stands:
                    k = self.stands.index(square)
                    if people >> k & 1:
                        p, on = people & ~(1 << k), (k + 1 + (people + square) % 3) % 4
                elif a == 5 and rider < 4 and square == self.stands[rider]:
                    on = 4
                    self.reward[s, a] = 20
                self.move[s, a] = to * 80 + p * 5 + on
        q = np.zeros((self.states, 6))
        for _ in range(300):
            q = self.reward + 0.97 * self.next_value(q.max(1))
        self.behaviour = 0.85 * softmax(q, 1.5) + 0.15 / 6
        self.target = 0.98 * softmax(q, 0.5) + 0.02 / 6
        self.start = np.full(self.states, 1 / self.states)

    def next_value(self, v):
        """E v(s') of all (s, a)."""
        expected = np.einsum("pq,xqr->xpr", self.wait, v.reshape(25, 16, 5)).reshape(-1)
        return expected[self.move]

    def truth(self):
        p = np.zeros((self.states, self.states))
        for a in range(6):
            for people in range(16):
                to = self.move[:, a]
                other = to - to // 5 % 16 * 5 + people * 5
                np.add.at(p, (np.arange(self.states), other),
                          self.target[:, a] * self.wait[to // 5 % 16, people])
        d = stationary(p)
        return {"value": float(d @ (self.target * self.reward).sum(1))}

    def step(self, s, a, rng):
        to = self.move[s, a]
        people = rng.choice(16, p=self.wait[to // 5 % 16])
        return to - to // 5 % 16 * 5 + people * 5, self.reward[s, a], False


class Clinic:
    """Patients: 400 states, 24 treatments, about ten steps to the end, which is survival (1) or not (0). What
    follows depends on the state more than on the treatment; clinicians use a few treatments in each state."""

    states, actions, limit, episodic = 400, 24, 10**6, True

    def __init__(self):
        rng = np.random.default_rng(2024)
        s, a, branch = self.states, self.actions, 10
        health = np.sort(rng.uniform(-1, 1, s))
        self.start = np.exp(-4 * (health + 0.2) ** 2)
        self.start /= self.start.sum()
        kind = rng.normal(size=(a, 3))
        taste = rng.normal(size=(s, 3)) * 0.7 + health[:, None] * np.array([1.0, -0.5, 0.3])
        effect = 0.12 * np.tanh(taste @ kind.T)  # (s, a): how much better the patient gets
        self.go = np.zeros((s, a, branch), int)
        self.p = rng.dirichlet(np.ones(branch), size=(s, a))
        for i in range(s):
            for b in range(a):
                at = np.clip(health[i] + effect[i, b] + 0.2 * rng.normal(size=branch), -1, 1)
                self.go[i, b] = np.searchsorted(health, at).clip(0, s - 1)
        self.end = 0.04 + 0.06 * (1 + health[:, None]) ** 2 + 0.02 * rng.uniform(size=(s, a))
        self.survive = 1 / (1 + np.exp(-4 * health[:, None] - 6 * effect - 1.2))
        self.reward = self.end * self.survive
        q = np.zeros((s, a))
        for _ in range(200):
            q = self.reward + (1 - self.end) * (self.p * q.max(1)[self.go]).sum(2)
        habit = rng.normal(size=(s, a)) * 1.1
        self.behaviour = softmax(q / 0.05 + habit, 1.0)
        self.target = 0.5 * self.behaviour + 0.5 * softmax(q / 0.025 + habit, 1.0)

    def truth(self):
        s = self.states
        p = np.zeros((s, s))
        on = self.target[:, :, None] * (1 - self.end)[:, :, None] * self.p
        for b in range(self.actions):
            np.add.at(p, (np.repeat(np.arange(s), self.go.shape[2]), self.go[:, b].ravel()), on[:, b].ravel())
        ends = (self.target * self.end).sum(1)
        d = stationary(p + np.outer(ends, self.start))
        value = float(d @ (self.target * self.reward).sum(1))
        rate = float(d @ ends)
        return {"value": value, "return": value / rate, "length": 1 / rate}

    def step(self, s, a, rng):
        if rng.random() < self.end[s, a]:
            return s, float(rng.random() < self.survive[s, a]), True
        return self.go[s, a, rng.choice(self.go.shape[2], p=self.p[s, a])], 0.0, False


def main():
    kind, seed, episodes, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    process = {"taxi": Taxi, "clinic": Clinic}[kind]()
    rng = np.random.default_rng([seed, 7])
    rows = []
    for e in range(episodes):
        s = int(rng.choice(process.states, p=process.start))
        for t in range(process.limit):
            a = int(rng.choice(process.actions, p=process.behaviour[s]))
            then, r, ended = process.step(s, a, rng)
            rows.append((e, t, s, a, r, int(then), int(ended)))
            s = int(then)
            if ended:
                break
    seen = {(row[2], row[3]) for row in rows}
    probabilities = [",".join(f"{x:.9g}" for x in p / p.sum()) for p in process.target]
    n, miss = 0, 0.0
    with open(out, "w") as f:
        names = ["episode", "t", "s", "a", "r", "ns", "terminated"]
        names += [f"{p}{b}" for p in ("pi", "npi") for b in range(process.actions)]
        f.write(",".join(names) + "\n")
        for e, t, s, a, r, then, ended in rows:
            f.write(f"{e},{t},{s},{a},{r:g},{then},{ended},{probabilities[s]},{probabilities[then]}\n")
            if not ended:
                n += 1
                miss += sum(p for b, p in enumerate(process.target[then]) if (then, b) not in seen)
    told = process.truth()
    told["rows"] = len(rows)
    told["uncovered"] = miss / n
    if process.episodic:
        told["naive_value"] = sum(r[4] for r in rows) / len(rows)
        told["naive_return"] = sum(r[4] for r in rows) / sum(r[6] for r in rows)
        told["naive_length"] = len(rows) / sum(r[6] for r in rows)
    print(json.dumps(told))


main()
