"""Answers: numbers with everything that is needed to judge them."""

from __future__ import annotations

import dataclasses
import html
import json
import math
import os
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from . import errors
from ._library import Arena, Memory, check, text
from ._native import ffi, lib

if TYPE_CHECKING:
    from .estimate import _Run

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Interval:
    """Where the value lies, at a level of confidence."""

    low: float
    high: float
    level: float
    se: float = math.nan  #: one standard error

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __iter__(self) -> Any:
        return iter((self.low, self.high))

    def __repr__(self) -> str:
        return f"[{self.low:.6g}, {self.high:.6g}] at {100 * self.level:g} %"


@dataclasses.dataclass(frozen=True)
class Reason:
    """A reason of the verdict."""

    code: str  #: for programs; a code keeps its meaning
    text: str  #: what is the matter
    advice: str  #: what to do about it
    distrust: bool  #: whether it says that the log cannot tell

    def __str__(self) -> str:
        return f"{self.text} {self.advice}".strip()


@dataclasses.dataclass(frozen=True)
class Balance:
    """How far the flow is out of balance in one column, with equal weights and with those of the answer."""

    name: str  #: the column, or ``"action"``
    before: float  #: with equal weights
    after: float  #: with the weights of the answer; 0 is best
    share: bool  #: measured as the share in the wrong place, otherwise in standard deviations


def number(value: Any) -> float:
    """A number of a JSON answer, in which NaN is null."""
    return math.nan if value is None else float(value)


def interval_of(found: Optional[Mapping[str, Any]]) -> Optional[Interval]:
    if not found:
        return None
    return Interval(number(found["low"]), number(found["high"]), number(found["level"]), number(found.get("se")))


class Answer:
    """What a target policy would earn per step, and how far that can be trusted.

    >>> import backflow as bf
    >>> log = bf.simulate("modelwin", behavior="behavior", target="target", episodes=5000, steps=4)
    >>> answer = bf.estimate(log)
    >>> answer.verdict, answer.value in answer.interval
    ('sound', True)
    """

    def __init__(self, found: Mapping[str, Any], said: str, run: Optional["_Run"] = None) -> None:
        self._found = found
        self._text = said
        self._run = run

    # ---- The number

    @property
    def value(self) -> float:
        """The reward per step under the target policy (discounted and normalised if gamma < 1)."""
        return number(self._found["value"])

    @property
    def interval(self) -> Optional[Interval]:
        """Where the value lies; None if the log does not give an interval, see `no_interval`."""
        return interval_of(self._found.get("interval"))

    @property
    def no_interval(self) -> Optional[str]:
        """Why there is no interval."""
        return self._found.get("no_interval")

    @property
    def episode_return(self) -> Optional[Mapping[str, Any]]:
        """The return of an episode, if steps end."""
        return self._found.get("episode_return")

    @property
    def naive(self) -> float:
        """The mean reward of the log, whatever the policy."""
        return number(self._found.get("naive"))

    @property
    def method(self) -> str:
        """The estimator."""
        return str(self._found["method"])

    @property
    def model(self) -> Optional[str]:
        """Which of its models the method used."""
        return self._found.get("model")

    # ---- How far to trust it

    @property
    def verdict(self) -> str:
        """``"sound"``, ``"look"`` (something to know) or ``"cannot tell"``."""
        return str(self._found["verdict"])

    @property
    def trust(self) -> str:
        """The verdict, and its reasons in words."""
        return "; ".join([self.verdict] + [str(one) for one in self.reasons])

    @property
    def trusted(self) -> bool:
        """Whether nothing says that the log cannot tell."""
        return bool(self._found["trusted"])

    @property
    def reasons(self) -> list[Reason]:
        """The reasons of the verdict."""
        return [
            Reason(one.get("code", ""), one.get("text", ""), one.get("advice") or "", bool(one.get("distrust")))
            for one in self._found.get("reasons", ())
        ]

    @property
    def diagnostics(self) -> dict[str, float]:
        """Numbers found on the way, by name; :func:`backflow.glossary` defines each."""
        return {name: number(value) for name, value in self._found["diagnostics"].items()}

    @property
    def weights(self) -> Optional[Floats]:
        """The weight of every row of the log, never negative; None if the method has none.

        If the answer is of parts of a log, the rows are those of the sample (`whole`).
        """
        return self._weights(lib.bf_estimate_weights)

    @property
    def signed_weights(self) -> Optional[Floats]:
        """The same with signs: their sum times the rewards is the value, to rounding.

        If the default made its answer of several parts (`parts`), it is the value of the part with the weights.
        """
        return self._weights(lib.bf_estimate_signed_weights)

    @property
    def balance(self) -> Optional[list[Balance]]:
        """The balance of the flow, column by column; None if the method has no weights.

        In the long run the target enters every state as often as it leaves it. Equal weights do not
        make the log do that; the weights of the answer should.
        """
        if self._run is None or self.weights is None:
            return None
        out, count, err, arena = ffi.new("const bf_balance **"), ffi.new("int *"), ffi.new("bf_error *"), Arena()
        weights = lib.bf_estimate_weights(self._run.estimate)
        check(lib.bf_report_balance(out, count, self._run.question.problem, weights, arena.pointer, err), err)
        return [
            Balance(text(out[0][k].name), out[0][k].before, out[0][k].after, bool(out[0][k].share)) for k in range(count[0])
        ]

    def _weights(self, get: Any) -> Optional[Floats]:
        if self._run is None:
            return None
        data = get(self._run.estimate)
        if not data:
            return None
        address = int(ffi.cast("uintptr_t", data))
        return np.asarray(Memory(address, (self._run.rows,), None, "<f8", self._run))

    @property
    def whole(self) -> Optional[Mapping[str, Any]]:
        """Of what log the answer is, if it was made from parts; ``"counted"`` says whether of all rows."""
        return self._found.get("whole")

    # ---- What else was asked

    @property
    def horizon(self) -> Optional[Mapping[str, Any]]:
        """The value over the first steps, if ``horizon`` was asked for."""
        return self._found.get("horizon")

    @property
    def risk(self) -> Optional[list[Mapping[str, Any]]]:
        """Quantiles and tail means, if ``risk`` was asked for."""
        return self._found.get("risk")

    @property
    def groups(self) -> Optional[list[Mapping[str, Any]]]:
        """Share of steps and reward by group, if ``by`` was asked for."""
        return self._found.get("groups")

    # ---- As others see it

    def to_dict(self) -> dict[str, Any]:
        """The answer as the JSON object that ``backflow estimate --json`` prints."""
        return dict(self._found)

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self._found, indent=2)

    def plot(self, kind: str = "value", ax: Any = None) -> Any:
        """A picture, by matplotlib: the axes, to go on with.

        ``"value"``: the value with its interval. ``"weights"``: how the weights are spread. ``"visits"``:
        where the log went and where the target goes, along the first number of the state
        (``"visits:lactate"`` along another). ``"balance"``: how far the flow is
        out of balance in every column, before and after weighting. ``"horizon"``: reward over the first
        steps, if it was asked for.
        """
        from . import plot

        word, _, column = kind.partition(":")
        if word == "value":
            return plot.forest([(self.method, self.value, self.interval)], ax, self.naive)
        if word == "horizon" and self.horizon is not None:
            return plot.horizon(self.horizon["curve"], number(self.horizon["limit"]), ax)
        if word == "horizon":
            raise errors.UsageError('plot: the answer has no horizon; estimate(..., horizon=100) asks for it')
        values = self.weights
        if word not in ("weights", "visits", "balance"):
            raise errors.UsageError(f"`kind`: '{kind}' should be value, weights, visits, balance or horizon")
        if values is None or self._run is None:
            raise errors.UsageError("plot: this answer has no weights")
        if word == "weights":
            return plot.weights(values, ax)
        if word == "balance":
            return plot.balance(self.balance or [], ax)
        log = self._run.question.log
        names = log.state_names
        if column and column not in names:
            raise errors.UsageError(f"`kind`: '{column}' is none of {', '.join(names)}")
        place = names.index(column) if column else 0
        return plot.visits(log.column("s").reshape(len(log), -1)[:, place], values, names[place], ax)

    def to_html(self, path: Union[str, "os.PathLike[str]"], title: Optional[str] = None) -> None:
        """Writes the tool's own report, one page that needs nothing else."""
        if self._run is None:
            raise errors.UsageError("to_html: the answer of a comparison is part of the comparison's page")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._run.page(title))

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        found = self.interval
        colour = {"sound": "#1a7f37", "look": "#9a6700"}.get(self.verdict, "#cf222e")
        rows = [("value", f"{self.value:.6g}")]
        rows.append(("interval", repr(found) if found else f"none: {self.no_interval or 'not asked for'}"))
        rows.append(("mean reward of the log", f"{self.naive:.6g}"))
        rows.append(("method", self.method + (f" ({self.model})" if self.model else "")))
        cells = "".join(
            f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>{html.escape(value)}</td></tr>"
            for name, value in rows
        )
        notes = "".join(f"<li>{html.escape(str(one))}</li>" for one in self.reasons)
        return (
            f"<div><b style='color:{colour}'>{html.escape(self.verdict)}</b>"
            f"<table>{cells}</table><ul>{notes}</ul></div>"
        )
