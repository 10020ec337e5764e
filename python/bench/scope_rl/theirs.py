# The answer of SCOPE-RL, as its README has it: FQE with its defaults, then its estimators with bootstrap intervals.
import sys
from dataclasses import dataclass

import numpy as np
import policy
from scope_rl.ope import CreateOPEInput
from scope_rl.ope import OffPolicyEvaluation as OPE
from scope_rl.ope.discrete import DirectMethod as DM
from scope_rl.ope.discrete import DoublyRobust as DR
from scope_rl.ope.discrete import PerDecisionImportanceSampling as PDIS
from scope_rl.ope.discrete import SelfNormalizedDR as SNDR
from scope_rl.ope.discrete import SelfNormalizedPDIS as SNPDIS
from scope_rl.ope.discrete import TrajectoryWiseImportanceSampling as TIS
from scope_rl.policy import BaseHead


@dataclass
class Target(BaseHead):
    name: str = "target"
    action_type: str = "discrete"

    def __post_init__(self):
        self.random = np.random.default_rng(1)

    def calc_action_choice_probability(self, x):
        return policy.probabilities(x)

    def calc_pscore_given_action(self, x, action):
        return policy.probabilities(x)[np.arange(len(x)), action]

    def sample_action(self, x):
        return (policy.probabilities(x).cumsum(axis=1) < self.random.random((len(x), 1))).sum(axis=1)

    def sample_action_and_output_pscore(self, x):
        action = self.sample_action(x)
        return action, self.calc_pscore_given_action(x, action)

    def predict(self, x):  # which FQE asks for the next action: drawn, as the target draws it
        return self.sample_action(x)


data = np.load(sys.argv[1])
runs, steps, gamma = int(data["runs"]), int(data["steps"]), float(data["gamma"])
done = np.tile(np.arange(steps) == steps - 1, runs).astype(float)
logged_dataset = {
    "size": runs * steps, "n_trajectories": runs, "step_per_trajectory": steps, "action_type": "discrete",
    "n_actions": policy.ACTIONS, "action_dim": None, "action_keys": None, "action_meaning": None, "state_dim": 2,
    "state_keys": None, "state": data["state"].astype(np.float32), "action": data["action"].astype(int),
    "reward": data["reward"], "done": done, "terminal": done, "info": {}, "pscore": data["mu"],
    "behavior_policy": "behavior", "dataset_id": 0,
}
inputs = CreateOPEInput(env=None, gamma=gamma).obtain_whole_inputs(
    logged_dataset, evaluation_policies=[Target()], require_value_prediction=True, random_state=1
)
ope = OPE(logged_dataset, ope_estimators=[DM(), TIS(), PDIS(), DR(), SNPDIS(), SNDR()])
intervals = ope.estimate_intervals(inputs, random_state=1)["target"]
values = ope.estimate_policy_value(inputs)["target"]
found = {
    name: tuple((1 - gamma) * one for one in (value, intervals[name]["95.0% CI (lower)"], intervals[name]["95.0% CI (upper)"]))
    for name, value in values.items() if intervals[name] is not None
}
