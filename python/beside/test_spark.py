"""backflow.spark on a real cluster of two workers, `local-cluster`; `script/python spark` runs this.

The oracle is the log in memory, sorted by episode and time: every digit of the value is the same.
"""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any, Iterator

import numpy as np
import pandas
import pytest

import backflow as bf
import backflow.spark

COLUMNS = dict(state="place", action="move", reward="gain", next_state="after", episode="id", time="day", terminated="over")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    import pyspark
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    made = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    session = made.config("spark.sql.execution.arrow.pyspark.enabled", "true").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def rows() -> pandas.DataFrame:
    """Episodes of different lengths in a chain of seven states, some of which end."""
    made = np.random.default_rng(3)
    found = []
    for episode in range(300):
        s = int(made.integers(3))
        for day in range(int(made.integers(2, 30))):
            a = int(made.integers(3))
            after = int(np.clip(s + a - 1 + made.integers(-1, 2), 0, 6))
            over = bool(after == 6 and made.random() < 0.3)
            found.append((episode * 7, day, s, a, s - 0.3 * a + 1e-7 * made.random(), after, over))
            s = after
            if over:
                break
    return pandas.DataFrame(found, columns=["id", "day", "place", "move", "gain", "after", "over"])


@pytest.fixture(scope="session")
def frame(spark: Any, rows: pandas.DataFrame) -> Any:
    """The same in no order."""
    return spark.createDataFrame(rows.sample(frac=1, random_state=1)).repartition(4)


TABLE = [[0.1, 0.2, 0.7]] * 7


@pytest.mark.parametrize("partitions, batch", [(1, 10**6), (3, 500), (7, 10)])
def test_any_partition(frame: Any, rows: pandas.DataFrame, partitions: int, batch: int) -> None:
    memory = bf.estimate(bf.Log(rows, **COLUMNS), TABLE, interval="fast")
    answer = bf.spark.estimate(frame, TABLE, **COLUMNS, partitions=partitions, batch=batch)
    assert answer.whole is not None and answer.whole["counted"] and answer.whole["rows"] == len(rows)
    assert answer.value == memory.value and answer.diagnostics == memory.diagnostics
    assert answer.interval is not None and memory.interval is not None
    assert np.allclose(list(answer.interval), list(memory.interval), rtol=0, atol=1e-9)


def test_a_worker_is_killed(frame: Any, rows: pandas.DataFrame, tmp_path: pathlib.Path) -> None:
    """The policy kills the worker's process (a JVM) in the middle of the second reading, once."""
    marker = str(tmp_path / "killed")

    def deadly(states: Any) -> Any:
        import os
        import signal
        import time

        import numpy

        from pyspark import TaskContext

        task = TaskContext.get()
        if task is not None and task.partitionId() == 2:
            try:
                with open(marker, "x") as file:
                    with open(f"/proc/{os.getppid()}/stat") as about:  # python's own parent is a daemon, and its is the JVM
                        parent = int(about.read().rpartition(")")[2].split()[1])
                    file.write(str(parent))
                os.kill(parent, signal.SIGKILL)
                time.sleep(60)
            except FileExistsError:
                pass
        return numpy.tile([0.1, 0.2, 0.7], (len(states), 1))

    answer = bf.spark.estimate(frame, deadly, **COLUMNS, partitions=6, batch=100)
    killed = int(pathlib.Path(marker).read_text())
    assert not pathlib.Path(f"/proc/{killed}/exe").exists() or b"java" not in pathlib.Path(f"/proc/{killed}/cmdline").read_bytes()
    memory = bf.estimate(bf.Log(rows, **COLUMNS), TABLE, interval="fast")
    assert answer.value == memory.value and answer.diagnostics == memory.diagnostics
    assert answer.whole is not None and answer.whole["rows"] == len(rows)


def test_a_bag_of_transitions(frame: Any, rows: pandas.DataFrame) -> None:
    """Without episodes rows have no numbers: the same but for rounding."""
    columns = {name: COLUMNS[name] for name in ("state", "action", "reward", "next_state")}
    memory = bf.estimate(bf.Log(rows, **columns), TABLE, terminal="ignore", interval="none")
    answer = bf.spark.estimate(frame, TABLE, **columns, terminal="ignore", partitions=3)
    assert abs(answer.value - memory.value) < 1e-10


def test_the_target_in_columns(spark: Any, rows: pandas.DataFrame) -> None:
    wide = rows.assign(p0=0.1, p1=0.2, p2=0.7, q0=0.1, q1=0.2, q2=0.7)
    pi = {"pi": ["p0", "p1", "p2"], "next_pi": ["q0", "q1", "q2"]}
    memory = bf.estimate(bf.Log(wide, **COLUMNS, **pi), interval="none")
    answer = bf.spark.estimate(spark.createDataFrame(wide), **COLUMNS, **pi, partitions=2)
    assert answer.value == memory.value


def test_words_and_a_classifier(spark: Any, rows: pandas.DataFrame) -> None:
    words = rows.assign(move=np.array(["down", "stay", "up"])[rows["move"]])
    order = ["up", "down", "stay"]

    class Chooser:
        classes_ = ["down", "stay", "up"]

        def predict_proba(self, states: Any) -> Any:
            return [[0.1, 0.2, 0.7]] * len(states)

    found = bf.spark.estimate(spark.createDataFrame(words), Chooser(), **COLUMNS, actions=order, partitions=3)
    memory = bf.estimate(bf.Log(words, **COLUMNS, actions=order), Chooser(), interval="none")
    assert found.value == memory.value
    assert abs(found.value - bf.estimate(bf.Log(rows, **COLUMNS), TABLE, interval="none").value) < 1e-12


def test_real_valued_states(spark: Any, rows: pandas.DataFrame) -> None:
    """States that do not add up: a sample of whole episodes stands for the frame."""
    noise = np.random.default_rng(5).normal(size=(2, len(rows)))
    moved = rows.assign(place=rows["place"] + noise[0], after=rows["after"] + noise[1])
    policy = lambda states: [[0.1, 0.2, 0.7]] * len(states)  # noqa: E731
    answer = bf.spark.estimate(
        spark.createDataFrame(moved), policy, **COLUMNS, partitions=3, sample=1000, interval="none", method="wis", behavior="uniform"
    )
    assert answer.whole is not None and not answer.whole["counted"] and answer.whole["rows"] == len(rows)
    assert 900 < answer.whole["sample_rows"] <= 1000


def test_what_is_wrong(spark: Any, frame: Any) -> None:
    without = {name: column for name, column in COLUMNS.items() if name != "time"}
    with pytest.raises(bf.UsageError, match="`time`: needed with `episode`"):
        bf.spark.estimate(frame, TABLE, **without)
    del without["episode"], without["next_state"]
    with pytest.raises(bf.UsageError, match="`next_state`: needed without `episode`"):
        bf.spark.estimate(frame, TABLE, **without)
    with pytest.raises(bf.UsageError, match="df: luck: no such column; there are id, day"):
        bf.spark.estimate(frame, TABLE, **{**COLUMNS, "reward": "luck"})
    with pytest.raises(bf.DataError, match="df: no rows"):
        bf.spark.estimate(frame.where("id < 0"), TABLE, **COLUMNS)
    with pytest.raises(Exception, match="ZeroDivisionError"):
        bf.spark.estimate(frame, lambda states: 1 / 0, **COLUMNS)
