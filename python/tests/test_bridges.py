"""Data sets of other libraries, scores and pictures."""

from __future__ import annotations

import math
import json
import pathlib
import shutil
import types
from typing import Any

import numpy as np
import pytest

import backflow as bf

from conftest import flags


def test_scope_rl(real: bf.Log) -> None:
    """A log in the form that SCOPE-RL documents is the log that it was made of."""
    n, steps = 12, 25
    both = {name: real.column(name) for name in ("s", "a", "r", "terminated", "truncated", "mu")}
    given = {
        "size": n * steps, "n_trajectories": n, "step_per_trajectory": steps, "action_type": "discrete", "n_actions": 2,
        "state": both["s"], "action": both["a"], "reward": both["r"], "terminal": both["terminated"],
        "done": (both["terminated"] + both["truncated"]) > 0, "pscore": both["mu"],
    }  # fmt: skip
    log = bf.from_scope_rl(given)
    kept = len(log)
    assert n * steps - n <= kept <= n * steps and log.actions == 2
    assert np.isin(log.column("r"), both["r"]).all() and "mu" in str(log.inspect().to_dict()["behaviour"])
    with pytest.raises(bf.DataError, match="reward: 300 rows"):
        bf.from_scope_rl({**given, "n_trajectories": 11})
    with pytest.raises(bf.DataError, match="pscore|state"):
        bf.from_scope_rl({"reward": []})


FILES = pathlib.Path(__file__).parents[2] / "tests" / "fixtures" / "hdf5"


@pytest.mark.parametrize("kind", ["discrete", "continuous"])
def test_data_sets_of_scope_rl_itself(kind: str) -> None:
    """What SCOPE-RL 0.2.1 has collected (python/bench/scope_rl/datasets.py): four trajectories of ten steps, each to its end."""
    given = np.load(pathlib.Path(__file__).parent / "fixtures" / f"scope_rl_{kind}.npz")
    log = bf.from_scope_rl({name: one if one.ndim else one.item() for name, one in given.items()})
    assert len(log) == 40 and log.episodes == 4 and log.column("terminated").sum() == 4
    assert np.array_equal(log.column("s"), given["state"]) and np.array_equal(log.column("a"), given["action"])
    assert np.array_equal(log.column("r"), given["reward"])
    going = ~given["done"].astype(bool)
    assert np.array_equal(log.column("ns")[going], given["state"][1:][going[:-1]])
    if kind == "discrete":
        assert log.actions <= 10 and np.array_equal(log.column("mu"), given["pscore"])
    else:
        assert log.action_dim == 3


def test_minari_and_d4rl(tmp_path: pathlib.Path, monkeypatch: Any, tool: Any) -> None:
    folder = tmp_path / "D4RL" / "tiny-v0" / "data"
    shutil.copytree(FILES / "minari-finite", folder)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    theirs = tool("inspect", folder / "main_data.hdf5")
    for name in ("D4RL/tiny-v0", folder.parent, folder):
        assert flags(bf.Log.from_minari(name).inspect().to_dict()) == theirs
    with pytest.raises(bf.FileError, match="minari download D4RL/none-v0"):
        bf.Log.from_minari("D4RL/none-v0")
    log = bf.Log.from_d4rl(FILES / "d4rl-types.hdf5")
    assert flags(log.inspect().to_dict()) == tool("inspect", FILES / "d4rl-types.hdf5")


def _write_minari(folder: pathlib.Path, episodes: list[dict[str, Any]]) -> None:
    """Episodes as Minari writes them: a folder each, actions and the rest padded to the observations."""
    arrow, dataset = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.dataset")
    for number, episode in enumerate(episodes):
        batch = arrow.RecordBatch.from_pydict({"episode_id": np.full(len(episode["rewards"]), number, np.int32), **episode})
        dataset.write_dataset(
            batch, folder, format="arrow", partitioning=["episode_id"], existing_data_behavior="overwrite_or_ignore"
        )
        (folder / str(number) / "metadata.json").write_text("{}")


def _lists(values: Any) -> Any:
    arrow = pytest.importorskip("pyarrow")
    return arrow.FixedSizeListArray.from_arrays(np.ascontiguousarray(values).reshape(-1), values.shape[1])


def test_minari_in_arrow(tmp_path: pathlib.Path) -> None:
    """The steps that were written are those of the log, for more episodes than sort by name, and without the padding."""
    draw = np.random.default_rng(3)
    lengths = range(2, 14)
    seen = [draw.normal(size=(n + 1, 3)) for n in lengths]
    acts = [draw.integers(0, 2, n) for n in lengths]
    gains = [draw.normal(size=n) for n in lengths]
    ended = [np.arange(n) == n - 1 if n % 2 else np.zeros(n, bool) for n in lengths]
    cut = [np.arange(n) == n - 1 if n % 2 == 0 else np.zeros(n, bool) for n in lengths]
    _write_minari(tmp_path / "tiny-v0" / "data", [
        {"observations": _lists(s), "actions": np.append(a, 7), "rewards": np.append(r, 99.0),
         "terminations": np.append(e, False), "truncations": np.append(c, False)}
        for s, a, r, e, c in zip(seen, acts, gains, ended, cut)
    ])  # fmt: skip
    log = bf.Log.from_minari(tmp_path / "tiny-v0")
    assert log.episodes == len(lengths) and log.actions == 2
    written = {"s": [one[:-1] for one in seen], "ns": [one[1:] for one in seen], "a": acts, "r": gains,
               "terminated": ended, "truncated": cut}  # fmt: skip
    for name, values in written.items():
        assert np.array_equal(log.column(name), np.concatenate(values)), name
    assert len(bf.Log.from_minari(tmp_path / "tiny-v0" / "data", max_rows=20)) <= 20


def test_minari_in_arrow_that_is_wrong(tmp_path: pathlib.Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    good = {
        "observations": np.array([0, 1, 0]), "actions": _lists(np.zeros((3, 2))), "rewards": np.zeros(3),
        "terminations": np.zeros(3, bool), "truncations": np.zeros(3, bool),
    }  # fmt: skip
    parts = arrow.StructArray.from_arrays([arrow.array(["a", "b", "c"])], names=["goal"])
    for number, (change, field, said) in enumerate([
        ({"observations": parts}, "observations", "goal: string is neither a number nor a list of numbers"),
        ({"rewards": arrow.array([1.0, None, 0.0])}, "rewards", "has nulls"),
        ({"truncations": None}, "truncations", "no such column"),
    ]):  # fmt: skip
        given = {name: values for name, values in {**good, **change}.items() if values is not None}
        folder = tmp_path / f"bad{number}"
        _write_minari(folder, [given])
        with pytest.raises(bf.FormatError, match=said) as caught:
            bf.Log.from_minari(folder)
        assert caught.value.message.startswith(f"{folder}/0") and f": {field}: " in caught.value.message
    _write_minari(tmp_path / "two", [good, {**good, "actions": _lists(np.zeros((3, 4)))}])
    with pytest.raises(bf.FormatError, match="1: actions: another number of elements"):
        bf.Log.from_minari(tmp_path / "two")
    _write_minari(tmp_path / "described", [good])
    box, three = {"type": "Box", "shape": [2], "dtype": "float32"}, {"type": "Discrete", "n": 3, "start": 1}
    for observations, actions, said in [
        (three, box, "0: observations: a number that is none of its choices"),
        (None, {**box, "shape": [3]}, "0: actions: 2 numbers, where its space has 3"),
        ({"type": "Text"}, box, "0: observations: a space of type 'Text', which is no numbers"),
    ]:
        about = {"observation_space": json.dumps(observations), "action_space": json.dumps(actions)}
        (tmp_path / "described" / "metadata.json").write_text(json.dumps(about))
        with pytest.raises(bf.FormatError, match=said):
            bf.Log.from_minari(tmp_path / "described")
    (tmp_path / "described" / "metadata.json").write_text("{")
    with pytest.raises(bf.FormatError, match="metadata.json: not the description of a data set"):
        bf.Log.from_minari(tmp_path / "described")
    (folder / "0" / "part-0.arrow").write_bytes(b"no")
    with pytest.raises(bf.FormatError, match="not a file of Arrow"):
        bf.Log.from_minari(folder)


def _episodes() -> list[Any]:
    draw = np.random.default_rng(2)
    return [
        types.SimpleNamespace(
            observations=draw.normal(size=(5, 3)), actions=draw.integers(0, 2, (5, 1)), rewards=draw.normal(size=(5, 1)),
            terminated=ended,
        )
        for ended in (True, False)
    ]  # fmt: skip


def test_d3rlpy() -> None:
    """Episodes with the fields of d3rlpy's own; the last step of one that was cut has no next state."""
    episodes = _episodes()
    log = bf.from_d3rlpy(types.SimpleNamespace(episodes=episodes))
    assert len(log) == 5 + 4 and log.episodes == 2 and log.actions == 2
    assert np.array_equal(log.column("s")[:5], episodes[0].observations)
    assert np.array_equal(log.column("ns")[:4], episodes[0].observations[1:])
    assert log.column("terminated").tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    with pytest.raises(bf.DataError, match="no episodes"):
        bf.from_d3rlpy(3)
    with pytest.raises(bf.DataError, match="no episode with"):
        bf.from_d3rlpy(types.SimpleNamespace(episodes=[]))


def test_rlds() -> None:
    """The steps of the specification: the last one is where the episode ended."""
    draw = np.random.default_rng(4)
    made = []
    for ended in (True, False):
        steps = [
            {"observation": draw.normal(size=2).astype(np.float32), "action": np.int64(i % 2), "reward": np.float32(i),
             "is_first": i == 0, "is_last": i == 3, "is_terminal": ended and i == 3}
            for i in range(4)
        ]  # fmt: skip
        made.append({"steps": steps})
    log = bf.from_rlds(made)
    assert len(log) == 6 and log.column("r").tolist() == [0, 1, 2, 0, 1, 2]
    assert log.column("terminated").tolist() == [0, 0, 1, 0, 0, 0]
    assert np.array_equal(log.column("ns")[2], made[0]["steps"][3]["observation"])


def test_model_selection(finite: bf.Log) -> None:
    score = bf.scorer(finite, interval="none")
    for table in ([[1, 0]] * 3, [[0.5, 0.5]] * 3):
        assert score(table, None, None) == bf.estimate(finite, table, interval="none").value
    bare = bf.Log({name: finite.column(name) for name in ("s", "a", "r", "ns")})
    unseen = bf.Policy.function(lambda states: np.eye(5)[[4] * len(states)], actions=5)
    assert math.isnan(bf.scorer(bare)(unseen))


def test_pictures(finite: bf.Log) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    answer = bf.estimate(finite, method="blackbox", horizon=10)
    line = answer.plot().lines[0]
    assert answer.interval is not None and list(line.get_xdata()) == [answer.interval.low, answer.interval.high]
    assert answer.plot("weights").lines[0].get_ydata()[-1] == pytest.approx(1)
    assert answer.plot("visits:s").get_xlabel() == "s"
    assert len(answer.plot("horizon").lines[0].get_xdata()) > 10
    assert answer.balance is not None and [one.name for one in answer.balance] == ["s", "action"]
    drawn = answer.plot("balance")
    for line, name in zip(drawn.lines, ("before", "after")):
        assert list(line.get_xdata()) == [abs(getattr(one, name)) for one in answer.balance]
    assert answer.balance[0].share and answer.balance[1].after < 1e-12 < answer.balance[1].before
    visits, s, ns = answer.weights, finite.column("s").reshape(-1), finite.column("ns").reshape(-1)
    assert visits is not None
    for weights, found in ((np.full(len(s), 1 / len(s)), answer.balance[0].before), (visits, answer.balance[0].after)):
        left = np.bincount(s.astype(int), weights, 3) - np.bincount(ns.astype(int), weights, 3)
        assert 0.5 * np.abs(left).sum() == pytest.approx(found, abs=1e-12)  # modelwin never ends
    forest = bf.compare(finite, {"coin": "uniform"}, method=["naive", "blackbox"]).plot()
    assert "coin, blackbox" in [one.get_text() for one in forest.get_yticklabels()]
    for kind, said in (("pie", "should be"), ("visits:age", "none of")):
        with pytest.raises(bf.UsageError, match=said):
            answer.plot(kind)
    with pytest.raises(bf.UsageError, match="no horizon"):
        bf.estimate(finite, interval="none").plot("horizon")
    with pytest.raises(bf.UsageError, match="no weights"):
        bf.estimate(finite, method="lstdq", interval="none").plot("balance")
    matplotlib.pyplot.close("all")
