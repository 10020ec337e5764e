"""Data sets that Minari itself has written, in HDF5 and in Arrow: row by row what its own iterator gives."""

from __future__ import annotations

import pathlib
import subprocess
import warnings
from typing import Any, Callable, Optional

import numpy as np
import pytest

import backflow as bf

from conftest import flags

minari = pytest.importorskip("minari")
gymnasium = pytest.importorskip("gymnasium")
spaces = gymnasium.spaces


class Ward(gymnasium.Env):  # type: ignore[misc, name-defined]
    """A world that is seen as a dict of different things."""

    observation_space = spaces.Dict(
        {
            "pulse": spaces.Box(-10, 200, (2,), np.float32),
            "ward": spaces.Discrete(3, start=1),
            "age": spaces.Box(0, 99, (), np.float64),
            "bells": spaces.MultiBinary(2),
            "staff": spaces.Dict({"shift": spaces.MultiDiscrete([2, 3])}),
        }
    )
    action_space = spaces.Discrete(3)

    def _seen(self) -> dict[str, Any]:
        made = self.np_random
        return {
            "pulse": made.normal(80, 5, 2).astype(np.float32),
            "ward": np.int64(made.integers(1, 4)),
            "age": np.float64(made.integers(20, 90)),
            "bells": made.integers(0, 2, 2).astype(np.int8),
            "staff": {"shift": np.array([made.integers(2), made.integers(3)])},
        }

    def reset(self, *, seed: Optional[int] = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.steps = 0
        return self._seen(), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        ended = bool(self.np_random.random() < 0.1)
        return self._seen(), float(action) - 0.5 * self.steps, ended, self.steps == 9, {}


WORLDS: dict[str, Callable[[], Any]] = {
    "discrete": lambda: gymnasium.make("CartPole-v1").unwrapped,
    "continuous": lambda: gymnasium.make("Pendulum-v1").unwrapped,
    "dict": Ward,
}


def together(seen: list[Any]) -> Any:
    """Observations one after the other, part by part."""
    if isinstance(seen[0], dict):
        return {name: together([one[name] for one in seen]) for name in seen[0]}
    return seen


def recorded(world: Any, steps: int, seed: int) -> Any:
    """An episode as Minari keeps it while it is collected."""
    from minari.data_collector import EpisodeBuffer

    observation, _ = world.reset(seed=seed)
    seen, actions, rewards, terminations, truncations = [observation], [], [], [], []
    while not terminations or not (terminations[-1] or truncations[-1]):
        actions.append(world.action_space.sample())
        observation, reward, ended, cut, _ = world.step(actions[-1])
        seen.append(observation)
        rewards.append(float(reward))
        terminations.append(bool(ended))
        truncations.append(bool(cut) or len(actions) == steps and not ended)
    return EpisodeBuffer(
        id=seed, observations=together(seen), actions=actions, rewards=rewards, terminations=terminations, truncations=truncations
    )


@pytest.fixture(params=["hdf5", "arrow"])
def form(request: Any) -> str:
    return str(request.param)


@pytest.fixture(params=list(WORLDS))
def dataset(request: Any, form: str, tmp_path: pathlib.Path, monkeypatch: Any) -> Any:
    """Five episodes of different lengths, written by Minari."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    world = WORLDS[request.param]()
    world.action_space.seed(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about authors and licences
        return minari.create_dataset_from_buffers(
            dataset_id=f"ours/{request.param}-v0",
            buffer=[recorded(world, steps, seed) for seed, steps in enumerate((3, 12, 1, 7, 9))],
            observation_space=world.observation_space,
            action_space=world.action_space,
            data_format=form,
        )


def flat(space: Any, observations: Any) -> Any:
    """Observations (n, d) as the log lays them out: categories are columns of their own."""
    if isinstance(space, spaces.Dict):
        return np.hstack([flat(one, observations[name]) for name, one in space.spaces.items()])
    values = np.asarray(observations)
    if isinstance(space, spaces.Discrete):
        return np.eye(int(space.n))[values - int(space.start)]
    if isinstance(space, spaces.MultiDiscrete):
        return np.hstack([np.eye(n)[values[:, k]] for k, n in enumerate(space.nvec)])
    return values.reshape(len(values), -1).astype(float)


def test_row_by_row(dataset: Any) -> None:
    log = bf.Log.from_minari(dataset.spec.dataset_id)
    episodes = list(dataset.iterate_episodes())
    assert log.episodes == 5 and len(log) == dataset.total_steps == sum(len(one) for one in episodes)
    names = ("s", "ns", "a", "r", "terminated", "truncated")
    columns = {name: np.asarray(log.column(name)).reshape(len(log), -1) for name in names}
    place = 0
    for one in episodes:
        mine = slice(place, place + len(one))
        place += len(one)
        seen = flat(dataset.observation_space, one.observations)
        assert len(seen) == len(one) + 1
        assert np.array_equal(columns["s"][mine], seen[:-1])
        assert np.array_equal(columns["ns"][mine], seen[1:])
        assert np.array_equal(columns["a"][mine], np.asarray(one.actions).reshape(len(one), -1))
        assert np.array_equal(columns["r"][mine, 0], np.asarray(one.rewards))
        assert np.array_equal(columns["terminated"][mine, 0] != 0, np.asarray(one.terminations))
        assert np.array_equal(columns["truncated"][mine, 0] != 0, np.asarray(one.truncations))
    if "dict" in dataset.spec.dataset_id:
        assert log.state_names[:4] == ["age", "bells[0]", "bells[1]", "pulse[0]"]
        assert log.state_names[5:8] == ["staff.shift[0]=0", "staff.shift[0]=1", "staff.shift[1]=0"]
        assert log.state_names[-3:] == ["ward=1", "ward=2", "ward=3"]


def test_the_tool_reads_it(dataset: Any, form: str, tool: Any) -> None:
    """The same log by the command, from HDF5; a file of Arrow it names as one."""
    folder = pathlib.Path(dataset.spec.data_path)
    if form == "hdf5":
        log = bf.Log.from_minari(dataset.spec.dataset_id)
        assert flags(log.inspect().to_dict()) == tool("inspect", folder / "main_data.hdf5")
        return
    done = subprocess.run([str(bf.tool()), "inspect", str(next(folder.glob("*/*.arrow")))], capture_output=True, text=True)
    assert done.returncode != 0 and "an Arrow file, which is not read" in done.stderr
