"""Built-in environments: logs of known origin, and the truth about policies."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

from . import errors
from ._library import Arena, Call, Progress, as_text, library_string, text
from ._native import ffi, lib
from .answer import number
from .log import Log, PathLike

_REWARDS = {"paper": "BF_REWARDS_PAPER", "gymnasium": "BF_REWARDS_GYMNASIUM"}


def environments() -> dict[str, dict[str, Any]]:
    """Every environment: one line about it, its time limit and its policies."""
    found: dict[str, dict[str, Any]] = {}
    while lib.bf_env_at(len(found)):
        env = lib.bf_env_at(len(found))
        policies: list[str] = []
        while env.policies and env.policies[len(policies)].name:
            policies.append(text(env.policies[len(policies)].name))
        found[text(env.name)] = {"summary": text(env.summary), "limit": int(env.limit), "policies": policies}
    return found


def _environment(name: str) -> Any:
    env = lib.bf_env_find(name.encode())
    if not env:
        raise errors.UsageError(f"'{name}' is not an environment; there are {', '.join(environments())}")
    return env


def _rewards(name: str) -> int:
    if name not in _REWARDS:
        raise errors.UsageError(f"`rewards`: '{name}' should be one of {', '.join(_REWARDS)}")
    return int(getattr(lib, _REWARDS[name]))


def _policy(env: Any, spec: str, alpha: float, arena: Arena, call: Call) -> Any:
    out = ffi.new("const bf_policy **")
    call.check(lib.bf_env_policy_parse(out, env, os.fsencode(spec), alpha, arena.pointer, call.err))
    return out[0]


def simulate(
    env: str,
    *,
    behavior: Union[str, Sequence[str]] = "uniform",
    target: Optional[str] = None,
    episodes: int = 50,
    steps: Optional[int] = None,
    rewards: str = "paper",
    per_episode: bool = False,
    seed: int = 1,
    threads: int = 0,
    progress: Progress = None,
) -> Log:
    """A log of `episodes` trajectories of `steps` transitions (the environment's limit without it).

    With `per_episode` a trajectory is one episode, and `steps` its time limit.
    A policy is ``"uniform"``, one that the environment has, or a policy file; ``"trained@0.7"`` mixes
    it with the uniform one. Several behaviours take turns.

    >>> import backflow as bf
    >>> bf.simulate("cartpole", behavior="trained@0.7", target="trained@0.9", episodes=3, steps=10)
    <backflow.Log: 30 transitions, states of 4 numbers, 2 actions, 3 episodes>
    """
    found = _environment(env)
    arena = Arena()
    with Call(seed, threads, progress) as call:
        names = [behavior] if isinstance(behavior, str) else list(behavior)
        followed = ffi.new("const bf_policy *[]", [_policy(found, one, 1.0, arena, call) for one in names])
        simulation = ffi.new("bf_simulation *")
        simulation.env, simulation.rewards = found, _rewards(rewards)
        simulation.behaviors, simulation.behavior_count = followed, len(names)
        if target is not None:
            simulation.target = _policy(found, target, 1.0, arena, call)
        simulation.trajectories = episodes
        simulation.steps = steps if steps is not None else found.limit
        simulation.per_episode = per_episode
        simulation.size = ffi.sizeof("bf_simulation")
        out = ffi.new("const bf_dataset **")
        call.check(lib.bf_simulate(out, simulation, call.context, arena.pointer, call.err))
    return Log._of(out[0], arena)


class Truth:
    """The value of a policy in an environment."""

    def __init__(self, found: Mapping[str, Any], said: str) -> None:
        self._found, self._text = found, said

    @property
    def value(self) -> float:
        """The value."""
        return number(self._found["value"])

    @property
    def standard_error(self) -> float:
        """Its standard error; 0 if it is exact."""
        return number(self._found["standard_error"])

    @property
    def exact(self) -> bool:
        """Whether it was solved for, not simulated."""
        return bool(self._found["method"] == "exact")

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``backflow value --json``."""
        return dict(self._found)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def value(
    env: str,
    policy: str = "uniform",
    *,
    gamma: float = 1.0,
    per_episode: bool = False,
    simulate: bool = False,
    chains: int = 0,
    steps: int = 0,
    burn_in: int = -1,
    rewards: str = "paper",
    seed: int = 1,
    threads: int = 0,
    progress: Progress = None,
) -> Truth:
    """What a policy earns in an environment: exactly where it is finite, by running it elsewhere.

    >>> import backflow as bf
    >>> truth = bf.value("modelwin", "target")
    >>> round(truth.value, 12), truth.exact
    (-0.08, True)
    """
    found = _environment(env)
    arena = Arena()
    if not 0 <= gamma <= 1:
        raise errors.UsageError(f"`gamma`: {gamma} should be from 0 to 1")
    kind = lib.BF_TRUTH_EPISODE if per_episode else lib.BF_TRUTH_DISCOUNTED if gamma < 1 else lib.BF_TRUTH_AVERAGE
    plan = ffi.new("bf_truth_plan *", {"kind": kind, "gamma": gamma, "chains": chains, "steps": steps})
    plan.burn_in, plan.rewards, plan.simulate = burn_in, _rewards(rewards), simulate
    plan.size = ffi.sizeof("bf_truth_plan")
    answer = ffi.new("bf_value_answer *", {"env": found, "policy": arena.keep(policy), "alpha": 1.0})
    answer.size = ffi.sizeof("bf_value_answer")
    out = ffi.new("const bf_truth **")
    with Call(seed, threads, progress) as call:
        asked = _policy(found, policy, 1.0, arena, call)
        call.seconds()
        call.check(lib.bf_true_value(out, plan, found, asked, call.context, arena.pointer, call.err))
        answer.seconds = call.seconds()
    answer.truth = out[0]
    return Truth(
        json.loads(library_string(lib.bf_report_value_json, answer)),
        library_string(lib.bf_report_value_text, answer),
    )


def tool() -> Path:
    """The ``backflow`` command that came with the package."""
    return Path(__file__).parent / "bin" / "backflow"


def reproduce(experiment: str, output: PathLike, *, quick: bool = False, **options: Any) -> dict[str, Any]:
    """Runs an experiment of the paper into a folder, and gives what the library found.

    The work is done by the ``backflow`` command of this package. `options` are those of
    ``backflow reproduce --help``, as ``runs=3`` for ``--runs 3``. Ctrl-C ends it; runs that are
    finished are kept, and used again by the next call.
    """
    words = [os.fspath(tool()), "reproduce", experiment, "--output", os.fspath(output)]
    if quick:
        words.append("--quick")
    words += flags(options)
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        said = done.stderr.strip().splitlines()[-1:] or ["it failed"]
        raise of_exit(done.returncode, said[0].partition("reproduce: ")[2] or said[0])
    with open(Path(output) / f"{experiment}.json", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def flags(options: Mapping[str, Any]) -> list[str]:
    """Options as words of a command line: ``runs=3`` is ``--runs 3``."""
    words = []
    for name, given in options.items():
        flag = name.replace("_", "-")
        if given is True or given is False:
            words.append(f"--{flag}" if given else f"--no-{flag}")
        elif given is not None:
            words += [f"--{flag}", as_text(given)]
    return words


def of_exit(status: int, message: str) -> errors.BackflowError:
    """The exception for the exit status of the tool."""
    kinds = ["", "", "EUSAGE", "EFILE", "EFORMAT", "EDATA", "EPOLICY", "ENEEDS", "ENOMEM", "ENUMERIC", "EABSENT"]
    return errors.of_status(kinds[status] if 0 < status < len(kinds) else "ECANCELLED", message)
