"""Logs that no machine holds: an answer from parts that add up.

A question is answered in up to three readings of the log. A :class:`Reading` says what one of them is
for. Every part of the log gives a :class:`Partial`, wherever the part is; partial results are made
one, in any order; and that ends the reading. What comes of it is the next reading, or the answer.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional, Union

from . import errors
from ._library import Arena, Call, check, fill
from ._native import ffi, lib
from .answer import Answer
from .estimate import Method, Question, new_answer, run, split, told
from .log import Log, Names
from .policy import Policy


@dataclasses.dataclass(frozen=True)
class Partial:
    """What a reading has found in parts of a log. It can be pickled, sent and kept."""

    kind: str  #: the reading it belongs to: ``"sample"``, ``"counts"``, ``"effects"``, ``"landmarks"`` or ``"moments"``
    data: bytes = dataclasses.field(repr=False)  #: the library's own bytes, the same on every machine
    rows: int  #: rows of the log that it is of
    names: Names = dataclasses.field(repr=False)  #: what the numbers of the log mean


@dataclasses.dataclass(frozen=True)
class _Asked:
    """The question as the user put it."""

    policy: Any
    behavior: Any
    gamma: float
    terminal: str
    method: str
    seed: int
    threads: int
    options: Mapping[str, Any]


class _Study:
    """What the place that finishes readings keeps: the question on the sample, and what was found."""

    def __init__(self, asked: _Asked) -> None:
        self.asked = asked
        trust_options, method_options = split(asked.options)
        self.arena = Arena()
        self.chosen = Method(asked.method, method_options, self.arena)
        self.how = fill(lib.bf_trust_table, self.arena, trust_options)
        self.whole = ffi.new("bf_whole *")
        self.question: Optional[Question] = None
        self.answer: Any = None
        self.on_sample: Any = None

    def call(self) -> Call:
        return Call(self.asked.seed, self.asked.threads, False)


class Reading:
    """One reading of a log: what :func:`partial` has to know.

    It can be pickled; a copy serves :func:`partial`, and the original is what :func:`finish` wants.
    """

    def __init__(
        self, empty: bytes, policy: Any, study: Optional[_Study], names: Optional[Names] = None, actions: int = 0
    ) -> None:
        self._empty, self._policy, self._study = empty, policy, study
        self._names, self._actions = names, actions
        arena = Arena()
        #: What is read for: ``"sample"``, ``"counts"``, ``"effects"``, ``"landmarks"`` or ``"moments"``.
        self.kind: str = ffi.string(lib.bf_pass_kind(_unpack(empty, arena))).decode()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_study": None}

    def __repr__(self) -> str:
        return f"<backflow.Reading: {self.kind}>"


def begin(
    policy: Any = None,
    *,
    method: str = "auto",
    gamma: float = 1.0,
    terminal: str = "restart",
    behavior: Any = None,
    sample: int = 50000,
    seed: int = 1,
    threads: int = 0,
    **options: Any,
) -> Reading:
    """The first reading of a log in parts, for the question that :func:`estimate` would answer.

    If states are finite and the method goes by counts (the default does), the answer is that of all
    rows, in three readings. If they are real-valued, the default weighs all rows by what whole
    episodes with `sample` rows together say, in three readings, too. Otherwise these episodes stand
    for the log, and one reading is enough; ``answer.whole["by"]`` says which.

    >>> import backflow as bf
    >>> parts = [bf.simulate("modelwin", behavior="behavior", episodes=500, steps=4, seed=k) for k in (1, 2)]
    >>> reading = bf.begin("modelwin:target")
    >>> while isinstance(reading, bf.Reading):
    ...     found = [bf.partial(reading, part, first) for part, first in zip(parts, (0, 2000))]
    ...     reading = bf.finish(reading, bf.merge(*found))
    >>> reading.verdict, reading.whole["rows"], round(reading.value, 2)
    ('sound', 4000, -0.08)
    """
    study = _Study(_Asked(policy, behavior, gamma, terminal, method, seed, threads, options))
    arena, out, err = Arena(), ffi.new("bf_pass **"), ffi.new("bf_error *")
    check(lib.bf_pass_sample(out, sample, seed, arena.pointer, err), err)
    return Reading(_pack(out[0], arena), policy, study)


def partial(reading: Reading, log: Log, first: int = 0) -> Partial:
    """What the reading finds in a part of the log, which holds whole episodes.

    `first` is the number of its first row in the whole log. Then every digit of the answer is the
    same however the log was cut; without it, the answer is the same but for rounding.
    """
    if not isinstance(log, Log):
        raise errors.UsageError(f"log: a {type(log).__name__} is no log; backflow.Log makes one of it")
    names = log._names
    _same(reading._names or names, names)
    arena, out = Arena(), ffi.new("const bf_dataset **", log._pointer)
    with Call(progress=False) as call:
        if reading._policy is not None and reading.kind != "sample":
            part = Log._of(log._pointer, arena, log, names=names, actions=reading._actions)
            bound = Policy.of(reading._policy)._bind(part)
            call.check(lib.bf_policy_apply(out, bound.pointer, log._pointer, arena.pointer, call.err), bound)
        found = _unpack(reading._empty, arena)
        call.check(lib.bf_pass_add(found, out[0], first, call.err))
        return Partial(reading.kind, _pack(found, arena), len(log), names)


def merge(first: Partial, *others: Partial) -> Partial:
    """Partial results of one reading as one; in any order and in any tree, the bytes are the same."""
    arena, err = Arena(), ffi.new("bf_error *")
    into = _unpack(first.data, arena)
    for other in others:
        _same(first.names, other.names)
        check(lib.bf_pass_merge(into, _unpack(other.data, arena), err), err)
    return Partial(first.kind, _pack(into, arena), first.rows + sum(one.rows for one in others), first.names)


def finish(reading: Reading, found: Partial) -> Union[Reading, Answer]:
    """Ends a reading whose partial results are one: the next reading, or the answer."""
    study = reading._study
    if study is None:
        raise errors.UsageError("reading: a copy that was sent; finish takes the reading that begin or finish gave")
    if found.kind != reading.kind:
        raise errors.UsageError(f"found: of a reading for {found.kind}, and this one is for {reading.kind}")
    ends = {
        "sample": _end_sample, "counts": _end_counts, "effects": _end_effects, "landmarks": _end_landmarks,
        "moments": _end_moments,
    }  # fmt: skip
    with study.call() as call:
        return ends[reading.kind](study, found, call)


# ---- The ends of readings


def _end_sample(study: _Study, found: Partial, call: Call) -> Union[Reading, Answer]:
    asked, whole = study.asked, study.whole
    arena = Arena()
    sample = _unpack(found.data, arena)
    whole.seen = lib.bf_pass_overview(sample)
    rows = ffi.new("const bf_dataset **")
    call.check(lib.bf_pass_sample_log(rows, sample, call.context, arena.pointer, call.err))
    log = Log._of(rows[0], arena, names=found.names, actions=whole.seen.actions)
    question = study.question = Question(log, asked.policy, asked.behavior, asked.gamma, asked.terminal, call)
    chosen, counted, summed = study.chosen, ffi.new("bool *"), ffi.new("bool *")
    about = (chosen.estimator, question.problem, chosen.settings, question.arena.pointer, call.err)
    call.check(lib.bf_pass_countable(counted, *about))
    if not counted[0] and whole.seen.sample_rows < whole.seen.rows:
        call.check(lib.bf_pass_summable(summed, *about))
    whole.counted = counted[0] or summed[0]
    whole.by = study.arena.keep("effects" if counted[0] else "moments" if summed[0] else "sample")
    if not whole.counted:
        answer = run(question, chosen, study.how, call)
        answer.whole = whole
        return told(answer, chosen, study.how, question, study)
    following, seen = ffi.new("bf_pass **"), ffi.addressof(whole, "seen")
    if counted[0]:
        call.check(lib.bf_pass_counts(following, question.problem, seen, question.arena.pointer, call.err))
    else:
        on_sample = ffi.new("const bf_estimate **")
        call.check(
            lib.bf_pass_landmarks(
                following, on_sample, chosen.estimator, question.problem, seen, chosen.settings, call.context,
                question.arena.pointer, call.err,
            )
        )  # fmt: skip
        study.on_sample = on_sample[0]
    return Reading(_pack(following[0], question.arena), asked.policy, study, found.names, log.actions)


def _end_counts(study: _Study, found: Partial, call: Call) -> Reading:
    question, chosen = study.question, study.chosen
    assert question is not None
    arena = question.arena
    answer = study.answer = new_answer(question, chosen)
    estimate, effects = ffi.new("const bf_estimate **"), ffi.new("bf_pass **")
    call.check(
        lib.bf_pass_counts_answer(
            estimate, effects, _unpack(found.data, arena), chosen.estimator, question.problem, chosen.settings,
            call.context, arena.pointer, call.err,
        )
    )  # fmt: skip
    answer.estimate = estimate[0]
    answer.seconds_estimate = call.seconds()
    return Reading(_pack(effects[0], arena), study.asked.policy, study, found.names, question.log.actions)


def _end_landmarks(study: _Study, found: Partial, call: Call) -> Reading:
    question = study.question
    assert question is not None
    arena, moments = question.arena, ffi.new("bf_pass **")
    call.check(lib.bf_pass_moments(moments, _unpack(found.data, arena), arena.pointer, call.err))
    return Reading(_pack(moments[0], arena), study.asked.policy, study, found.names, question.log.actions)


def _end_moments(study: _Study, found: Partial, call: Call) -> Answer:
    question, chosen = study.question, study.chosen
    assert question is not None
    answer = study.answer = new_answer(question, chosen)
    estimate = ffi.new("const bf_estimate **")
    call.check(
        lib.bf_pass_moments_answer(
            estimate, _unpack(found.data, question.arena), chosen.estimator, study.on_sample, question.problem,
            question.arena.pointer, call.err,
        )
    )  # fmt: skip
    answer.estimate = estimate[0]
    answer.seconds_estimate = call.seconds()
    return _end_effects(study, found, call)


def _end_effects(study: _Study, found: Partial, call: Call) -> Answer:
    """Of the last reading, be it of effects or of moments."""
    question, answer, whole = study.question, study.answer, study.whole
    assert question is not None
    last, trust = _unpack(found.data, question.arena), ffi.new("const bf_trust **")
    whole.naive = lib.bf_pass_naive(last)
    call.check(
        lib.bf_pass_trust(
            trust, last, answer.estimate, question.problem, ffi.addressof(whole, "seen"), study.how,
            call.context, question.arena.pointer, call.err,
        )
    )  # fmt: skip
    answer.trust, answer.whole = trust[0], whole
    return told(answer, study.chosen, study.how, question, study)


# ---- Bytes


def _pack(found: Any, arena: Arena) -> bytes:
    data, size, err = ffi.new("const void **"), ffi.new("size_t *"), ffi.new("bf_error *")
    check(lib.bf_pass_pack(data, size, found, arena.pointer, err), err)
    return bytes(ffi.buffer(data[0], size[0]))


def _unpack(data: bytes, arena: Arena) -> Any:
    out, err = ffi.new("bf_pass **"), ffi.new("bf_error *")
    check(lib.bf_pass_unpack(out, ffi.from_buffer(data), len(data), b"partial", arena.pointer, err), err)
    return out[0]


def _same(ours: Names, theirs: Names) -> None:
    """Words are codes within a part: all parts have to have the same."""
    pairs = {"actions": (ours.actions, theirs.actions), "states": (ours.labels or ours.states, theirs.labels or theirs.states)}
    for what, (one, other) in pairs.items():
        if one != other:
            raise errors.DataError(
                f"{what}: {_listed(one)} in one part of the log, {_listed(other)} in another; words have to have the "
                "same codes everywhere: actions=[...] puts actions in order, and categories become numbers before"
            )


def _listed(names: Optional[tuple[str, ...]]) -> str:
    return "numbers" if names is None else ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")


__all__ = ["Partial", "Reading", "begin", "finish", "merge", "partial"]
