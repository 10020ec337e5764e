"""log.py OUT [SEED] - The log that both programs are asked about, and the truth.

Pendulum: 100 trajectories of 200 steps by the trained policy with 0.3 of its actions at random. The question is what
the same policy with 0.1 at random earns from the start on, at gamma = 0.95, in units of one step.
"""

import sys

import numpy as np
import policy

import backflow as bf

RUNS, STEPS, GAMMA = 100, 200, 0.95
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
log = bf.simulate("pendulum", behavior="trained@0.7", episodes=RUNS, steps=STEPS, seed=seed)
seen = bf.Policy.of("pendulum:trained@0.9").probabilities(log)
same = np.isclose(policy.probabilities(log.column("s")), seen).all(axis=1)  # ties in single precision may differ
assert same.mean() > 0.999, "policy.py is not the library's policy"
truth = bf.value("pendulum", "trained@0.9", gamma=GAMMA, chains=4000, seed=seed + 1000)
np.savez(
    sys.argv[1], state=log.column("s"), action=log.column("a"), reward=log.column("r"), next_state=log.column("ns"),
    mu=log.column("mu"), runs=RUNS, steps=STEPS, gamma=GAMMA, truth=truth.value, before=log.column("r").mean(),
)  # fmt: skip
