"""Policies: what is asked about, and what the log followed."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _adapters, errors
from ._library import Arena, check, text
from ._native import ffi, lib
from .log import Log

Floats = npt.NDArray[np.float64]


class Bound:
    """A policy for one log, as a handle of the library. It holds what the library borrows."""

    def __init__(self, pointer: Any, arena: Arena, *parts: Any) -> None:
        self.pointer, self.arena, self.parts = pointer, arena, parts
        self.failure: Optional[BaseException] = None

    def raise_failure(self, err: Any) -> None:
        """Raises what the policy's function raised, if it did."""
        for part in self.parts:
            if isinstance(part, Bound):
                part.raise_failure(err)
        failure, self.failure = self.failure, None
        if failure is not None and not isinstance(failure, Exception):
            raise failure  # KeyboardInterrupt and its like are not about the policy
        if failure is not None and err:
            raise errors.PolicyError(text(err.message)) from failure


class Policy:
    """A policy that a log is asked about.

    Wherever a function of this package takes a policy, it also takes what :meth:`of` takes.
    """

    name = "policy"

    def _bind(self, log: Log) -> Bound:
        raise NotImplementedError

    # ---- Ways to have one

    @classmethod
    def of(cls, given: Any) -> "Policy":
        """The policy that an object stands for:

        - a :class:`Policy`
        - text or a path: a policy file, ``"uniform"``, ``"cartpole:trained@0.9"``, ``"net.onnx"``
        - an array (states, actions): a table of probabilities
        - a scikit-learn classifier, by its ``predict_proba``; classes are matched by name
        - a torch module, a policy of stable-baselines3 or d3rlpy, a session of onnxruntime
        - any function of a batch of states
        """
        if isinstance(given, Policy):
            return given
        if isinstance(given, (str, os.PathLike)):
            spec = os.fspath(given)
            return cls.onnx(spec) if spec.endswith(".onnx") else _Parsed(spec)
        if isinstance(given, (np.ndarray, list, tuple)):
            return cls.table(given)
        found = _adapters.recognise(given)
        if found is not None:
            return _Function(found, _adapters.name_of(given))
        if callable(given):
            return cls.function(given)
        raise errors.PolicyError(
            f"policy: a {type(given).__name__} is no policy; a file, an array, a classifier, a torch "
            "module or a function of states would be one"
        )

    @classmethod
    def uniform(cls) -> "Policy":
        """Every action alike."""
        return _Parsed("uniform")

    @classmethod
    def table(cls, probabilities: Any, name: str = "table") -> "Policy":
        """Probabilities (states, actions), for logs whose states are whole numbers.

        >>> import backflow as bf
        >>> log = bf.simulate("modelwin", episodes=500, steps=4)
        >>> always_first = bf.Policy.table([[1, 0], [1, 0], [1, 0]])
        >>> bf.estimate(log, always_first).verdict
        'sound'
        """
        return _Table(np.array(probabilities, dtype=np.float64, order="C"), name)

    @classmethod
    def function(
        cls, function: Callable[[Any], Any], *, states: str = "auto", samples: int = 10, seed: int = 1,
        actions: Optional[int] = None, name: Optional[str] = None,
    ) -> "Policy":  # fmt: skip
        """A function of a batch of states, called once per batch.

        With discrete actions it gives probabilities (n, actions), or the action taken at every
        state (n). With actions that are vectors it gives (n, k), or `samples` draws of each,
        (n, samples, k), or a torch distribution, which is sampled with the seed. `states` says how
        it wants them: ``"array"`` (n, d), ``"tensor"``, or ``"frame"`` with the log's own columns;
        ``"auto"`` is a frame if the log was made of one. A frame is one of the log's library, otherwise one of
        pandas, or a dict of arrays if there is no pandas.
        """
        adapter = _adapters.Adapter(function, states=states, samples=samples, seed=seed, actions=actions)
        return _Function(adapter, name or str(getattr(function, "__name__", "policy")))

    @classmethod
    def sklearn(cls, classifier: Any) -> "Policy":
        """A classifier with ``predict_proba``; its ``classes_`` are actions, matched by name."""
        return _Function(_adapters.classifier(classifier), _adapters.name_of(classifier))

    @classmethod
    def torch(cls, module: Any, *, output: str = "auto", samples: int = 10, seed: int = 1) -> "Policy":
        """A torch module from states to a distribution, or to a tensor.

        `output` says what a tensor (n, actions) is: ``"probabilities"`` or ``"logits"``. With
        ``"auto"`` it has to be probabilities.
        """
        return _Function(_adapters.torch_module(module, output, samples, seed), _adapters.name_of(module))

    @classmethod
    def onnx(cls, model: Any, *, output: str = "auto", classes: Optional[list[Any]] = None) -> "Policy":
        """An ONNX model, by a path or as a session of onnxruntime; `classes` names its columns."""
        return _Function(_adapters.onnx(model, output, classes), "onnx" if not isinstance(model, str) else model)

    @staticmethod
    def mix(first: Any, second: Any = "uniform", share: float = 0.5) -> "Policy":
        """``share`` of the first policy and the rest of the second one.

        >>> import backflow as bf
        >>> log = bf.simulate("modelwin", episodes=500, steps=4)
        >>> bf.estimate(log, bf.Policy.mix("modelwin:target", share=0.9)).trusted
        True
        """
        if not 0 <= share <= 1:
            raise errors.UsageError(f"`share`: {share} should be from 0 to 1")
        return _Mix(Policy.of(first), Policy.of(second), share)

    def probabilities(self, log: Log, states: Any = None) -> Floats:
        """Probabilities (n, actions) at the states of the log, or at the given ones."""
        given = log.column("s") if states is None else states
        seen = np.ascontiguousarray(np.asarray(given, dtype=np.float64).reshape(-1, log.state_dim).T)
        return _ask(self._bind(log), seen)

    def __repr__(self) -> str:
        return f"<backflow.Policy: {self.name}>"


def _ask(bound: Bound, columns: Floats) -> Floats:
    """Probabilities (n, A) of a handle at states (d, n)."""
    d, n = columns.shape
    answers = np.empty((lib.bf_policy_actions(bound.pointer), n))
    err = ffi.new("bf_error *")
    status = lib.bf_policy_probabilities(
        bound.pointer, ffi.from_buffer("double[]", columns), d, n,
        ffi.from_buffer("double[]", answers), err,
    )  # fmt: skip
    bound.raise_failure(err if status != lib.BF_OK else None)
    check(status, err)
    return np.ascontiguousarray(answers.T)


class _Parsed(Policy):
    def __init__(self, spec: str) -> None:
        self.name = spec

    def _bind(self, log: Log) -> Bound:
        arena, out, err = Arena(), ffi.new("const bf_policy **"), ffi.new("bf_error *")
        check(lib.bf_policy_parse(out, self.name.encode(), log.actions, arena.pointer, err), err)
        return Bound(out[0], arena)


class _Table(Policy):
    def __init__(self, table: Floats, name: str) -> None:
        if table.ndim != 2:
            raise errors.PolicyError(f"{name}: {table.ndim} dimensions; a table is (states, actions)")
        self.name = name
        self._table = table

    def _bind(self, log: Log) -> Bound:
        arena, out, err = Arena(), ffi.new("const bf_policy **"), ffi.new("bf_error *")
        rows, cols = self._table.shape
        view = ffi.new("bf_view *", (ffi.from_buffer("double[]", self._table), rows, cols, cols))
        check(lib.bf_policy_from_table(out, self.name.encode(), view[0], arena.pointer, err), err)
        return Bound(out[0], arena)


class _Function(Policy):
    def __init__(self, adapter: "_adapters.Adapter", name: str) -> None:
        self.name = name
        self._adapter = adapter

    def _bind(self, log: Log) -> Bound:
        return _bind_function(self.name, log, self._adapter.for_log(log))


class _Mix(Policy):
    def __init__(self, first: Policy, second: Policy, share: float) -> None:
        self.name = f"{share:g} {first.name} + {1 - share:g} {second.name}"
        self._first, self._second, self._share = first, second, share

    def _bind(self, log: Log) -> Bound:
        first = self._first._bind(log)
        if isinstance(self._second, _Parsed) and self._second.name == "uniform":
            arena, out, err = Arena(), ffi.new("const bf_policy **"), ffi.new("bf_error *")
            check(lib.bf_policy_mix(out, first.pointer, self._share, arena.pointer, err), err)
            return Bound(out[0], arena, first)
        second = self._second._bind(log)
        counts: Sequence[int] = [lib.bf_policy_actions(one.pointer) for one in (first, second)]
        if 0 in counts or counts[0] != counts[1]:
            raise errors.PolicyError(
                f"{self.name}: policies of {counts[0]} and of {counts[1]} actions do not mix; "
                "both have to have the same discrete actions"
            )

        def mixed(states: Floats) -> Floats:
            columns = np.ascontiguousarray(states.T)
            return self._share * _ask(first, columns) + (1 - self._share) * _ask(second, columns)

        function = _adapters.Asked(mixed, actions=counts[0])
        return _bind_function(self.name, log, function, first, second)


# ---- Functions that the library calls


class _Callback:
    """What a call from the library finds: the function, and where its exception goes."""

    def __init__(self, asked: "_adapters.Asked", dim: int) -> None:
        self.asked, self.dim = asked, dim
        self.bound: Optional[Bound] = None

    def answer(self, states: Any, n: int, out: Any, err: Any) -> int:
        try:
            size = ffi.sizeof("double")
            seen = np.frombuffer(ffi.buffer(states, n * self.dim * size)).reshape(n, self.dim).copy()
            replies = np.frombuffer(ffi.buffer(out, n * self.asked.width * size))
            replies[:] = np.asarray(self.asked.function(seen), dtype=np.float64).reshape(-1)
            return 0
        except BaseException as failure:
            assert self.bound is not None
            self.bound.failure = failure
            said = str(failure) or type(failure).__name__
            if not isinstance(failure, errors.BackflowError):
                said = f"{type(failure).__name__}: {said}"
            data = said.encode()[:1000]
            err.status = lib.BF_EPOLICY
            ffi.memmove(err.message, data + b"\0", len(data) + 1)
            return 1


def _bind_function(name: str, log: Log, asked: "_adapters.Asked", *parts: Any) -> Bound:
    arena, out, err = Arena(), ffi.new("const bf_policy **"), ffi.new("bf_error *")
    callback = _Callback(asked, log.state_dim)
    handle = ffi.new_handle(callback)
    given = ffi.new("bf_policy_function *")
    given.name = arena.keep(name)
    given.state_dim = log.state_dim
    given.context = handle
    given.size = ffi.sizeof("bf_policy_function")
    if asked.actions:
        given.actions = asked.actions
        given.probabilities = lib.bfpy_probabilities
    else:
        given.action_dim, given.samples = asked.action_dim, asked.samples
        given.sample = lib.bfpy_sample
    check(lib.bf_policy_from_function(out, given, arena.pointer, err), err)
    callback.bound = Bound(out[0], arena, callback, handle, *parts)
    return callback.bound


@ffi.def_extern(error=1)  # type: ignore[untyped-decorator]
def bfpy_probabilities(context: Any, states: Any, n: int, probabilities: Any, err: Any) -> int:
    callback: _Callback = ffi.from_handle(context)
    return callback.answer(states, n, probabilities, err)


@ffi.def_extern(error=1)  # type: ignore[untyped-decorator]
def bfpy_sample(context: Any, states: Any, n: int, actions: Any, err: Any) -> int:
    callback: _Callback = ffi.from_handle(context)
    return callback.answer(states, n, actions, err)
