"""A log of transitions."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from . import errors
from ._library import Arena, Call, Memory, Progress, fill, library_string, logger, text
from ._native import ffi, lib

Array = npt.NDArray[Any]
PathLike = Union[str, "os.PathLike[str]"]

# Words of the arguments, and the names that columns have in log files.
_NAMES = {
    "state": "s",
    "next_state": "ns",
    "action": "a",
    "reward": "r",
    "episode": "episode",
    "time": "t",
    "terminated": "terminated",
    "truncated": "truncated",
    "mu": "mu",
    "pi": "pi",
    "next_pi": "npi",
    "sampled": "sa",
    "next_sampled": "na",
}
_ELEMENTS = {"f8": "BF_FLOAT64", "f4": "BF_FLOAT32", "i4": "BF_INT32", "i8": "BF_INT64", "u1": "BF_UINT8", "b1": "BF_UINT8"}
_TYPES = {"BF_FLOAT64": "<f8", "BF_FLOAT32": "<f4", "BF_INT32": "<i4", "BF_INT64": "<i8", "BF_UINT8": "|u1"}


class Inspection:
    """What a log was understood to hold, and what may spoil an estimate from it."""

    def __init__(self, said: str, found: Mapping[str, Any]) -> None:
        self._text = said
        self._found = found

    @property
    def problems(self) -> list[str]:
        """Everything that may be wrong, as sentences."""
        return [one if isinstance(one, str) else str(one.get("text", one)) for one in self._found["problems"]]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``backflow inspect --json``."""
        return dict(self._found)

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


class Log:
    """Transitions (s, a, r, s') of unknown origin, one row each.

    From arrays, each with one row per transition:

    >>> import backflow as bf
    >>> log = bf.Log(state=[0, 1, 0, 1], action=[0, 1, 1, 0], reward=[1.0, 0.0, 0.5, 0.0],
    ...              episode=[7, 7, 8, 8], next_state=[1, 0, 1, 0])
    >>> len(log), log.states, log.actions, log.episodes
    (4, 2, 2, 2)

    Without `next_state` the next state is that of the next row of the episode. A log does not
    change: what it was made of is copied once, into columns.
    """

    def __init__(
        self,
        data: Optional[Mapping[str, Any]] = None,
        *,
        state: Any = None,
        action: Any = None,
        reward: Any = None,
        next_state: Any = None,
        episode: Any = None,
        time: Any = None,
        terminated: Any = None,
        truncated: Any = None,
        mu: Any = None,
        pi: Any = None,
        next_pi: Any = None,
        sampled: Any = None,
        next_sampled: Any = None,
        name: Optional[str] = None,
    ) -> None:
        given = dict(
            state=state, action=action, reward=reward, next_state=next_state, episode=episode, time=time,
            terminated=terminated, truncated=truncated, mu=mu, pi=pi, next_pi=next_pi, sampled=sampled,
            next_sampled=next_sampled,
        )  # fmt: skip
        arrays: dict[str, Any] = {}
        if data is not None:
            arrays.update(data)
        for word, value in given.items():
            if value is not None:
                arrays[_NAMES[word]] = value
        self._arena = Arena()
        self._owners: tuple[Any, ...] = ()
        self._pointer = _from_arrays(arrays, name, self._arena)

    @classmethod
    def _of(cls, pointer: Any, arena: Arena, *owners: Any) -> "Log":
        """A log around a handle; `owners` have to stay alive."""
        self = cls.__new__(cls)
        self._arena, self._pointer, self._owners = arena, pointer, owners
        return self

    @classmethod
    def read(cls, *paths: PathLike, threads: int = 0, progress: Progress = None, **options: Any) -> "Log":
        """Reads files, in order, as one log; `options` are those of reading, as the tool has them.

        `format` names the reader (it is found by content without it), `keep` other columns of
        numbers to keep, for ``by`` and ``cluster``.
        """
        arena = Arena()
        reading = fill(lib.bf_read_table, arena, options)
        names = [ffi.new("char[]", os.fsencode(path)) for path in paths]
        if not names:
            raise errors.UsageError("no log given: Log.read(path, ...)")
        out = ffi.new("const bf_dataset **")
        with Call(threads=threads, progress=progress) as call:
            call.check(
                lib.bf_dataset_read(out, names, len(names), reading, call.context, arena.pointer, call.err)
            )
        ignored = lib.bf_dataset_ignored(out[0])
        if ignored:
            logger.warning("columns not known and not used: %s", text(ignored))
        return cls._of(out[0], arena)

    from_csv = from_npz = read

    def write(self, path: PathLike) -> None:
        """Writes the log to a file that ends in .csv or .npz; the file is whole or not there."""
        with Call() as call:
            call.check(
                lib.bf_dataset_write(self._pointer, os.fsencode(path), call.context, Arena().pointer, call.err)
            )

    def inspect(self) -> Inspection:
        """What the log was understood to hold, and everything that may be wrong with it."""
        found = json.loads(library_string(lib.bf_report_log_json, self._pointer))
        return Inspection(library_string(lib.bf_report_log_text, self._pointer), found)

    # ---- What is in it

    def __len__(self) -> int:
        return int(lib.bf_dataset_rows(self._pointer))

    @property
    def states(self) -> int:
        """The number of states if they are the whole numbers 0, 1, ...; 0 if they are real-valued."""
        return int(lib.bf_dataset_states(self._pointer))

    @property
    def state_dim(self) -> int:
        """Numbers in a state."""
        return int(lib.bf_dataset_state_dim(self._pointer))

    @property
    def actions(self) -> int:
        """The number of actions; 0 if actions are vectors."""
        return int(lib.bf_dataset_actions(self._pointer))

    @property
    def action_dim(self) -> int:
        """The length of an action that is a vector; 0 if actions are discrete."""
        return int(lib.bf_dataset_action_dim(self._pointer))

    @property
    def episodes(self) -> int:
        """The number of episodes; 0 if the log is a bag of transitions."""
        return int(lib.bf_dataset_episodes(self._pointer, ffi.NULL, ffi.NULL, ffi.NULL))

    def column(self, name: str) -> Array:
        """A column by its name in log files, such as "s", "a", "r", "npi"; the memory is the log's.

        >>> import backflow as bf
        >>> bf.simulate("modelwin", episodes=2, steps=2).column("r").shape
        (4,)
        """
        array = ffi.new("bf_array *")
        if not lib.bf_dataset_column(array, self._pointer, name.encode()):
            raise KeyError(f"the log has no column {name}")
        kinds = {getattr(lib, element): kind for element, kind in _TYPES.items()}
        shape = tuple(array.shape[d] for d in range(array.ndim))
        strides = tuple(array.strides[d] for d in range(array.ndim))
        address = int(ffi.cast("uintptr_t", array.data))
        return np.asarray(Memory(address, shape, strides, kinds[array.type], self))

    # ---- In the words of the user

    def _action_code(self, name: Any) -> int:
        """The number of an action as the user calls it."""
        if isinstance(name, (int, np.integer)) or (isinstance(name, float) and name.is_integer()):
            if int(name) >= 0:
                return int(name)
        raise errors.PolicyError(f"action {name!r} is none of the log's, 0 to {self.actions - 1}")

    def __repr__(self) -> str:
        kind = f"{self.states} states" if self.states else f"states of {self.state_dim} numbers"
        acts = f"{self.actions} actions" if self.actions else f"actions of {self.action_dim} numbers"
        runs = f", {self.episodes} episodes" if self.episodes else ""
        return f"<backflow.Log: {len(self)} transitions, {kind}, {acts}{runs}>"


def _element(name: str, array: Array) -> tuple[Array, int]:
    """The array, and its type for the library; types that the library has not are converted."""
    if array.dtype.kind not in "fiub":
        raise errors.DataError(
            f"arrays: {name}: elements of type {array.dtype} are no numbers; make numbers of them"
        )
    kind = f"{array.dtype.kind}{array.dtype.itemsize}"
    if kind not in _ELEMENTS or not array.dtype.isnative:
        array = array.astype(np.float64)
        kind = "f8"
    return array, int(getattr(lib, _ELEMENTS[kind]))


def _from_arrays(arrays: Mapping[str, Any], name: Optional[str], arena: Arena) -> Any:
    columns = ffi.new("bf_columns **")
    out = ffi.new("const bf_dataset **")
    scratch = Arena()
    held: list[Array] = []  # the library borrows the elements until the log is made
    with Call() as call:
        call.check(lib.bf_columns_create(columns, (name or "arrays").encode(), scratch.pointer, call.err))
        for key, values in arrays.items():
            array, element = _element(key, np.asarray(values))
            if not 1 <= array.ndim <= 3:
                raise errors.DataError(f"arrays: {key}: {array.ndim} dimensions; a column has 1, 2 or 3")
            held.append(array)
            given = ffi.new("bf_array *", {"type": element, "ndim": array.ndim})
            given.data = ffi.cast("void *", array.__array_interface__["data"][0])
            for d in range(array.ndim):
                given.shape[d], given.strides[d] = array.shape[d], array.strides[d]
            call.check(lib.bf_columns_add(columns[0], key.encode(), given, call.err))
        call.check(lib.bf_dataset_from_columns(out, columns[0], call.context, arena.pointer, call.err))
    return out[0]
