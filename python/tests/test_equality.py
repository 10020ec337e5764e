"""Every number equals the tool's to the last digit: same log, same question."""

from __future__ import annotations

import pathlib
from typing import Any, Callable

import numpy as np
import pytest

import backflow as bf

from conftest import same

Tool = Callable[..., dict[str, Any]]


# Options that make slow methods quick: what is shown is that nothing is lost between them and us.
QUICK: dict[str, dict[str, Any]] = {
    "fqe": {"rounds": 3, "interval": "none"},
    "dualdice": {"steps": 50, "interval": "none"},
}


@pytest.mark.parametrize("method", list(bf.methods()))
@pytest.mark.parametrize("kind", ["finite", "real"])
def test_every_method(method: str, kind: str, request: Any, tmp_path: pathlib.Path, tool: Tool) -> None:
    log: bf.Log = request.getfixturevalue(kind)
    path = tmp_path / "log.npz"
    log.write(path)
    options = QUICK.get(method, {}) if kind == "real" or method == "fqe" else {}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    gamma = 0.9 if method == "dualdice" else 1.0
    try:
        theirs = tool("estimate", path, "--method", method, "--gamma", gamma, *words)
    except AssertionError as refused:
        with pytest.raises(bf.BackflowError) as caught:
            bf.estimate(log, method=method, gamma=gamma, **options)
        assert caught.value.message.split(":")[-1] in str(refused)
        return
    same(bf.estimate(log, method=method, gamma=gamma, **options).to_dict(), theirs)


def test_what_else_is_asked(finite: bf.Log, tmp_path: pathlib.Path, tool: Tool) -> None:
    path = tmp_path / "log.csv"
    finite.write(path)
    theirs = tool("estimate", path, "--horizon", "5,10", "--risk", "0.1,0.5", "--by", "a", "--level", "0.9")
    ours = bf.estimate(finite, horizon=[5, 10], risk=[0.1, 0.5], by="a", level=0.9)
    same(ours.to_dict(), theirs)
    assert ours.horizon is not None and ours.horizon["values"][1]["horizon"] == 10
    assert ours.risk is not None and len(ours.risk) == 2
    assert ours.groups is not None and len(ours.groups) == 2
    assert ours.interval is not None and ours.interval.level == 0.9


def test_options_of_the_method(real: bf.Log, tmp_path: pathlib.Path, tool: Tool) -> None:
    path = tmp_path / "log.npz"
    real.write(path)
    theirs = tool("estimate", path, "--weights", "linear", "--ridge", "1e-6", "--seed", "7", "--threads", "1")
    same(bf.estimate(real, weights="linear", ridge=1e-6, seed=7, threads=1).to_dict(), theirs)


def test_behavior_estimated(finite: bf.Log, tmp_path: pathlib.Path, tool: Tool) -> None:
    path = tmp_path / "log.csv"
    finite.write(path)
    theirs = tool("estimate", path, "--method", "wis", "--behavior", "estimate", "--policy", "uniform")
    same(bf.estimate(finite, "uniform", method="wis", behavior="estimate").to_dict(), theirs)


def test_policies_compared(finite: bf.Log, tmp_path: pathlib.Path, tool: Tool) -> None:
    path = tmp_path / "log.csv"
    finite.write(path)
    theirs = tool("compare", path, "--policy", "new=modelwin:target", "--policy", "coin=uniform")
    found = bf.compare(finite, {"new": "modelwin:target", "coin": "uniform"})
    ours = found.to_dict()["auto"]
    assert ours["pairs"] == theirs["pairs"]
    for mine, other in zip(ours["policies"], theirs["policies"]):
        same(mine, other)
    assert [row["policy"] for row in found.rows] == ["new", "coin", "the log"]
    assert found.pairs[0].sentence.startswith("new is worse than coin by")
    both = bf.compare(finite, {"coin": "uniform"}, method=["blackbox", "lstdq"])
    assert {method for _, method in both.answers} == {"blackbox", "lstdq"}


def test_simulation_and_truth(tmp_path: pathlib.Path, tool: Tool) -> None:
    import subprocess

    path = tmp_path / "log.npz"
    words = ["simulate", "gridwalk", "--behavior", "uniform", "--episodes", "4", "--horizon", "30", "--seed", "5"]
    subprocess.run([str(bf.tool()), *words, "-o", str(path), "--quiet"], check=True)
    ours = bf.simulate("gridwalk", behavior="uniform", episodes=4, steps=30, seed=5)
    theirs = np.load(path)
    for name in ("s", "a", "r", "ns"):
        assert np.array_equal(ours.column(name), theirs[name])
    same(bf.value("modelwin", "target").to_dict(), tool("value", "modelwin", "--policy", "target"))
    theirs_run = tool("value", "cartpole", "--policy", "handmade", "--chains", "2", "--steps", "500")
    same(bf.value("cartpole", "handmade", chains=2, steps=500).to_dict(), theirs_run)


def test_inspection(finite: bf.Log, tmp_path: pathlib.Path, tool: Tool) -> None:
    path = tmp_path / "log.csv"
    finite.write(path)
    ours = bf.Log.read(path).inspect()
    assert ours.to_dict() == tool("inspect", path)
    assert ours.problems == [] and "2000" in repr(ours)


def test_weights(finite: bf.Log) -> None:
    answer = bf.estimate(finite)
    assert answer.weights is not None and answer.signed_weights is not None
    assert abs(float(answer.weights.sum()) - 1) < 1e-12
    assert abs(float(answer.signed_weights @ finite.column("r")) - answer.value) < 1e-12
    assert not answer.weights.flags.writeable
    assert bf.estimate(finite, method="lstdq", interval="none").weights is None


def written(path: pathlib.Path, columns: dict[str, Any]) -> pathlib.Path:
    """A CSV of the columns, in all their digits; one with two dimensions is name0, name1, ..."""
    flat: dict[str, list[Any]] = {}
    for name, values in columns.items():
        if values.ndim == 1:
            flat[name] = values.tolist()
        else:
            flat.update({f"{name}{k}": values[:, k].tolist() for k in range(values.shape[1])})
    rows = (",".join(repr(x) for x in row) for row in zip(*flat.values()))
    path.write_text("\n".join([",".join(flat), *rows]) + "\n")
    return path


def random_log(kind: str) -> dict[str, Any]:
    """Thirty episodes of eight steps, by the names that columns have in files."""
    rng = np.random.default_rng(7)
    rows = 240
    finite = kind == "finite"
    pi = rng.uniform(0.2, 0.8, rows).round(3)
    log = {
        "episode": np.repeat(np.arange(30), 8),
        "t": np.tile(np.arange(8), 30),
        "s": rng.integers(0, 3, rows) if finite else rng.normal(size=(rows, 2)),
        "a": rng.integers(0, 2, rows),
        "r": rng.normal(size=rows),
        "terminated": np.tile([0, 0, 0, 0, 0, 0, 0, 1], 30),
        "weight": np.repeat(rng.uniform(0.5, 3.0, 30), 8),
        "duration": rng.exponential(size=rows) + 0.1,
    }
    # At every fifth row the action that was not taken was not allowed.
    log["mask"] = np.stack([log["a"] == 1, log["a"] == 0], axis=1) * (np.arange(rows) % 5 == 0)[:, None]
    log["mask"] = log["mask"].astype(int)
    if finite:  # the policy of a state is one
        pi = np.array([0.3, 0.5, 0.6])[log["s"]]
        log["mask"][:] = 0
    both = np.stack([1 - pi, pi], axis=1) * (1 - log["mask"])
    log["pi"] = both / both.sum(axis=1, keepdims=True)
    return log


KEYWORDS = {"s": "state", "a": "action", "r": "reward", "t": "time"}


@pytest.mark.parametrize("kind", ["finite", "real"])
@pytest.mark.parametrize("extra", [("weight",), ("duration",), ("weight", "duration"), ("mask",)])
def test_weights_durations_and_masks(kind: str, extra: tuple[str, ...], tmp_path: pathlib.Path, tool: Tool) -> None:
    """The keywords of a log against columns of a file, for the methods that take them."""
    every = random_log(kind)
    columns = {name: every[name] for name in every if name in extra or name not in ("weight", "duration", "mask")}
    path = written(tmp_path / "log.csv", columns)
    log = bf.Log(**{KEYWORDS.get(name, name): values for name, values in columns.items()})
    for name in extra:
        assert np.array_equal(log.column(name), columns[name])
    answered = 0
    for method in ("blackbox", "model", "lstdq"):
        try:
            theirs = tool("estimate", path, "--method", method)
        except AssertionError as refused:
            with pytest.raises(bf.NeedsError) as caught:
                bf.estimate(log, method=method)
            assert caught.value.message in str(refused)
            continue
        same(bf.estimate(log, method=method).to_dict(), theirs)
        answered += 1
    assert answered >= (3 if kind == "finite" else 2)
    assert log.inspect().to_dict() == {**tool("inspect", path), "files": log.inspect().to_dict()["files"]}


def test_weights_and_durations_change_the_answer() -> None:
    every = random_log("finite")
    plain = {KEYWORDS.get(name, name): every[name] for name in every if name not in ("weight", "duration", "mask")}
    answers = [
        bf.estimate(bf.Log(**plain, **more), method="naive", interval="none").value
        for more in ({}, {"weight": every["weight"]}, {"duration": every["duration"]})
    ]
    w, r, tau = every["weight"], every["r"], every["duration"]
    expected = [r.mean(), (w * r).sum() / w.sum(), r.sum() / tau.sum()]
    assert answers == pytest.approx(expected, rel=1e-12)
