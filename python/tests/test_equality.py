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
