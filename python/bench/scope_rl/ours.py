# The answer of Backflow: no propensities, no environment.
import sys

import numpy as np
import policy

import backflow as bf

data = np.load(sys.argv[1])
log = bf.Log(
    state=data["state"], action=data["action"], reward=data["reward"], next_state=data["next_state"],
    episode=np.repeat(np.arange(data["runs"]), data["steps"]),
)
answer = bf.estimate(log, policy.probabilities, gamma=float(data["gamma"]))
found = {"backflow": (answer.value, *answer.interval)}
