"""Answers from parts of a log: however it is cut, the answer of the log in memory."""

from __future__ import annotations

import functools
import pathlib
import pickle
import runpy
from typing import Any, Callable, Iterator, Optional, Sequence

import numpy as np
import pytest

import backflow as bf

from conftest import same

Columns = dict[str, Any]
ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def walks() -> Columns:
    """Episodes of different lengths in a chain of seven states, some of which end."""
    made = np.random.default_rng(3)
    rows: list[tuple[int, int, int, int, float, int, bool]] = []
    for episode in range(60):
        s = int(made.integers(3))
        for time in range(int(made.integers(2, 30))):
            a = int(made.integers(3))
            following = int(np.clip(s + a - 1 + made.integers(-1, 2), 0, 6))
            ended = following == 6 and made.random() < 0.3
            rows.append((episode, time, s, a, s - 0.3 * a + 1e-7 * made.random(), following, ended))
            s = following
            if ended:
                break
    names = ("episode", "time", "state", "action", "reward", "next_state", "terminated")
    return {name: np.array(column) for name, column in zip(names, zip(*rows))}


def cut(columns: Columns, parts: int) -> Iterator[tuple[Columns, int]]:
    """The rows of whole episodes in so many parts, and where each begins."""
    episodes = np.unique(columns["episode"])
    for mine in np.array_split(episodes, parts):
        rows = np.isin(columns["episode"], mine)
        yield {name: values[rows] for name, values in columns.items()}, int(np.argmax(rows))


def answer_of(
    parts: Sequence[tuple[bf.Log, int]],
    policy: Any = None,
    join: Callable[[list[bf.Partial]], bf.Partial] = lambda found: bf.merge(*found),
    **options: Any,
) -> tuple[bf.Answer, list[str]]:
    """The answer from parts, each of which is read elsewhere; and what was read for."""
    reading: Any = bf.begin(policy, **options)
    kinds = []
    while isinstance(reading, bf.Reading):
        kinds.append(reading.kind)
        sent = pickle.dumps(reading)
        found = [pickle.loads(pickle.dumps(bf.partial(pickle.loads(sent), log, first))) for log, first in parts]
        reading = bf.finish(reading, join(found))
    return reading, kinds


def prefers(states: Any) -> Any:
    """Moves up, mostly; a function that can be sent."""
    return np.tile([0.1, 0.2, 0.7], (len(states), 1))


def told(answer: bf.Answer) -> dict[str, Any]:
    found = answer.to_dict()
    for name in ("seconds", "settings"):
        found.pop(name, None)
    return found


@pytest.mark.parametrize("method", ["auto", "blackbox", "model"])
@pytest.mark.parametrize("terminal", ["restart", "ignore"])
def test_any_partition(walks: Columns, method: str, terminal: str) -> None:
    """1, 2, 3 and 7 parts, in several orders and trees: every digit is the same."""
    trees: list[Callable[[list[bf.Partial]], bf.Partial]] = [
        lambda found: bf.merge(*found),
        lambda found: functools.reduce(bf.merge, reversed(found)),
        lambda found: bf.merge(found[-1], bf.merge(*found[:-1])) if len(found) > 1 else found[0],
    ]
    options = dict(method=method, terminal=terminal)
    memory = bf.estimate(bf.Log(**walks), prefers, interval="fast", **options)  # type: ignore[arg-type]
    seen = []
    for parts, join in zip((1, 2, 3, 7), [trees[0], *trees]):
        logs = [(bf.Log(**one), first) for one, first in cut(walks, parts)]
        answer, kinds = answer_of(logs, prefers, join, **options)
        assert kinds == ["sample", "counts", "effects"]
        assert answer.whole is not None and answer.whole["counted"] and answer.whole["rows"] == len(walks["state"])
        seen.append(told(answer))
    assert all(one == seen[0] for one in seen[1:])
    assert answer.value == memory.value
    assert abs(answer.naive - memory.naive) < 1e-12  # summed in another order in memory
    assert answer.diagnostics == memory.diagnostics
    if memory.interval is None:
        assert answer.interval is None and method == "model"
    else:
        assert answer.interval is not None
        assert np.allclose(list(answer.interval), list(memory.interval), rtol=0, atol=1e-9)


def test_the_tool_says_the_same(walks: Columns, tmp_path: pathlib.Path, tool: Any) -> None:
    """`estimate --max-memory` reads the file in pieces; the parts were cut elsewhere."""
    path = tmp_path / "log.csv"
    bf.Log(**walks).write(path)
    np.savetxt(tmp_path / "pi.csv", prefers(np.zeros(7)), delimiter=",", header="pi0,pi1,pi2", comments="")
    theirs = tool("estimate", path, "--policy", tmp_path / "pi.csv", "--max-memory", "0.00001")
    answer, _ = answer_of([(bf.Log(**one), first) for one, first in cut(walks, 4)], prefers)
    same({**answer.to_dict(), "policy": theirs.get("policy")}, theirs)


def test_without_numbers_of_rows(walks: Columns) -> None:
    """Parts that do not know where they lie: the same but for rounding."""
    memory = bf.estimate(bf.Log(**walks), prefers, interval="fast")
    answer, _ = answer_of([(bf.Log(**one), 0) for one, _ in cut(walks, 5)], prefers)
    assert abs(answer.value - memory.value) < 1e-12


def test_actions_that_a_part_has_not_seen(walks: Columns) -> None:
    """One part has two of three actions: `uniform` is of three there, too."""
    columns = {name: values.copy() for name, values in walks.items()}
    first = columns["episode"] < 20
    columns["action"][first] = np.minimum(columns["action"][first], 1)
    logs = [(bf.Log(**one), at) for one, at in cut(columns, 3)]
    assert [log.actions for log, _ in logs] == [2, 3, 3]
    answer, _ = answer_of(logs, "uniform")
    assert answer.value == bf.estimate(bf.Log(**columns), "uniform", interval="none").value


def test_actions_with_names(walks: Columns) -> None:
    """A classifier in the words of the log; the words have one order for all parts."""
    from sklearn.linear_model import LogisticRegression

    words = np.array(["down", "stay", "up"])
    columns = {**walks, "action": words[walks["action"]]}
    clf = LogisticRegression().fit(columns["state"].reshape(-1, 1), columns["action"])
    order = ["up", "down", "stay"]
    memory = bf.estimate(bf.Log(**columns, actions=order), clf, interval="none")
    answer, _ = answer_of([(bf.Log(**one, actions=order), at) for one, at in cut(columns, 3)], clf)
    assert answer.value == memory.value
    backwards = [(bf.Log(**one, actions=order[:: 1 if at else -1]), at) for one, at in cut(columns, 2)]
    with pytest.raises(bf.DataError, match="actions: stay, down, up in one part of the log, up, down, stay in another"):
        answer_of(backwards, clf)


def test_the_target_in_the_log(walks: Columns) -> None:
    columns = {**walks, "pi": prefers(walks["state"]), "next_pi": prefers(walks["state"])}
    answer, kinds = answer_of([(bf.Log(**one), first) for one, first in cut(columns, 3)])
    assert len(kinds) == 3 and answer.value == bf.estimate(bf.Log(**columns), interval="none").value


def test_states_that_do_not_add_up(real: bf.Log) -> None:
    """Real-valued states: whole episodes stand for the log; if all fit, they are the log."""
    rows = np.arange(len(real))
    columns = {"state": "s", "action": "a", "reward": "r", "next_state": "ns", "pi": "pi", "next_pi": "npi"}
    parts = []
    for mine in np.array_split(rows, 3):
        given = {name: real.column(column)[mine] for name, column in columns.items()}
        parts.append((bf.Log(**given, episode=mine // 25), int(mine[0])))
    answer, kinds = answer_of(parts, method="wis", behavior="uniform", interval="none")
    assert kinds == ["sample"] and answer.whole is not None and not answer.whole["counted"]
    assert answer.whole["sample_rows"] == len(real)
    fewer, kinds = answer_of(parts, sample=100, method="blackbox", weights="neighbours", interval="none")
    assert kinds == ["sample"] and fewer.whole is not None and fewer.whole["sample_rows"] == 100
    assert fewer.whole["by"] == "sample" and fewer.weights is not None and len(fewer.weights) == 100


def test_real_valued_states() -> None:
    """All rows count, weighed by what a sample says; the same digits however the log is cut."""
    log = bf.simulate("drift", behavior="up@0.3", target="up@0.9", episodes=60, steps=50)
    columns = {"state": "s", "action": "a", "reward": "r", "next_state": "ns", "pi": "pi", "next_pi": "npi"}
    given = {name: log.column(column) for name, column in columns.items()}
    given["episode"] = np.arange(len(log)) // 50
    answers: list[bf.Answer] = []
    for parts in (1, 2, 5):
        answer, kinds = answer_of([(bf.Log(**one), first) for one, first in cut(given, parts)], sample=500)
        assert kinds == ["sample", "landmarks", "moments"]
        assert answer.whole is not None and answer.whole["by"] == "moments" and answer.whole["rows"] == len(log)
        answers.append(answer)
    first = answers[0]
    for answer in answers:
        assert (answer.value, answer.interval) == (first.value, first.interval)
    assert first.interval is not None and first.naive == pytest.approx(float(np.mean(given["reward"])), abs=1e-12)


def test_what_is_wrong(walks: Columns, tmp_path: pathlib.Path) -> None:
    log = bf.Log(**walks)
    reading = bf.begin("uniform")
    found = bf.partial(reading, log)
    with pytest.raises(bf.UsageError, match="a dict is no log; backflow.Log makes one of it"):
        bf.partial(reading, walks)  # type: ignore[arg-type]
    with pytest.raises(bf.UsageError, match="finish takes the reading that begin or finish gave"):
        bf.finish(pickle.loads(pickle.dumps(reading)), found)
    counts = bf.finish(reading, found)
    assert isinstance(counts, bf.Reading) and repr(counts) == "<backflow.Reading: counts>"
    with pytest.raises(bf.UsageError, match="of a reading for sample, and this one is for counts"):
        bf.finish(counts, found)
    counted = bf.partial(counts, log)
    with pytest.raises(bf.UsageError, match="a pass `sample` and a pass `counts` cannot be made one"):
        bf.merge(found, counted)
    with pytest.raises(bf.UsageError, match="samples of different sizes or seeds"):
        bf.merge(found, bf.partial(bf.begin("uniform", seed=2), log))
    with pytest.raises(bf.UsageError, match="first: -1 is no number of a row"):
        bf.partial(counts, log, -1)
    damaged = bf.Partial(counted.kind, counted.data[:-9] + b"?" + counted.data[-8:], counted.rows, counted.names)
    with pytest.raises(bf.FormatError, match="partial: damaged: its checksum is not that of its bytes"):
        bf.finish(counts, damaged)
    with pytest.raises(bf.UsageError, match="rows: 0 is no size of a sample"):
        bf.begin("uniform", sample=0)
    with pytest.raises(bf.UsageError, match="'guess' is not an estimator"):
        bf.begin("uniform", method="guess")
    with pytest.raises(bf.PolicyError, match="ZeroDivisionError"):
        bf.partial(bf.Reading(counts._empty, lambda states: 1 / 0, None), log)
    other = bf.Log(state=[[0, 1]], action=[0], reward=[1.0], next_state=[[1, 0]])
    with pytest.raises(bf.DataError, match="states: s in one part of the log, s0, s1 in another"):
        bf.partial(counts, other)
    answer, _ = answer_of([(log, 0)], "uniform")
    with pytest.raises(bf.UsageError, match="to_html: the page needs the log in memory"):
        answer.to_html(tmp_path / "page.html")


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_the_example_with_dask(walks: Columns, tmp_path: pathlib.Path, scheduler: str) -> None:
    """python/examples/with_dask.py on files of Parquet: the answer of the log in memory."""
    dask = pytest.importorskip("dask")
    import pandas

    paths = []
    for k, (one, _) in enumerate(cut(walks, 5)):
        paths.append(tmp_path / f"part-{k}.parquet")
        pandas.DataFrame(one).to_parquet(paths[-1])
    example = runpy.run_path(str(ROOT / "python" / "examples" / "with_dask.py"))
    columns = {name: name for name in walks}
    policy = [[0.1, 0.2, 0.7]] * 7
    with dask.config.set(scheduler=scheduler, num_workers=2):
        answer: Optional[bf.Answer] = example["estimate"](paths, columns, policy)
    memory = bf.estimate(bf.Log(**walks), policy, interval="fast")
    assert answer is not None and answer.value == memory.value
    assert answer.diagnostics == memory.diagnostics


@pytest.mark.parametrize("size", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("most", [1, 4, 7, 100])
def test_pieces_of_a_partition(size: int, most: int) -> None:
    """Record batches of Spark are cut between episodes, and no row is lost (python/beside has the cluster)."""
    arrow = pytest.importorskip("pyarrow")
    from backflow.spark import _pieces

    ids = np.repeat([3, 5, 9, 11, 20], [4, 1, 7, 2, 6])
    batches = arrow.table({"id": ids, "row": np.arange(20)}).to_batches(max_chunksize=size)
    pieces = list(_pieces(batches, "id", most))
    assert [row for one in pieces for row in one["row"].to_pylist()] == list(range(20))
    seen = [set(one["id"].to_pylist()) for one in pieces]
    assert sum(len(one) for one in seen) == 5
    # What is held is less than `most` rows, or an episode that has not ended; and then one batch comes.
    assert max(one.num_rows for one in pieces) <= max(most - 1, 7) + size


@pytest.mark.parametrize("column", ["weight", "duration"])
def test_columns_that_need_the_log_in_memory(walks: Columns, column: str) -> None:
    log = bf.Log(**walks, **{column: 1.0 + walks["episode"]})
    with pytest.raises(bf.UsageError, match=f"{column}: a log whose"):
        bf.partial(bf.begin("uniform"), log)


def test_memory_does_not_grow(walks: Columns) -> None:
    """Over 1,000 partial results and as many joins."""
    import gc

    from test_calls import _resident

    log = bf.Log(**walks)
    reading = bf.begin("uniform")
    counts = bf.finish(reading, bf.partial(reading, log))
    assert isinstance(counts, bf.Reading)
    one = bf.partial(counts, log)
    for times in (50, 1000):
        gc.collect()
        before = _resident()
        for _ in range(times):
            bf.merge(one, bf.partial(counts, log, 7))
    gc.collect()
    assert _resident() - before < 4 << 20
