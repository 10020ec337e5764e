"""Which of several policies is better, as far as one log can tell."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Mapping, Optional, Sequence, Union

from . import errors
from ._library import Call, Progress, fill, library_string, text
from ._native import ffi, lib
from .answer import Answer, Interval, interval_of, number
from .estimate import Method, Question, page, split
from .log import Log
from .policy import Policy


@dataclasses.dataclass(frozen=True)
class Pair:
    """The difference between two contestants: the value of the first less that of the second."""

    method: str
    first: str
    second: str
    difference: float
    interval: Union[Interval, None]
    p: float  #: two-sided p-value
    holm: float  #: the same, adjusted for all pairs
    decided: bool  #: whether the log tells the sign
    sentence: str  #: in words

    def __str__(self) -> str:
        return self.sentence


class Comparison:
    """Values, intervals and paired differences of several policies, by one method or several."""

    def __init__(self, contests: Sequence[tuple[str, Mapping[str, Any], str, list[str]]], pages: Sequence[Any]) -> None:
        self._contests = contests
        self._pages = pages

    @property
    def answers(self) -> dict[tuple[str, str], Answer]:
        """The answer of every (policy, method); the log's own behaviour is "the log"."""
        return {
            (str(one["name"]), method): Answer(one, "")
            for method, found, _, _ in self._contests
            for one in found["policies"]
        }

    @property
    def pairs(self) -> list[Pair]:
        """All differences in pairs."""
        return [
            Pair(
                method, one["a"], one["b"], number(one["difference"]), interval_of(one.get("interval")),
                number(one.get("p")), number(one.get("holm")), bool(one["decided"]), sentence,
            )
            for method, found, _, sentences in self._contests
            for one, sentence in zip(found["pairs"], sentences)
        ]  # fmt: skip

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for every policy and method."""
        made = []
        for (name, method), answer in self.answers.items():
            low, high = answer.interval or (float("nan"), float("nan"))
            best = number(answer.to_dict().get("best"))
            made.append(
                {"policy": name, "method": method, "value": answer.value, "low": low, "high": high,
                 "best": best, "verdict": answer.verdict}
            )  # fmt: skip
        return made

    def to_frame(self) -> Any:
        """The rows as a frame of pandas, or of polars if that is what is installed."""
        try:
            import pandas

            return pandas.DataFrame(self.rows)
        except ImportError:
            pass
        try:
            import polars

            return polars.DataFrame(self.rows)
        except ImportError:
            raise errors.AbsentError("to_frame: needs pandas or polars; `rows` needs neither") from None

    def to_dict(self) -> dict[str, Any]:
        """For every method the JSON of ``backflow compare --json``."""
        return {method: found for method, found, _, _ in self._contests}

    def plot(self, ax: Any = None) -> Any:
        """A forest of policies and methods, by matplotlib: the axes, to go on with."""
        from . import plot

        several = len(self._contests) > 1
        rows = [
            (f"{name}, {method}" if several else name, answer.value, answer.interval)
            for (name, method), answer in self.answers.items()
        ]
        return plot.forest(rows, ax)

    def to_html(self, path: Union[str, "os.PathLike[str]"], title: Optional[str] = None) -> None:
        """Writes the tool's own report, one page that needs nothing else; it is for one method."""
        if len(self._pages) != 1:
            raise errors.UsageError("to_html: a page is about one method; compare with one, or write several")
        answer, _ = self._pages[0]
        with open(path, "w", encoding="utf-8") as file:
            file.write(page(lib.bf_report_contest_html, answer, title))

    def __repr__(self) -> str:
        several = len(self._contests) > 1
        return "\n\n".join((f"method {method}\n" if several else "") + said.rstrip("\n") for method, _, said, _ in self._contests)

    def _repr_html_(self) -> str:
        import html

        head = "".join(f"<th>{name}</th>" for name in ("policy", "method", "value", "interval", "best", "verdict"))
        body = "".join(
            f"<tr><td>{html.escape(one['policy'])}</td><td>{html.escape(one['method'])}</td>"
            f"<td>{one['value']:.6g}</td><td>[{one['low']:.4g}, {one['high']:.4g}]</td>"
            f"<td>{one['best']:.3g}</td><td>{html.escape(one['verdict'])}</td></tr>"
            for one in self.rows
        )
        said = "".join(f"<li>{html.escape(one.sentence)}</li>" for one in self.pairs)
        return f"<table><tr>{head}</tr>{body}</table><ul>{said}</ul>"


def compare(
    log: Log,
    policies: Mapping[str, Any],
    *,
    method: Union[str, Sequence[str]] = "auto",
    gamma: float = 1.0,
    terminal: str = "restart",
    behavior: Any = None,
    seed: int = 1,
    threads: int = 0,
    progress: Progress = None,
    **options: Any,
) -> Comparison:
    """Judges the differences of several policies in pairs: what their errors have in common cancels.

    >>> import backflow as bf
    >>> log = bf.simulate("modelwin", behavior="behavior", episodes=5000, steps=4)
    >>> found = bf.compare(log, {"new": "modelwin:target", "coin": "uniform"})
    >>> print(found.pairs[0].first, found.pairs[0].second, found.pairs[0].decided)
    new coin True
    """
    if not policies:
        raise errors.UsageError("`policies`: none given; a dict from names to policies is")
    trust_options, method_options = split(options)
    names = [method] if isinstance(method, str) else list(method)
    contests, pages = [], []
    with Call(seed, threads, progress) as call:
        question = Question(log, None, behavior, gamma, terminal, call)
        bound = [Policy.of(one)._bind(log) for one in policies.values()]
        keep = [question.arena.keep(str(name)) for name in policies]
        entries = ffi.new("bf_named_policy[]", len(bound))
        for entry, name, one in zip(entries, keep, bound):
            entry.name, entry.policy = name, one.pointer
        for name in names:
            found, held = _contest(name, method_options, trust_options, entries, question, bound, call)
            contests.append(found)
            pages.append(held)
    return Comparison(contests, pages)


def _contest(
    name: str, method_options: Mapping[str, Any], trust_options: Mapping[str, Any], entries: Any,
    question: Question, bound: Sequence[Any], call: Call,
) -> tuple[tuple[str, Mapping[str, Any], str, list[str]], Any]:  # fmt: skip
    """The policies judged by one method: its name, the JSON, the text, and a sentence per pair; and
    the answer for a page, with what it needs to stay alive."""
    arena = question.arena
    chosen = Method(name, method_options, arena)
    how = fill(lib.bf_trust_table, arena, trust_options)
    out = ffi.new("const bf_contest **")
    call.check(
        lib.bf_compare_policies(
            out, entries, len(bound), chosen.estimator, question.problem, chosen.settings, how, call.context,
            arena.pointer, call.err,
        ),
        *question.bound, *bound,
    )  # fmt: skip
    filled = ffi.new("bf_filled[]", [{"table": ffi.addressof(lib.bf_trust_table), "options": how}])
    answer = ffi.new("bf_contest_answer *", {"contest": out[0], "settings": filled, "settings_count": 1})
    answer.size = ffi.sizeof("bf_contest_answer")
    sentences: list[str] = []
    room = ffi.new("char[]", 1024)
    while lib.bf_contest_sentence(out[0], len(sentences), room, 1024):
        sentences.append(text(room))
    found = json.loads(library_string(lib.bf_report_contest_json, answer))
    said = library_string(lib.bf_report_contest_text, answer, True)
    return (name, found, said, sentences), (answer, (filled, how, chosen, entries, question, bound))
