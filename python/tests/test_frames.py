"""Frames of every library are the log that their CSV file is."""

from __future__ import annotations

import datetime
import pathlib
from typing import Any, Callable

import numpy as np
import pytest

import backflow as bf

pa = pytest.importorskip("pyarrow")
ROWS = 60
COLUMNS: dict[str, Any] = dict(
    state=["lactate", "ward", "ventilated"], action="treatment", reward="r", episode="patient", time="charttime",
    terminated="died", keep=["site"],
)  # fmt: skip


def table() -> Any:
    """Twelve patients of five hours each, as pyarrow has them."""
    draw = np.random.default_rng(11)
    hours = np.arange(ROWS) % 5
    start = datetime.datetime(2026, 11, 16, 11, 52)
    return pa.table(
        {
            "lactate": pa.array(draw.normal(2, 1, ROWS)),
            "ward": pa.array(draw.choice(["ICU", "home", "a ward of a name longer than a view"], ROWS)),
            "ventilated": pa.array(draw.random(ROWS) < 0.5),
            "treatment": pa.array(draw.choice(["fluids", "none", "vasopressor"], ROWS)).dictionary_encode(),
            "r": pa.array(draw.integers(-3, 4, ROWS), pa.int16()),
            "patient": pa.array([f"P{i // 5:03d}" for i in range(ROWS)]),
            "charttime": pa.array([start + datetime.timedelta(hours=int(h)) for h in hours], pa.timestamp("us")),
            "died": pa.array((hours == 4) & (np.arange(ROWS) % 3 == 0)),
            "site": pa.array(draw.choice(["north", "south"], ROWS)),
        }
    )


@pytest.fixture(scope="module")
def expected(tmp_path_factory: Any) -> bf.Log:
    """The log as the library reads it from text."""
    from pyarrow import csv

    path = tmp_path_factory.mktemp("csv") / "clinic.csv"
    plain = table()
    plain = plain.set_column(3, "treatment", plain["treatment"].cast(pa.string()))
    csv.write_csv(plain, str(path))
    words = "state=lactate,ward,ventilated action=treatment reward=r episode=patient time=charttime terminated=died"
    return bf.Log.read(path, map=words, keep="site")


def same(log: bf.Log, expected: bf.Log) -> None:
    for name in ("s", "ns", "a", "r", "terminated"):
        assert np.array_equal(log.column(name), expected.column(name)), name
    assert log.state_names == expected.state_names and log.action_names == expected.action_names
    assert log.episodes == expected.episodes == 12
    first, second = log.inspect().to_dict(), expected.inspect().to_dict()
    for found in (first, second):
        for key in ("files", "state", "version"):
            found.pop(key, None)
    assert first == second
    by = [bf.estimate(one, "uniform", by="site", interval="none").to_dict()["groups"] for one in (log, expected)]
    assert by[0] == by[1]


def _pandas(found: Any) -> Any:
    return pytest.importorskip("pandas") and found.to_pandas()


def _polars(found: Any) -> Any:
    return pytest.importorskip("polars").from_arrow(found)


def _duckdb(found: Any) -> Any:
    connection = pytest.importorskip("duckdb").connect()
    connection.register("visits", found)
    return connection.sql("select * from visits")  # a question that is answered batch by batch


def _chunks(found: Any) -> Any:
    """Batches of odd sizes, each a slice of something larger, one of them empty."""
    parts = [found.slice(a, b - a) for a, b in ((0, 7), (7, 7), (7, 30), (30, 31), (31, ROWS))]
    return pa.concat_tables(parts)


def _large(found: Any) -> Any:
    return found.cast(pa.schema([(f.name, pa.large_string() if f.type == pa.string() else f.type) for f in found.schema]))


def _views(found: Any) -> Any:
    for place, name in enumerate(found.column_names):
        if found.schema.field(name).type == pa.string():
            found = found.set_column(place, name, pa.array(found[name].to_pylist(), pa.string_view()))
    return found


def _categories(found: Any) -> Any:
    for place, name in enumerate(found.column_names):
        if found.schema.field(name).type == pa.string():
            found = found.set_column(place, name, found[name].dictionary_encode())
    return found


def _reader(found: Any) -> Any:
    return found.to_reader(max_chunksize=9)


@pytest.mark.parametrize("form", [lambda t: t, _pandas, _polars, _duckdb, _chunks, _large, _views, _categories, _reader])
def test_every_library(form: Callable[[Any], Any], expected: bf.Log) -> None:
    same(bf.Log(form(table()), **COLUMNS), expected)


def test_parquet_and_dicts(tmp_path: pathlib.Path, expected: bf.Log) -> None:
    from pyarrow import parquet

    parquet.write_table(table(), tmp_path / "clinic.parquet", row_group_size=13)
    same(bf.Log.from_parquet(tmp_path / "clinic.parquet", **COLUMNS), expected)
    arrays = {name: table()[name].to_numpy() for name in table().column_names}
    same(bf.Log(arrays, **COLUMNS), expected)
    given = {"state": arrays["ward"], "action": arrays["treatment"], "reward": arrays["r"], "episode": arrays["patient"],
             "time": arrays["charttime"]}  # fmt: skip
    alone = bf.Log(**given)
    assert alone.states == 3 and alone.episodes == 12 and alone.action_names == expected.action_names


NUMBERS = [
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
]  # fmt: skip


@pytest.mark.parametrize("kind", NUMBERS)
def test_every_type_of_number(kind: str) -> None:
    values = np.array([0, 1, 2, 120, 3, 4], dtype=kind)
    made = pa.table({"s": values, "a": [0, 1] * 3, "r": values, "ns": values[::-1].copy()}).slice(1)
    log = bf.Log(made)
    assert np.array_equal(log.column("s"), values[1:]) and np.array_equal(log.column("r"), values[1:])


def test_decimals_dates_and_durations() -> None:
    from decimal import Decimal

    money = [Decimal("1.25"), Decimal("-0.01"), Decimal("12345678901234567890.50"), Decimal("-3")]
    days = [datetime.date(1970, 1, 2), datetime.date(1969, 12, 31), datetime.date(2026, 11, 16), datetime.date(2000, 1, 1)]
    waits = [datetime.timedelta(seconds=1.5), datetime.timedelta(0), datetime.timedelta(days=-1), datetime.timedelta(hours=1)]
    base = {"s": [0, 1, 0, 1], "a": [0, 1, 0, 1], "ns": [1, 0, 1, 0]}
    for kind in (pa.decimal128(38, 2), pa.decimal128(38, 10)):
        log = bf.Log(pa.table({**base, "r": pa.array(money, kind)}))
        assert log.column("r").tolist() == [float(one) for one in money]
    for unit in ("s", "ms", "us", "ns"):
        log = bf.Log(pa.table({**base, "r": pa.array([d // datetime.timedelta(microseconds=1) for d in waits]).cast(pa.duration("us")).cast(pa.duration(unit), safe=False)}))
        expected = [float(int(d.total_seconds())) if unit == "s" else d.total_seconds() for d in waits]
        assert log.column("r").tolist() == expected
    for kind in (pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ms", "UTC"), pa.timestamp("ns")):
        seconds = [(d - datetime.date(1970, 1, 1)).days * 86400.0 for d in days]
        log = bf.Log(pa.table({**base, "r": pa.array(days, pa.date32()).cast(pa.timestamp("us")).cast(kind, safe=False) if kind != pa.date32() else pa.array(days, kind)}))
        assert log.column("r").tolist() == seconds


def test_large_ids_keep_their_digits() -> None:
    ids = [2**60, 2**60, 2**60 + 1, 2**60 + 1]
    base = {"s": [0, 1, 0, 1], "a": [0, 1, 0, 1], "r": [1.0, 0, 1, 0], "ns": [1, 0, 1, 0]}
    with pytest.raises(bf.DataError, match="1152921504606846976 has more digits") as caught:
        bf.Log(pa.table({**base, "episode": ids}))
    assert caught.value.row == 0 and caught.value.field == "episode" and caught.value.advice
    assert bf.Log(pa.table({**base, "id": ids}), episode="id", kinds={"id": "category"}).episodes == 2


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("r", [1.0, None, 0.0], "row 1: r: empty"),
        ("r", ["1", "2.5", "many"], "row 2: r: 'many' is not a number"),
        ("r", [1.0, float("nan"), 0.0], "row 1: r"),
        ("a", ["go", None, "stop"], "row 1: a"),
        ("s", [[1.0], [2.0], [3.0]], "s: elements of Arrow type"),
        ("r", [b"1", b"2", b"3"], "r: elements of Arrow type"),
        ("s", [None, None, None], "row 0: s"),
    ],
)
def test_what_is_wrong(column: str, values: Any, said: str) -> None:
    base: dict[str, Any] = {"s": [0, 1, 0], "a": [0, 1, 0], "r": [1.0, 0, 1], "ns": [1, 0, 1]}
    with pytest.raises(bf.BackflowError, match=said):
        bf.Log(pa.table({**base, column: pa.array(values)}))
    coded = pa.array(values).dictionary_encode() if values != [None] * 3 and not isinstance(values[0], list) else None
    if coded is not None:
        with pytest.raises(bf.BackflowError, match=said):
            bf.Log(pa.table({**base, column: coded}))


def test_columns_that_are_wrong() -> None:
    with pytest.raises(bf.BackflowError, match="colour"):
        bf.Log(table(), state="colour", action="treatment", reward="r")
    with pytest.raises(bf.UsageError, match="names of columns"):
        bf.Log(table(), state=[1, 2], action="treatment", reward="r")
    with pytest.raises(bf.UsageError, match="is no frame"):
        bf.Log(3)
    with pytest.raises(bf.BackflowError, match="no reward"):
        bf.Log(pa.table({"s": [1], "a": [0]}))

    def broken() -> Any:
        yield table().to_batches()[0]
        raise RuntimeError("the disk is gone")

    with pytest.raises(bf.DataError, match="the disk is gone"):
        bf.Log(pa.RecordBatchReader.from_batches(table().schema, broken()), **COLUMNS)


def test_gaps_as_in_files(tmp_path: pathlib.Path) -> None:
    from pyarrow import csv

    made = table()
    lactate = [None if i % 7 == 3 else value for i, value in enumerate(made["lactate"].to_pylist())]
    made = made.set_column(0, "lactate", pa.array(lactate)).set_column(3, "treatment", made["treatment"].cast(pa.string()))
    csv.write_csv(made, str(tmp_path / "gaps.csv"))
    words = "state=lactate,ward,ventilated action=treatment reward=r episode=patient time=charttime terminated=died"
    for missing in ("drop", "forward", "mean"):
        file = bf.Log.read(tmp_path / "gaps.csv", map=words, missing=missing)
        log = bf.Log(made, **COLUMNS, missing=missing)
        assert len(log) == len(file) and np.array_equal(log.column("s"), file.column("s"))
    with pytest.raises(bf.BackflowError, match="row 3: lactate: empty"):
        bf.Log(made, **COLUMNS)


def test_odd_names() -> None:
    made = pa.table({'two "words"': [0, 1, 0], "a:b": [0, 1, 0], "x=y,z": [1.0, 0, 1], "n s*": [1, 0, 1]})
    log = bf.Log(made, state='two "words"', action="a:b", reward="x=y,z", next_state="n s*")
    assert log.column("r").tolist() == [1.0, 0, 1]


@pytest.mark.parametrize("form", [_pandas, _polars, lambda t: t])
def test_policies_see_the_columns_of_the_user(form: Callable[[Any], Any], expected: bf.Log) -> None:
    frame = form(table())
    log = bf.Log(frame, **COLUMNS)
    seen = []

    def policy(states: Any) -> Any:
        seen.append((type(states).__name__, list(getattr(states, "column_names", getattr(states, "columns", [])))))
        wards = np.array(states["ward"].to_pylist() if hasattr(states["ward"], "to_pylist") else list(states["ward"]))
        sick = (wards == "ICU").astype(float)
        return np.stack([sick, 1 - sick, 0 * sick], axis=1)

    shares = bf.Policy.of(policy).probabilities(log)
    icu = log.column("s")[:, log.state_names.index("ward=ICU")]
    assert np.array_equal(shares[:, 0], icu)
    assert seen[0] == (type(frame).__name__, ["lactate", "ward", "ventilated"])
    names = np.array(log.action_names)
    chosen = bf.Policy.of(lambda states: names[[2] * len(states["ward"])]).probabilities(log)
    assert np.array_equal(chosen, np.eye(3)[[2] * len(log)])


def test_a_pipeline_with_words_and_numbers() -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frame = _pandas(table())
    log = bf.Log(frame, **COLUMNS, actions=["vasopressor", "none", "fluids"])
    words = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["ward"]), remainder="passthrough")
    features = frame[["lactate", "ward", "ventilated"]].assign(ventilated=frame["ventilated"].astype(float))
    pipeline = make_pipeline(words, LogisticRegression()).fit(features, frame["treatment"].astype(str))
    assert list(pipeline.classes_) != log.action_names, "the orders should differ for this to show something"
    shares = bf.Policy.of(pipeline).probabilities(log, log.column("s")[:4])
    direct = pandas.DataFrame(pipeline.predict_proba(features), columns=pipeline.classes_)[log.action_names].to_numpy()
    kept = [i for i in range(ROWS) if any(np.allclose(shares[j], direct[i]) for j in range(4))]
    assert len(kept) >= 4
    assert bf.estimate(log, pipeline, interval="none").verdict
