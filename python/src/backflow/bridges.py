"""Bridges to other libraries: data sets of theirs as logs, and answers as scores."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np

from . import errors
from .estimate import estimate
from .log import Log


def from_scope_rl(logged_dataset: Mapping[str, Any]) -> Log:
    """A log from the `logged_dataset` of SCOPE-RL (one data set, with discrete actions or vectors).

    Rows stand there as they were collected: `n_trajectories` of `step_per_trajectory` steps. `pscore`
    becomes ``mu`` if it is one number per row.
    """
    wanted = ("n_trajectories", "step_per_trajectory", "state", "action", "reward", "terminal")
    missing = [name for name in wanted if name not in logged_dataset]
    if missing:
        raise errors.DataError(f"logged_dataset: {', '.join(missing)}: not there; SCOPE-RL's data sets have {', '.join(wanted)}")
    runs, steps = int(logged_dataset["n_trajectories"]), int(logged_dataset["step_per_trajectory"])
    reward = np.asarray(logged_dataset["reward"])
    if len(reward) != runs * steps:
        raise errors.DataError(f"logged_dataset: reward: {len(reward)} rows; {runs} trajectories of {steps} steps have {runs * steps}")
    # `done` says where an episode ended for any reason, `terminal` where the process itself did.
    terminated = np.asarray(logged_dataset["terminal"]).astype(bool)
    done = np.asarray(logged_dataset.get("done", terminated)).astype(bool)
    pscore = np.asarray(logged_dataset["pscore"]) if logged_dataset.get("pscore") is not None else None
    action = np.asarray(logged_dataset["action"])
    columns: dict[str, Any] = {
        "state": np.asarray(logged_dataset["state"]).reshape(runs * steps, -1),
        "action": action.reshape(runs * steps) if logged_dataset.get("n_actions") else action.reshape(runs * steps, -1),
        "reward": reward,
        "episode": np.repeat(np.arange(runs), steps),
        "time": np.tile(np.arange(steps), runs),
        "terminated": terminated,
        "truncated": done & ~terminated,
    }
    if pscore is not None and pscore.ndim == 1 and logged_dataset.get("n_actions"):
        columns["mu"] = pscore
    return Log(**columns)


def from_d3rlpy(dataset: Any) -> Log:
    """A log from a data set of d3rlpy: anything with `episodes` that have observations, actions, rewards
    and `terminated`."""
    if not hasattr(dataset, "episodes"):
        raise errors.DataError(f"dataset: a {type(dataset).__name__} has no episodes; d3rlpy's ReplayBuffer has")
    return _from_episodes(
        (np.asarray(one.observations), np.asarray(one.actions), np.asarray(one.rewards).reshape(-1), bool(one.terminated))
        for one in dataset.episodes
    )


def from_rlds(episodes: Any) -> Log:
    """A log from RLDS: an iterable of episodes with `steps`, as ``tfds.as_numpy(dataset)`` gives them.

    A step has `observation`, `action`, `reward`, `is_terminal` and `is_last`. The action and the reward
    of a last step mean nothing there: it stands for the state in which the episode ended.
    """

    def taken() -> Any:
        for episode in episodes:
            steps = list(episode["steps"])
            if len(steps) < 2:
                continue
            yield (
                np.stack([np.asarray(one["observation"]).reshape(-1) for one in steps]),
                np.stack([np.asarray(one["action"]) for one in steps[:-1]]),
                np.array([float(one["reward"]) for one in steps[:-1]]),
                bool(steps[-1]["is_terminal"]),
            )

    return _from_episodes(taken())


def _from_episodes(episodes: Any) -> Log:
    """Episodes as (observations, actions, rewards, terminated). If there is one observation more than
    rewards, it is the last next state; otherwise the last step has none, unless the episode ended."""
    parts: dict[str, list[Any]] = {"state": [], "action": [], "reward": [], "next_state": [], "episode": [], "terminated": []}
    for number, (seen, actions, rewards, ended) in enumerate(episodes):
        n = len(rewards)
        following = seen[1:] if len(seen) > n else np.concatenate([seen[1:], seen[-1:]])
        kept = n if len(seen) > n or ended else n - 1  # the step has no next state, and is left out
        parts["state"].append(seen[:kept].reshape(kept, -1))
        parts["next_state"].append(following[:kept].reshape(kept, -1))
        parts["action"].append(actions[:kept])
        parts["reward"].append(rewards[:kept])
        parts["episode"].append(np.full(kept, number))
        parts["terminated"].append(np.arange(kept) == (n - 1 if ended else -1))
    if not parts["state"]:
        raise errors.DataError("dataset: no episode with a transition in it")
    columns = {name: np.concatenate(values) for name, values in parts.items()}
    action = columns["action"]
    if action.ndim == 2 and action.shape[1] == 1 and np.issubdtype(action.dtype, np.integer):
        columns["action"] = action[:, 0]
    return Log(**columns)


def scorer(log: Log, **options: Any) -> Callable[..., float]:
    """A score for model selection in the manner of scikit-learn: what a fitted policy would earn.

    ``scorer(log)(estimator, X, y)`` asks the log about the estimator; X and y are not looked at, as the
    log is the evidence. If the log cannot tell, the score is NaN, which model selection ranks last.

    >>> import backflow as bf
    >>> log = bf.simulate("modelwin", behavior="behavior", episodes=500, steps=4)
    >>> score = bf.scorer(log, interval="none")
    >>> score([[1, 0], [1, 0], [1, 0]]) < score([[0, 1], [0, 1], [0, 1]])
    True
    """

    def score(policy: Any, X: Any = None, y: Any = None) -> float:
        answer = estimate(log, policy, **options)
        return answer.value if answer.trusted else float("nan")

    return score
