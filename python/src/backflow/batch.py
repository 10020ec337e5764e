"""Many questions at once: every log with every policy, each answered as soon as it is known."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import tempfile
from typing import Any, Iterable, Iterator, Mapping, Optional, Union

from . import errors
from .answer import Answer
from .worlds import flags, of_exit, tool

PathLike = Union[str, "os.PathLike[str]"]


@dataclasses.dataclass(frozen=True)
class Asked:
    """One question of a batch: which log and policy it is about, and what came of it."""

    log: tuple[str, ...]  #: the files of the log
    policy: Optional[str]  #: the policy as it was given; None if it is in the log
    name: Optional[str]  #: what the policy is called, if it has a name
    answer: Optional[Answer]  #: None if there is none:
    error: Optional[errors.BackflowError]  #: why
    messages: tuple[str, ...]  #: what `estimate` would have said beside the answer


def batch(
    logs: Union[PathLike, Iterable[PathLike]],
    policies: Union[None, str, Iterable[str], Mapping[str, str]] = None,
    *,
    output: Optional[PathLike] = None,
    **options: Any,
) -> Iterator[Asked]:
    """Asks what every policy would earn, of every log, and gives answers as they come.

    Logs are files, and policies are what the command takes: files, ``"uniform"``, ``"ENV:NAME"``; a
    dict gives them names. With `output`, answers are kept in that file, and the same call goes on
    after an interruption: answers that the file has come first, and are not asked for again.
    `options` are those of ``backflow batch --help``, as ``max_memory=2`` for ``--max-memory 2``. A
    question that fails has an `error` in place of its `answer`, and the others go on. Threads take
    a question each, so that the order is not that of the questions; with ``threads=1`` it is.

    >>> import os, tempfile
    >>> import backflow as bf
    >>> path = os.path.join(tempfile.mkdtemp(), "log.csv")
    >>> bf.simulate("modelwin", behavior="behavior", episodes=5000, steps=4).write(path)
    >>> asked = bf.batch(path, {"new": "modelwin:target", "coin": "uniform"}, threads=1)
    >>> [(one.name, round(one.answer.value, 2)) for one in asked]
    [('new', -0.08), ('coin', 0.0)]
    """
    files = [logs] if isinstance(logs, (str, os.PathLike)) else list(logs)
    if not files:
        raise errors.UsageError("`logs`: none given")
    words = [os.fspath(tool()), "batch", *(os.fspath(one) for one in files), "--quiet", *flags(options)]
    given = [policies] if isinstance(policies, str) else policies or []
    for one in given:
        words += ["--policy", f"{one}={given[one]}" if isinstance(given, Mapping) else one]
    if output is not None:
        words += ["--output", os.fspath(output), "--lines"]
    return _answers(words)


def _answers(words: list[str]) -> Iterator[Asked]:
    failed = False
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said, _running(words, said) as process:
        assert process.stdout is not None
        for line in process.stdout:
            one = _asked(json.loads(line))
            failed = failed or one.error is not None
            yield one
        status = process.wait()
        said.seek(0)
        last = said.read().strip().splitlines()[-1:] or ["it failed"]
    if status not in (0, 1) and not failed:
        raise of_exit(status, last[0].partition("batch: ")[2] or last[0])


@contextlib.contextmanager
def _running(words: list[str], said: Any) -> Iterator["subprocess.Popen[str]"]:
    """The command, which is interrupted if nobody wants the rest; what is finished is kept."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=said, text=True, encoding="utf-8") as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)


def _asked(line: Mapping[str, Any]) -> Asked:
    log = line["log"]
    answer = line.get("answer")
    return Asked(
        log=(log,) if isinstance(log, str) else tuple(log),
        policy=line.get("policy"),
        name=line.get("name"),
        answer=None if answer is None else Answer(answer, ""),
        error=None if answer is not None else of_exit(line["status"], line["error"]),
        messages=tuple(line.get("messages", ())),
    )


__all__ = ["Asked", "batch"]
