"""From a log to an answer."""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional, Sequence, Union

from . import errors
from ._library import Arena, Call, Progress, as_text, check, fill, library_string, names_of, text
from ._native import ffi, lib
from .answer import Answer
from .log import Log
from .policy import Bound, Policy

_TERMINALS = ("restart", "absorb", "ignore")
_ROOM = 32  # horizons and shares of one question


class Question:
    """A log with its target, and what its steps mean: what a method is asked."""

    def __init__(self, log: Log, policy: Any, behavior: Any, gamma: float, terminal: str, call: Call) -> None:
        if not isinstance(log, Log):
            raise errors.UsageError(f"log: a {type(log).__name__} is no log; backflow.Log makes one of it")
        if terminal not in _TERMINALS:
            raise errors.UsageError(f"`terminal`: '{terminal}' should be one of {', '.join(_TERMINALS)}")
        if not 0 <= gamma <= 1:
            raise errors.UsageError(f"`gamma`: {gamma} should be from 0 to 1")
        self.arena = Arena()
        self.log = log
        self.bound: list[Bound] = []
        self.problem = ffi.new("bf_problem *")
        self.problem.data = log._pointer
        self.problem.gamma = gamma
        self.problem.terminal = _TERMINALS.index(terminal)
        self.problem.size = ffi.sizeof("bf_problem")
        if policy is not None:
            target = Policy.of(policy)._bind(log)
            self.bound.append(target)
            self._take(lib.bf_policy_apply, target, call)
            self.problem.target = target.pointer
        if isinstance(behavior, str) and behavior == "estimate":
            out = ffi.new("const bf_dataset **")
            call.check(lib.bf_behavior_fit(out, self.problem.data, call.context, self.arena.pointer, call.err))
            self.problem.data = out[0]
        elif behavior is not None:
            followed = Policy.of(behavior)._bind(log)
            self.bound.append(followed)
            self._take(lib.bf_behavior_apply, followed, call)

    def _take(self, apply: Any, bound: Bound, call: Call) -> None:
        out = ffi.new("const bf_dataset **")
        call.check(apply(out, bound.pointer, self.problem.data, self.arena.pointer, call.err), bound)
        self.problem.data = out[0]


class Method:
    """An estimator with its settings."""

    def __init__(self, name: str, options: Mapping[str, Any], arena: Arena) -> None:
        self.estimator = lib.bf_estimator_find(name.encode())
        if not self.estimator:
            known = ", ".join(methods())
            raise errors.UsageError(f"`method`: '{name}' is not an estimator; there are {known}")
        self.name = name
        out, err = ffi.new("bf_settings **"), ffi.new("bf_error *")
        check(lib.bf_estimator_settings(out, self.estimator, ffi.NULL, arena.pointer, err), err)
        self.settings = out[0]
        for key, value in options.items():
            if value is not None:
                check(lib.bf_settings_set(self.settings, key.encode(), arena.keep(as_text(value)), err), err)

    def filled(self, problem: Any, arena: Arena) -> list[tuple[Any, Any]]:
        """The tables that were read, with their structs, for the report."""
        out, err = ffi.new("const bf_model **"), ffi.new("bf_error *")
        check(lib.bf_estimator_choose(out, self.estimator, problem, self.settings, arena.pointer, err), err)
        tables = [self.estimator.options] + ([out[0].options] if out[0] else [])
        return [(one, lib.bf_settings_of(self.settings, one)) for one in tables if one]


class _Run:
    """What an answer needs to stay alive: the log, the policies, and the arena with the estimate."""

    def __init__(self, question: Question, answer: Any, *held: Any) -> None:
        self.question, self.estimate, self.answer, self.held = question, answer.estimate, answer, held
        self.rows = len(question.log)

    def page(self, title: Optional[str]) -> str:
        """The answer as a page of HTML."""
        if self.answer.whole:
            raise errors.UsageError("to_html: the page needs the log in memory, and this answer is of its parts")
        return page(lib.bf_report_html, self.answer, title)


def page(report: Any, answer: Any, title: Optional[str]) -> str:
    """A page that a function of report.h makes."""
    options = ffi.new("bf_page_options *", {"size": ffi.sizeof("bf_page_options")})
    words = ffi.new("char[]", (title or "").encode())
    if title:
        options.title = words
    return library_string(report, answer, options)


def split(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of trust (interval, level, ...) and those of the method."""
    ours = set(names_of(lib.bf_trust_table))
    trust = {name: value for name, value in options.items() if name in ours}
    return trust, {name: value for name, value in options.items() if name not in ours}


def estimate(
    log: Log,
    policy: Any = None,
    *,
    method: str = "auto",
    gamma: float = 1.0,
    terminal: str = "restart",
    behavior: Any = None,
    horizon: Union[None, int, Sequence[int]] = None,
    risk: Union[None, float, Sequence[float]] = None,
    by: Optional[str] = None,
    seed: int = 1,
    threads: int = 0,
    progress: Progress = None,
    **options: Any,
) -> Answer:
    """What the policy would earn per step in the long run, from a log of unknown origin.

    `policy` is anything that :meth:`Policy.of` takes; without one, the log's own columns ``pi`` and
    ``npi`` are the target. `behavior` is the policy that the log followed, or ``"estimate"``, for
    methods that need it. `horizon`, `risk` and `by` ask for more than one number. Other keywords
    are options of the interval (`interval`, `level`, `cluster`, `block`) or of the method, with the
    names that ``backflow estimate --help`` has: ``weights="linear"``, ``ridge=1e-9``.

    >>> import backflow as bf
    >>> log = bf.simulate("modelwin", behavior="behavior", episodes=5000, steps=4)
    >>> round(bf.estimate(log, "modelwin:target").value, 2)
    -0.08
    """
    trust_options, method_options = split(options)
    with Call(seed, threads, progress) as call:
        question = Question(log, policy, behavior, gamma, terminal, call)
        chosen = Method(method, method_options, question.arena)
        how = fill(lib.bf_trust_table, question.arena, trust_options)
        answer = run(question, chosen, how, call)
        _look_further(answer, chosen, how, horizon, risk, by, question, call)
        return told(answer, chosen, how, question)


def new_answer(question: Question, chosen: Method) -> Any:
    """What a report will say, with nothing found yet."""
    answer = ffi.new("bf_answer *", {"problem": question.problem, "estimator": chosen.estimator})
    answer.size = ffi.sizeof("bf_answer")
    return answer


def run(question: Question, chosen: Method, how: Any, call: Call) -> Any:
    """The estimate, and how far it can be trusted."""
    arena, problem = question.arena, question.problem
    answer = new_answer(question, chosen)
    call.seconds()
    found = ffi.new("const bf_estimate **")
    call.check(
        lib.bf_estimator_run(
            found, chosen.estimator, problem, chosen.settings, call.context, arena.pointer, call.err
        ),
        *question.bound,
    )
    answer.estimate = found[0]
    answer.seconds_estimate = call.seconds()
    trust = ffi.new("const bf_trust **")
    call.check(
        lib.bf_trust_measure(
            trust, found[0], chosen.estimator, problem, chosen.settings, how, call.context, arena.pointer,
            call.err,
        ),
        *question.bound,
    )  # fmt: skip
    answer.trust = trust[0]
    return answer


def _look_further(
    answer: Any, chosen: Method, how: Any, horizon: Any, risk: Any, by: Optional[str], question: Question, call: Call
) -> None:
    """What else was asked about the answer."""
    arena, problem = question.arena, question.problem
    if horizon is not None:
        steps = ffi.new("int64_t[]", _ROOM)
        count = lib.bf_horizon_parse(steps, _ROOM, as_text(horizon).encode(), call.err)
        call.check(lib.BF_OK if count >= 0 else call.err.status)
        measured = ffi.new("const bf_horizon **")
        call.check(
            lib.bf_horizon_measure(
                measured, answer.estimate, problem, chosen.settings, steps, count, how, call.context,
                arena.pointer, call.err,
            ),
            *question.bound,
        )  # fmt: skip
        answer.horizon = measured[0]
    if risk is None and by is None:
        return
    shares = ffi.new("double[]", _ROOM)
    what = ffi.new("bf_outcomes_options *", {"risk": shares})
    if risk is not None:
        what.risk_count = lib.bf_risk_parse(shares, _ROOM, as_text(risk).encode(), call.err)
        call.check(lib.BF_OK if what.risk_count >= 0 else call.err.status)
    if by is not None:
        what.by = answer.by = arena.keep(by)
    outcomes = ffi.new("const bf_outcomes **")
    call.check(
        lib.bf_outcomes_measure(
            outcomes, what, answer.estimate, chosen.estimator, problem, chosen.settings, how, call.context,
            arena.pointer, call.err,
        ),
        *question.bound,
    )  # fmt: skip
    answer.outcomes = outcomes[0]


def told(answer: Any, chosen: Method, how: Any, question: Question, *held: Any) -> Answer:
    """The answer as the library reports it; `held` are what it borrows."""
    listed = [(ffi.addressof(lib.bf_trust_table), how), *chosen.filled(question.problem, question.arena)]
    filled = ffi.new("bf_filled[]", [{"table": table, "options": options} for table, options in listed])
    answer.settings, answer.settings_count = filled, len(listed)
    found = json.loads(library_string(lib.bf_report_json, answer))
    run = _Run(question, answer, filled, listed, chosen, *held)
    return Answer(found, library_string(lib.bf_report_text, answer), run)


def methods() -> dict[str, str]:
    """Every estimator, with one line about it.

    >>> import backflow as bf
    >>> "blackbox" in bf.methods()
    True
    """
    found = {}
    index = 0
    while lib.bf_estimator_at(index):
        one = lib.bf_estimator_at(index)
        found[text(one.name)] = text(one.summary)
        index += 1
    return found


def glossary() -> dict[str, str]:
    """Every diagnostic that a method may give, and what it is."""
    key, label, definition = (ffi.new("const char **") for _ in range(3))
    found: dict[str, str] = {}
    while lib.bf_diagnostic_describe(len(found), key, label, definition):
        found[text(key[0])] = text(definition[0])
    return found


__all__ = ["estimate", "glossary", "methods"]
