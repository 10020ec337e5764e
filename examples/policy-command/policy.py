#!/usr/bin/env python3
"""A policy for --policy-command, with nothing but Python itself.

    backflow estimate log.csv --policy-command 'python3 policy.py'

docs/policy-command.md explains the questions and answers, and shows the same with numpy, scikit-learn
and PyTorch. Standard output belongs to the answers: print what you want to say to sys.stderr."""
import array
import math
import random
import sys


def probabilities(state, actions):
    """The first action where the first number of the state is low, the last one where it is high."""
    high = 1 / (1 + math.exp(-max(-30, min(30, state[0]))))
    return [1 - high] + [0] * (actions - 2) + [high] if actions > 1 else [1]


def action(state, size, noise):
    """Against the first number of the state, with some noise."""
    return [max(-1, min(1, noise.gauss(-0.5 * state[0], 0.1))) for _ in range(size)]


def main():
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    noise = random.Random(1)
    while line := questions.readline():
        kind, rows, width, *shape = line.split()
        rows, width, shape = int(rows), int(width), [int(x) for x in shape]
        numbers = array.array("d", questions.read(8 * rows * width))
        reply = array.array("d")
        for i in range(rows):
            state = numbers[i * width:(i + 1) * width]
            if kind == b"probabilities":
                reply.extend(probabilities(state, shape[0]))
            else:
                samples, size = shape
                for _ in range(samples):
                    reply.extend(action(state, size, noise))
        answers.write(b" ".join([kind, b"%d" % rows] + [b"%d" % x for x in shape]) + b"\n")
        answers.write(reply.tobytes())
        answers.flush()


main()
