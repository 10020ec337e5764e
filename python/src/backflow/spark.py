"""Answers from a DataFrame of Spark.

Every reading is a job: each partition gives a partial result (``mapInArrow``), the results are made one
in a tree (``treeReduce``), and the driver ends the reading. Rows never come to the driver, other than
those of the sample. What a lost worker had done, Spark does again.

The frame is sorted once, by episode and time, into partitions of whole episodes, and kept on the disks
of the workers until the answer is there. So rows have numbers, and every digit of the answer is that of
the sorted log in memory, whatever the number of partitions.
"""

from __future__ import annotations

import itertools
import pickle
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from . import errors
from .answer import Answer
from .log import Log
from .passes import Partial, Reading, begin, finish, merge, partial

_SCHEMA = "partition long, rows long, found binary"


def estimate(
    df: Any,
    policy: Any = None,
    *,
    state: Union[str, Sequence[str]],
    action: Union[str, Sequence[str]],
    reward: str,
    next_state: Union[None, str, Sequence[str]] = None,
    episode: Optional[str] = None,
    time: Optional[str] = None,
    terminated: Optional[str] = None,
    truncated: Optional[str] = None,
    pi: Union[None, Sequence[str], Mapping[str, str]] = None,
    next_pi: Union[None, Sequence[str], Mapping[str, str]] = None,
    actions: Optional[Sequence[str]] = None,
    partitions: Optional[int] = None,
    batch: int = 1_000_000,
    **options: Any,
) -> Answer:
    """What the policy would earn per step, from a DataFrame of Spark.

    Columns are named as those of :class:`backflow.Log`, `options` are those of :func:`backflow.begin`.
    The policy is sent to the workers; a function has to be one that Spark can send. A frame of Spark has
    no order: with `episode` there has to be `time`, and without it `next_state`. Workers take `batch` rows
    at a time, and more if an episode is longer. Workers need the package as well.
    """
    columns = {
        "state": state, "action": action, "reward": reward, "next_state": next_state, "episode": episode, "time": time,
        "terminated": terminated, "truncated": truncated, "pi": pi, "next_pi": next_pi,
    }  # fmt: skip
    columns = {name: given for name, given in columns.items() if given is not None}
    rows = _sorted(df, columns, partitions)
    reading: Union[Reading, Answer] = begin(policy, **options)
    firsts: dict[int, int] = {}
    try:
        while isinstance(reading, Reading):
            sizes, found = _read(rows, reading, columns, actions, firsts, batch)
            if reading.kind == "sample":
                places = sorted(sizes)
                firsts = dict(zip(places, itertools.accumulate([0] + [sizes[one] for one in places])))
            reading = finish(reading, found)
    finally:
        rows.unpersist()
    return reading


def _sorted(df: Any, columns: Mapping[str, Any], partitions: Optional[int]) -> Any:
    """The frame with the columns of the log, in partitions of whole episodes, kept."""
    from pyspark import StorageLevel

    named: list[str] = []
    for given in columns.values():
        named += [given] if isinstance(given, str) else list(given.values() if isinstance(given, Mapping) else given)
    unknown = [one for one in named if one not in df.columns]
    if unknown:
        raise errors.UsageError(f"df: {', '.join(unknown)}: no such column; there are {', '.join(df.columns)}")
    rows = df.select(*dict.fromkeys(named))
    if "episode" in columns and "time" not in columns:
        raise errors.UsageError("`time`: needed with `episode`, as the rows of a frame of Spark have no order")
    if "episode" not in columns and "next_state" not in columns:
        raise errors.UsageError("`next_state`: needed without `episode`, as the rows of a frame of Spark have no order")
    count = partitions or max(rows.rdd.getNumPartitions(), rows.sparkSession.sparkContext.defaultParallelism)
    if "episode" in columns:
        rows = rows.repartitionByRange(count, columns["episode"]).sortWithinPartitions(columns["episode"], columns["time"])
    # The ranges of the partitions are found by sampling, once for a kept frame: all readings have the same.
    return rows.persist(StorageLevel.DISK_ONLY)


def _read(
    rows: Any, reading: Reading, columns: Mapping[str, Any], actions: Optional[Sequence[str]],
    firsts: Mapping[int, int], batch: int,
) -> tuple[dict[int, int], Partial]:  # fmt: skip
    """One reading of all rows: rows of every partition, and what was found in all."""

    def part(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow
        from pyspark import TaskContext

        place = TaskContext.get().partitionId()
        seen, found = 0, None
        for table in _pieces(batches, columns.get("episode"), batch):
            log = Log(table, actions=actions, name=f"partition {place}", **columns)
            one = partial(reading, log, firsts.get(place, 0) + seen)
            found = one if found is None else merge(found, one)
            seen += one.rows
        if found is not None:
            yield pyarrow.RecordBatch.from_pydict({"partition": [place], "rows": [seen], "found": [pickle.dumps(found)]})

    def load(row: Any) -> tuple[dict[int, int], Partial]:
        return {row["partition"]: row["rows"]}, pickle.loads(row["found"])

    def join(a: tuple[dict[int, int], Partial], b: tuple[dict[int, int], Partial]) -> tuple[dict[int, int], Partial]:
        return {**a[0], **b[0]}, merge(a[1], b[1])

    parts = rows.mapInArrow(part, _SCHEMA).rdd.map(load)
    try:
        result: tuple[dict[int, int], Partial] = parts.treeReduce(join)
    except ValueError as failure:
        if "empty" in str(failure):
            raise errors.DataError("df: no rows") from failure
        raise
    return result


def _pieces(batches: Iterable[Any], episode: Optional[str], most: int) -> Iterator[Any]:
    """Record batches as tables of about `most` rows, cut between two episodes."""
    import pyarrow

    held: list[Any] = []
    for one in batches:
        if not one.num_rows:
            continue
        held.append(one)
        if sum(some.num_rows for some in held) < most:
            continue
        table = pyarrow.Table.from_batches(held)
        end = table.num_rows if episode is None else _last_border(table[episode].to_numpy())
        if end:
            yield table.slice(0, end)
        held = table.slice(end).to_batches()
    if held:
        yield pyarrow.Table.from_batches(held)


def _last_border(ids: Any) -> int:
    """Where the last episode begins."""
    others = np.flatnonzero(ids != ids[-1])
    return int(others[-1]) + 1 if others.size else 0


__all__ = ["estimate"]
