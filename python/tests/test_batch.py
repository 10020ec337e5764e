"""Batches of questions: answers as they come, a file from which they go on, failures beside answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import backflow as bf


@pytest.fixture()
def logs(tmp_path: Path) -> list[Path]:
    paths = []
    for seed, name in ((1, "a.csv"), (2, "b.npz")):
        bf.simulate("modelwin", behavior="behavior", episodes=500, steps=4, seed=seed).write(tmp_path / name)
        paths.append(tmp_path / name)
    return paths


POLICIES = {"new": "modelwin:target", "coin": "uniform"}


def test_answers_are_those_of_estimate(logs: list[Path]) -> None:
    found = list(bf.batch(logs, POLICIES, threads=1, interval="none"))
    assert [(one.log, one.name) for one in found] == [((str(path),), name) for path in logs for name in POLICIES]
    for one in found:
        assert one.error is None and one.answer is not None and one.policy == POLICIES[str(one.name)]
        alone = bf.estimate(bf.Log.read(one.log[0]), one.policy, interval="none")
        assert one.answer.value == alone.value


def test_it_goes_on_from_a_file(logs: list[Path], tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    asked = bf.batch(logs, POLICIES, output=kept, threads=1, interval="none")
    first = next(asked)
    asked.close()  # type: ignore[attr-defined]
    before = kept.read_text().splitlines()
    assert len(before) >= 1 and json.loads(before[0])["name"] == first.name
    again = list(bf.batch(logs, POLICIES, output=kept, threads=1, interval="none"))
    assert sorted((one.log, one.name) for one in again) == sorted(((str(p),), n) for p in logs for n in POLICIES)
    assert kept.read_text().splitlines()[: len(before)] == before
    assert again[0].answer is not None and first.answer is not None and again[0].answer.value == first.answer.value


def test_a_question_that_fails(logs: list[Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("s,a,r,ns\n0,0,x,1\n")
    found = {one.log[0]: one for one in bf.batch([logs[0], bad], "uniform", threads=1, interval="none")}
    assert found[str(logs[0])].answer is not None
    failed = found[str(bad)]
    assert failed.answer is None and isinstance(failed.error, bf.FormatError) and "bad.csv:2" in str(failed.error)


def test_logs_in_pieces(logs: list[Path]) -> None:
    (one,) = bf.batch(logs, "uniform", together=True, max_memory=0.00001, sample=500, threads=1)
    assert one.answer is not None and one.answer.whole["rows"] == 4000 and one.answer.whole["by"] == "effects"


def test_what_cannot_be_asked(logs: list[Path]) -> None:
    with pytest.raises(bf.UsageError, match="none given"):
        bf.batch([])
    with pytest.raises(bf.UsageError, match="no such option"):
        list(bf.batch(logs, "uniform", wisdom=3))
    with pytest.raises(bf.UsageError, match="one method"):
        list(bf.batch(logs, "uniform", method="all"))
