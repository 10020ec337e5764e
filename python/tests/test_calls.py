"""How calls behave: threads, signals, progress, messages, memory, and every kind of failure."""

from __future__ import annotations

import concurrent.futures
import gc
import logging
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import backflow as bf


def _resident() -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1024


def test_memory_does_not_grow(finite: bf.Log) -> None:
    table = np.full((3, 2), 0.5)

    def work() -> None:
        answer = bf.estimate(finite, lambda s: table[s[:, 0].astype(int)], interval="none", threads=1)
        assert answer.weights is not None
        with pytest.raises(bf.UsageError):
            bf.estimate(finite, "uniform", level=7)

    for _ in range(50):
        work()
    gc.collect()
    before = _resident()
    for _ in range(1000):
        work()
    gc.collect()
    assert _resident() - before < 4 << 20


def test_threads_at_the_same_time(finite: bf.Log) -> None:
    tables = [np.array([[p, 1 - p]] * 3) for p in np.linspace(0.1, 0.9, 8)]
    alone = [bf.estimate(finite, table, threads=1).value for table in tables]

    def ask(table: Any) -> float:
        return bf.estimate(finite, lambda s: table[s[:, 0].astype(int)], threads=1).value

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, tables)) == alone


def test_python_goes_on_during_a_call() -> None:
    ticks, done = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    most = 0
    for _ in range(20):  # how many come is up to the machine; without Python there would be one at most
        before = ticks
        bf.value("cartpole", "trained", chains=8, steps=20000, threads=1, simulate=True)
        most = max(most, ticks - before)
        if most > 3:
            break
    done.set()
    other.join()
    assert most > 3


LONG = """
import backflow as bf, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell leaves it ignored in what it runs in the background
log = bf.simulate("cartpole", behavior="trained@0.7", target="trained@0.9", episodes=400, steps=200)
try:
    print("ready", flush=True)
    {work}
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize(
    "work",
    [
        "bf.value('acrobot', 'trained', chains=4000, steps=1000000)",
        "bf.estimate(log, method='fqe', rounds=100000, interval='none')",
        "bf.estimate(log)",
        "bf.compare(log, {'a': 'cartpole:trained', 'b': 'cartpole:trained@0.5'}, method='dr')",
        "bf.estimate(log, lambda s: time.sleep(0.3) or [[0.5, 0.5]] * len(s))",
    ],
)
def test_an_interrupt_ends_the_work(work: str) -> None:
    process = subprocess.Popen([sys.executable, "-c", LONG.format(work=work)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    assert process.poll() is None, "the work was too short to be interrupted"
    process.send_signal(signal.SIGINT)
    began = time.perf_counter()
    assert process.stdout.readline() == "stopped\n"
    assert process.wait() == 0
    print("seconds until it stopped:", time.perf_counter() - began)


def test_progress(real: bf.Log) -> None:
    seen: list[tuple[str, float, float]] = []
    bf.estimate(real, method="fqe", interval="none", progress=lambda task, done, total, _: seen.append((task, done, total)))
    assert seen and all(task and done >= 0 for task, done, _ in seen)
    with pytest.raises(bf.CancelledError):
        bf.value("cartpole", "trained", simulate=True, progress=lambda *_: False)

    def broken(*_: Any) -> bool:
        raise RuntimeError("no screen")

    with pytest.raises(RuntimeError, match="no screen"):
        bf.value("cartpole", "trained", simulate=True, progress=broken)


def test_progress_on_a_screen(capfd: Any, monkeypatch: Any) -> None:
    pytest.importorskip("tqdm")
    from backflow import _library

    bar = _library._Bar(True)
    bar.started -= 2
    assert bar("reading log.csv", 1, 4, "half a page")
    bar.close()
    said = capfd.readouterr().err
    assert "reading log.csv" in said and "25%" in said and "half a page" in said


def test_messages_go_to_logging(tmp_path: pathlib.Path, caplog: Any) -> None:
    path = tmp_path / "log.csv"
    path.write_text("s,a,r,ns,colour\n0,0,1,1,3\n1,1,0,0,4\n")
    with caplog.at_level(logging.INFO, logger="backflow"):
        log = bf.Log.read(path)
        assert "colour" in str(log.inspect().to_dict()["ignored"])
    assert any("colour" in record.message for record in caplog.records)


def test_every_exception(finite: bf.Log, tmp_path: pathlib.Path) -> None:
    no_mu = bf.Log(**{n: finite.column(c) for n, c in (("state", "s"), ("action", "a"), ("reward", "r"), ("next_state", "ns"))})
    (tmp_path / "bad.npz").write_bytes(b"PK\x03\x04 not really")
    cases: list[tuple[Any, type, type, str]] = [
        (lambda: bf.estimate(finite, method="bbox"), bf.UsageError, ValueError, "method"),
        (lambda: bf.estimate(finite, ridge=1), bf.UsageError, ValueError, "ridge"),
        (lambda: bf.estimate(finite, gamma=2), bf.UsageError, ValueError, "gamma"),
        (lambda: bf.estimate(finite, terminal="stop"), bf.UsageError, ValueError, "terminal"),
        (lambda: bf.estimate(finite, level=2), bf.UsageError, ValueError, "level"),
        (lambda: bf.estimate(finite, horizon=0), bf.UsageError, ValueError, "horizon"),
        (lambda: bf.estimate(finite, risk=3), bf.UsageError, ValueError, "risk"),
        (lambda: bf.estimate(finite, by="ward"), bf.UsageError, ValueError, "by"),
        (lambda: bf.estimate(finite, seed=-1), bf.UsageError, ValueError, "seed"),
        (lambda: bf.estimate(finite, threads=-1), bf.UsageError, ValueError, "threads"),
        (lambda: bf.estimate({"s": [1]}), bf.UsageError, ValueError, "log"),  # type: ignore[arg-type]
        (lambda: bf.compare(finite, {}), bf.UsageError, ValueError, "policies"),
        (lambda: bf.simulate("chess"), bf.UsageError, ValueError, "chess"),
        (lambda: bf.simulate("modelwin", rewards="gold"), bf.UsageError, ValueError, "rewards"),
        (lambda: bf.value("modelwin", gamma=-1), bf.UsageError, ValueError, "gamma"),
        (lambda: bf.reproduce("figure9", tmp_path), bf.UsageError, ValueError, "figure9"),
        (lambda: bf.estimate(finite, "missing.csv"), bf.FileError, OSError, "missing.csv"),
        (lambda: bf.Log.read(tmp_path / "bad.npz"), bf.FormatError, ValueError, "bad.npz"),
        (lambda: bf.estimate(finite, [[2, -1]] * 3), bf.PolicyError, ValueError, "probability"),
        (lambda: bf.estimate(no_mu), bf.NeedsError, Exception, "needs"),
        (lambda: bf.estimate(no_mu, "uniform", method="wis"), bf.NeedsError, Exception, "mu"),
    ]
    for work, kind, python_kind, said in cases:
        with pytest.raises(kind) as caught:
            work()
        assert isinstance(caught.value, bf.BackflowError) and isinstance(caught.value, python_kind)
        assert said in str(caught.value)
    assert {one.status for one in bf.BackflowError.__subclasses__()} == {
        "EUSAGE", "EFILE", "EFORMAT", "EDATA", "EPOLICY", "ENEEDS", "ENOMEM", "ENUMERIC", "EABSENT", "ECANCELLED",
    }  # fmt: skip


def test_how_it_looks(finite: bf.Log) -> None:
    answer = bf.estimate(finite)
    assert "Sound." in repr(answer) and f"{answer.value:.6g}" in repr(answer)
    assert f"{answer.value:.6g}" in answer._repr_html_() and "<table>" in answer._repr_html_()
    assert float(answer) == answer.value and answer.trust == "sound"
    found = bf.compare(finite, {"<b>": "uniform"})
    assert "&lt;b&gt;" in found._repr_html_() and "the log" in repr(found)
    frame = found.to_frame()
    assert list(frame["policy"]) == ["<b>", "the log"]


def test_pages(finite: bf.Log, tmp_path: pathlib.Path) -> None:
    """The report is the tool's own, but for the line that says how it was called."""
    answer = bf.estimate(finite)
    answer.to_html(tmp_path / "report.html", title="A small <question>")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "A small &lt;question&gt;" in page and f"{answer.value:.5g}"[:6] in page and "</html>" in page
    found = bf.compare(finite, {"coin": "uniform", "new": "modelwin:target"})
    found.to_html(tmp_path / "contest.html")
    assert "coin" in (tmp_path / "contest.html").read_text(encoding="utf-8")
    with pytest.raises(bf.UsageError, match="part of the comparison"):
        found.answers["coin", "auto"].to_html(tmp_path / "no.html")
    with pytest.raises(bf.UsageError, match="one method"):
        bf.compare(finite, {"coin": "uniform"}, method=["naive", "lstdq"]).to_html(tmp_path / "no.html")


def test_which_blas() -> None:
    """The OpenBLAS of the wheel, if it is there; what the user names wins, and is missed by name."""
    pytest.importorskip("scipy_openblas32")
    work = "import backflow as bf\nprint(bf.estimate(bf.simulate('cartpole', episodes=4, steps=20), 'uniform').method)"
    version = [sys.executable, "-m", "backflow", "--version", "--verbose"]
    plain = {name: value for name, value in os.environ.items() if name != "BACKFLOW_BLAS"}
    said = subprocess.run(version, capture_output=True, text=True, check=True, env=plain).stdout
    assert "BLAS: OpenBLAS" in said
    bad = {**plain, "BACKFLOW_BLAS": "/nowhere/libblas.so"}
    failed = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True, env=bad)
    assert "AbsentError" in failed.stderr and "/nowhere/libblas.so" in failed.stderr
    assert subprocess.run([sys.executable, "-c", work], capture_output=True, env=plain).returncode == 0


def test_the_command_and_the_start() -> None:
    said = subprocess.run([sys.executable, "-m", "backflow", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"backflow {bf.__version__}\n"
    code = "import time; t = time.perf_counter(); import backflow, sys; print(sorted(set(sys.modules) & {'pandas', 'torch', 'tqdm', 'matplotlib', 'sklearn', 'pyarrow', 'polars'}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout == "[]\n", "importing backflow imports what only some users have"
