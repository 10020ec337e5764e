"""datasets.py - Two data sets of SCOPE-RL's own for the tests: python/tests/fixtures/scope_rl_discrete.npz and _continuous.npz.

It needs SCOPE-RL 0.2.1; run.sh makes an environment that has it.
"""

import pathlib
from dataclasses import dataclass

import basicgym  # noqa: F401  its environments register themselves
import gym
import numpy as np
from scope_rl.dataset import SyntheticDataset
from scope_rl.policy import BaseHead

FIXTURES = pathlib.Path(__file__).parents[2] / "tests" / "fixtures"


@dataclass
class Random(BaseHead):
    """Any action, as often as any other."""

    name: str = "random"
    action_type: str = "discrete"

    def __post_init__(self):
        self.random = np.random.default_rng(1)

    def calc_action_choice_probability(self, x):
        return np.full((len(x), 10), 0.1)

    def calc_pscore_given_action(self, x, action):
        return np.full(action.shape, 0.1)

    def sample_action(self, x):
        return self.random.integers(0, 10, len(x)) if self.action_type == "discrete" else self.random.uniform(0.1, 1, (len(x), 3))

    def sample_action_and_output_pscore(self, x):
        action = self.sample_action(x)
        return action, self.calc_pscore_given_action(x, action)


for kind in ("discrete", "continuous"):
    env = gym.make(f"BasicEnv-{kind}-v0")
    collected = SyntheticDataset(env=env, max_episode_steps=env.step_per_episode)
    found = collected.obtain_episodes(behavior_policies=Random(action_type=kind), n_trajectories=4, random_state=1)
    kept = {name: value for name, value in found.items() if value is not None and name != "info"}
    np.savez_compressed(FIXTURES / f"scope_rl_{kind}.npz", **kept)
