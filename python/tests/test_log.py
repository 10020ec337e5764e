"""Logs from arrays: layouts, types, and what is wrong with them."""

from __future__ import annotations

import gc
import pathlib
from typing import Any

import numpy as np
import pytest

import backflow as bf

ROWS = 6
BASE: dict[str, Any] = dict(
    state=np.array([0, 1, 2, 0, 1, 2]),
    action=np.array([0, 1, 0, 1, 0, 1]),
    reward=np.array([0.0, 1.0, 0.5, 0.0, 1.0, 0.5]),
    next_state=np.array([1, 2, 0, 1, 2, 0]),
    episode=np.array([0, 0, 0, 1, 1, 1]),
)


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", ">f8", ">i4"])
def test_every_type_of_number(kind: str) -> None:
    log = bf.Log(**{**BASE, "state": BASE["state"].astype(kind), "reward": (BASE["reward"] * 2).astype(kind)})
    assert np.array_equal(log.column("s"), BASE["state"])
    assert np.array_equal(log.column("r"), BASE["reward"] * 2)


def test_layouts() -> None:
    wide = np.arange(ROWS * 8, dtype=np.float64).reshape(ROWS, 8) / 7
    for view in (wide[:, ::2], wide[:, ::-1], wide.T.copy().T, np.broadcast_to(wide[:, :1], (ROWS, 3)), wide[::-1]):
        log = bf.Log(**{**BASE, "state": view, "next_state": view})
        assert np.array_equal(log.column("s"), view)
        assert log.states == 0 and log.state_dim == view.shape[1]


def test_flags_and_files(tmp_path: pathlib.Path) -> None:
    log = bf.Log(**BASE, terminated=np.array([False, False, True, False, False, True]))
    assert log.column("terminated").tolist() == [0, 0, 1, 0, 0, 1]
    for name in ("log.csv", "log.npz"):
        log.write(tmp_path / name)
        again = bf.Log.read(tmp_path / name)
        assert np.array_equal(again.column("s"), log.column("s")) and again.episodes == 2
    twice = bf.Log.read(tmp_path / "log.csv", str(tmp_path / "log.csv"))
    assert len(twice) == 2 * len(log)


def test_columns_by_their_names_in_files() -> None:
    log = bf.Log({"s": BASE["state"], "a": BASE["action"], "r": BASE["reward"], "ns": BASE["next_state"]})
    assert len(log) == ROWS and log.episodes == 0


def test_a_column_outlives_its_log() -> None:
    log = bf.Log(**BASE)
    column = log.column("r")
    del log
    gc.collect()
    assert column.tolist() == BASE["reward"].tolist()


@pytest.mark.parametrize(
    ("change", "kind", "field", "row", "said"),
    [
        ({"reward": np.array([0, 1, np.nan, 0, 1, 2])}, bf.DataError, "r", 2, "nan"),
        ({"action": np.array([0, 1, 0.5, 1, 0, 1])}, bf.DataError, "a", 2, "0.5"),
        ({"reward": np.zeros(5)}, bf.DataError, None, None, "r has 5"),
        ({"reward": np.array(1.0)}, bf.DataError, "r", None, "0 dimensions"),
        ({"reward": np.array(["x"] * ROWS, dtype=object)}, bf.FormatError, "r", 0, "'x' is not a number"),
        ({"reward": np.zeros(ROWS, dtype=complex)}, bf.DataError, "r", None, "neither numbers nor text"),
        ({"action": np.array([["a"]] * ROWS)}, bf.DataError, "a", None, "texts of shape"),
        ({"reward": None}, bf.DataError, None, None, "no reward"),
    ],
)
def test_what_is_wrong(change: dict[str, Any], kind: Any, field: Any, row: Any, said: str) -> None:
    with pytest.raises(kind) as caught:
        bf.Log(**{**BASE, **change})
    assert said in caught.value.message
    assert caught.value.field == field and caught.value.source == "arrays"
    assert caught.value.row == row


def test_files_that_are_wrong(tmp_path: pathlib.Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("s,a,r,ns\n0,0,1,1\n1,1,n/a,0\n")
    with pytest.raises(bf.BackflowError) as caught:
        bf.Log.read(bad)
    assert caught.value.row == 3 and caught.value.field == "r" and caught.value.source == str(bad)
    with pytest.raises(bf.FileError):
        bf.Log.read(tmp_path / "missing.csv")
    with pytest.raises(OSError):
        bf.Log.read(tmp_path / "missing.csv")
    with pytest.raises(bf.UsageError):
        bf.Log.read()
    with pytest.raises(bf.UsageError, match="no such argument"):
        bf.Log.read(bad, colour="red")
    with pytest.raises(KeyError):
        bf.Log(**BASE).column("mu")
    with pytest.raises(bf.BackflowError):
        bf.Log(**BASE).write(tmp_path / "log.parquet")


def test_actions_that_were_not_allowed() -> None:
    mask = np.array([[0, 1], [1, 0], [0, 0], [0, 0], [0, 1], [1, 0]])
    for given in (mask, mask.astype(bool), mask.astype(np.float32)):
        assert np.array_equal(bf.Log(**BASE, mask=given).column("mask"), mask)
    frame = {**BASE, "action": np.array(["x", "y"])[BASE["action"]], "no_y": mask[:, 1], "no_x": mask[:, 0]}
    log = bf.Log(frame, **{key: key for key in BASE}, mask={"x": "no_x", "y": "no_y"})
    assert log.action_names == ["y", "x"]  # as the columns of the frame
    assert np.array_equal(log.column("mask"), mask[:, ::-1])
    with pytest.raises(bf.DataError, match="mask0: 1, but that action was taken"):
        bf.Log(**BASE, mask=np.eye(2)[BASE["action"]])
    with pytest.raises(bf.FormatError, match=r"mask: shape \(6,\); \(n, A\) is needed"):
        bf.Log(**BASE, mask=mask[:, 0])


@pytest.mark.parametrize(
    ("change", "kind", "field", "row", "said"),
    [
        ({"weight": np.array([1, 1, 0, 1, 1, 1])}, bf.DataError, "weight", 2, "0 is not above 0"),
        ({"weight": np.array([1, 1, 1, 1, 1, np.inf])}, bf.DataError, "weight", 5, "inf is not above 0"),
        ({"weight": np.array([1, np.nan, 1, 1, 1, 1])}, bf.DataError, "weight", 1, "nan is not above 0"),
        ({"weight": np.ones(5)}, bf.DataError, None, None, "weight has 5 rows"),
        ({"weight": np.ones((6, 2))}, bf.FormatError, "weight", None, "shape (6, 2); (n,) is needed"),
        ({"weight": ["much"] * ROWS}, bf.FormatError, "weight", 0, "'much' is not a number"),
        ({"duration": np.array([1, 1, 1, -2, 1, 1])}, bf.DataError, "duration", 3, "-2 is not above 0"),
        ({"duration": np.ones(7)}, bf.DataError, None, None, "duration has 7 rows"),
        ({"duration": np.ones((6, 2))}, bf.FormatError, "duration", None, "shape (6, 2); (n,) is needed"),
        ({"duration": ["long"] * ROWS}, bf.FormatError, "duration", 0, "'long' is not a number"),
        ({"mask": np.full((6, 2), 2)}, bf.DataError, "mask0", 0, "2 is neither 0 nor 1"),
        ({"mask": np.zeros((5, 2))}, bf.DataError, None, None, "mask has 5 rows"),
    ],
)
def test_weights_durations_and_masks_that_are_wrong(
    change: dict[str, Any], kind: Any, field: Any, row: Any, said: str
) -> None:
    with pytest.raises(kind) as caught:
        bf.Log(**{**BASE, **change})
    assert said in caught.value.message
    assert caught.value.field == field and caught.value.row == row


def test_what_durations_rule_out() -> None:
    pi = np.full((ROWS, 2), 0.5)
    log = bf.Log(**BASE, pi=pi, next_pi=pi, duration=np.ones(ROWS))
    with pytest.raises(bf.UsageError, match="0.9 discounts by the step"):
        bf.estimate(log, gamma=0.9)
    weighted = bf.Log(**BASE, pi=pi, next_pi=pi, mu=np.full(ROWS, 0.5), weight=np.arange(1.0, 7.0))
    with pytest.raises(bf.BackflowError, match="lets every row count the same"):
        bf.estimate(weighted, method="ips")


def test_a_log_and_its_mirror_image() -> None:
    plain = bf.Log(state=np.array([[1.0, 2.0], [3.0, 4.0]]), action=["left", "right"], reward=[1, 2],
                   next_state=np.array([[3.0, 4.0], [0.5, 0.0]]))  # fmt: skip
    both = plain.mirrored("s0=-s0, a:left=right")
    assert both.column("s").tolist() == [[1, 2], [-1, 2], [3, 4], [-3, 4]]
    assert both.column("ns").tolist() == [[3, 4], [-3, 4], [0.5, 0], [-0.5, 0]]
    assert both.column("a").tolist() == [0, 1, 1, 0] and both.action_names == ["left", "right"]
    told = bf.Log(state=plain.column("s"), action=["left", "right"], reward=[1, 2],
                  next_state=plain.column("ns"), mirror="s0=-s0,a:left=right")  # fmt: skip
    assert told.column("s").tolist() == both.column("s").tolist()
    for wrong, said in (("s0", "should be"), ("s9=-s9", "no state column 's9'"), ("a:left=up", "'up' is no action")):
        with pytest.raises(bf.UsageError, match=said):
            plain.mirrored(wrong)
    with pytest.raises(bf.UsageError, match="already"):
        both.mirrored("s0=-s0")
