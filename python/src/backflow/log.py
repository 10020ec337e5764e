"""A log of transitions."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _frames, _minari, errors
from ._library import Arena, Call, Memory, Progress, fill, library_string, logger, text
from ._native import ffi, lib

Array = npt.NDArray[Any]
PathLike = Union[str, "os.PathLike[str]"]

_TYPES = {"BF_FLOAT64": "<f8", "BF_FLOAT32": "<f4", "BF_INT32": "<i4", "BF_INT64": "<i8", "BF_UINT8": "|u1"}
_NAME_ROOM = 256


@dataclasses.dataclass(frozen=True)
class Names:
    """What the numbers of a log mean, in the words of the user."""

    states: tuple[str, ...]  # what the numbers of a state are
    sources: tuple[tuple[str, Optional[str]], ...]  # of each, its column and its category
    labels: Optional[tuple[str, ...]]  # of finite states that are words
    actions: Optional[tuple[str, ...]]  # None: 0, 1, ...
    frames: Optional[str] = dataclasses.field(default=None, compare=False)  # the library of the frame


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

    From a frame, with the names of its columns: pandas, polars, pyarrow, duckdb, and everything else
    that has ``__arrow_c_stream__``; or a dict of arrays.

    >>> import backflow as bf
    >>> visits = {"lactate": [1.5, 1.2, 2.5, 2.2], "ward": ["ICU", "home", "ICU", "home"],
    ...           "dose": ["low", "high", "high", "low"], "gain": [0, 1, 0, 1], "patient": ["a", "a", "b", "b"]}
    >>> log = bf.Log(visits, state=["lactate", "ward"], action="dose", reward="gain", episode="patient")
    >>> log.state_names, log.action_names
    (['lactate', 'ward=ICU', 'ward=home'], ['low', 'high'])

    From arrays, each with one row per transition:

    >>> log = bf.Log(state=[0, 1, 0, 1], action=[0, 1, 1, 0], reward=[1.0, 0.0, 0.5, 0.0],
    ...              episode=[7, 7, 8, 8], next_state=[1, 0, 1, 0])
    >>> len(log), log.states, log.actions, log.episodes
    (4, 2, 2, 2)

    Without `next_state` the next state is that of the next row of the episode. Columns of text are
    categories, named actions or ids. `weight` says how much rows count, `duration` how long
    steps take, `mask` which actions were not allowed. `pi`, `next_pi` and `mask` may be dicts from
    actions to columns.
    `keep` names other columns, for ``by`` and ``cluster``; `actions` puts named actions in order;
    `kinds` says what a column holds, if it is not what it looks like: ``{"ward_no": "category"}``.
    Other keywords are options of reading, as ``missing="mean"`` for gaps and ``max_rows=100000``.
    A log does not change: what it was made of is copied once, into columns.
    """

    def __init__(
        self,
        data: Any = None,
        *,
        state: Any = None,
        action: Any = None,
        reward: Any = None,
        next_state: Any = None,
        episode: Any = None,
        time: Any = None,
        terminated: Any = None,
        truncated: Any = None,
        weight: Any = None,
        duration: Any = None,
        mu: Any = None,
        pi: Any = None,
        next_pi: Any = None,
        mask: Any = None,
        sampled: Any = None,
        next_sampled: Any = None,
        keep: Union[None, str, Sequence[str]] = None,
        actions: Optional[Sequence[str]] = None,
        kinds: Optional[Mapping[str, str]] = None,
        name: Optional[str] = None,
        progress: Progress = None,
        **options: Any,
    ) -> None:
        given = dict(
            s=state, a=action, r=reward, ns=next_state, episode=episode, t=time, terminated=terminated,
            truncated=truncated, weight=weight, duration=duration, mu=mu, pi=pi, npi=next_pi, mask=mask, sa=sampled, na=next_sampled,
        )  # fmt: skip
        self._arena = Arena()
        self._owners: tuple[Any, ...] = ()
        self._library = _frames.library_of(data)
        self._pointer = _frames.read(data, given, keep, actions, kinds or {}, name, self._arena, progress, options)
        self._warn()

    def _warn(self) -> None:
        ignored = lib.bf_dataset_ignored(self._pointer)
        if ignored:
            logger.warning("columns not known and not used: %s", text(ignored))

    _known: Optional[Names] = None
    _library: Optional[str] = None
    _least_actions = 0

    @classmethod
    def _of(cls, pointer: Any, arena: Arena, *owners: Any, names: Optional[Names] = None, actions: int = 0) -> "Log":
        """A log around a handle; `owners` have to stay alive.

        A part of a log is given the names of the whole and its number of actions.
        """
        self = cls.__new__(cls)
        self._arena, self._pointer, self._owners = arena, pointer, owners
        self._known, self._least_actions = names, actions
        return self

    @classmethod
    def read(cls, *paths: PathLike, threads: int = 0, progress: Progress = None, **options: Any) -> "Log":
        """Reads files, in order, as one log; `options` are those of reading, as the tool has them.

        `map` says what columns are (``"state=age,ward action=dose reward=r"``), `keep` which others
        to keep, for ``by`` and ``cluster``; `format` names the reader, which is found by content
        without it.
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
        log = cls._of(out[0], arena)
        log._warn()
        return log

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

    def mirrored(self, mirror: str) -> "Log":
        """The log and its mirror image, if the process looks the same from the other side.

        `mirror` says what columns and actions are in the mirror (docs/structure.md). Rows stand in
        pairs, a row and its mirror, which count as one thing that happened in intervals. Columns of
        the target policy are left out: they say nothing of mirrored states. The same as the option
        ``mirror`` of reading.

        >>> import backflow as bf
        >>> log = bf.simulate("cartpole", episodes=2, steps=10)
        >>> both = log.mirrored("s0=-s0, s1=-s1, s2=-s2, s3=-s3, a:0=1")
        >>> len(both), bool((both.column("s")[1::2] == -log.column("s")).all())
        (40, True)
        """
        arena, out = Arena(), ffi.new("const bf_dataset **")
        with Call() as call:
            call.check(lib.bf_dataset_mirror(out, self._pointer, mirror.encode(), arena.pointer, call.err))
        return Log._of(out[0], arena, self, names=self._known, actions=self._least_actions)

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
        return max(self._least_actions, int(lib.bf_dataset_actions(self._pointer)))

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

    def _name(self, get: Any, index: int) -> str:
        room = ffi.new("char[]", _NAME_ROOM)
        return text(get(self._pointer, index, room, _NAME_ROOM))

    @property
    def _names(self) -> Names:
        if self._known is None:
            at, column, category = self._pointer, ffi.new("const char **"), ffi.new("const char **")
            states = tuple(self._name(lib.bf_dataset_state_name, j) for j in range(self.state_dim))
            sources = []
            for j, name in enumerate(states):
                known = lib.bf_dataset_state_source(at, j, column, category)
                word = text(category[0]) if known and category[0] else None
                sources.append((text(column[0]) if known else name, word))
            labels = actions = None
            if self.states and lib.bf_dataset_states_named(at):
                labels = tuple(self._name(lib.bf_dataset_state_label, s) for s in range(self.states))
            if lib.bf_dataset_actions_named(at):
                actions = tuple(self._name(lib.bf_dataset_action_name, a) for a in range(lib.bf_dataset_actions(at)))
            self._known = Names(states, tuple(sources), labels, actions, self._library)
        return self._known

    @property
    def state_names(self) -> list[str]:
        """What the numbers of a state are: a column, or a column and its category."""
        return list(self._names.states)

    @property
    def action_names(self) -> list[str]:
        """The actions as the log names them, or their numbers."""
        return list(self._names.actions or map(str, range(self.actions)))

    def _action_code(self, name: Any) -> int:
        """The number of an action as the user calls it."""
        known = self._names.actions
        if known is not None:
            wanted = str(name).lower() if isinstance(name, (bool, np.bool_)) else str(name)
            if wanted in known:
                return known.index(wanted)
            raise errors.PolicyError(f"action {name!r} is none of the log's: {', '.join(known)}")
        if isinstance(name, (int, np.integer)) or (isinstance(name, float) and name.is_integer()):
            if int(name) >= 0:
                return int(name)
        raise errors.PolicyError(f"action {name!r} is none of the log's, 0 to {self.actions - 1}")

    def _frame(self, states: Array) -> Any:
        """States (n, d) as a frame with the log's own columns, categories as words."""
        return _frames.build(self._names.frames or "pandas", _frames.columns_of(self._names, states))

    def __repr__(self) -> str:
        kind = f"{self.states} states" if self.states else f"states of {self.state_dim} numbers"
        acts = f"{self.actions} actions" if self.actions else f"actions of {self.action_dim} numbers"
        runs = f", {self.episodes} episodes" if self.episodes else ""
        return f"<backflow.Log: {len(self)} transitions, {kind}, {acts}{runs}>"

    # ---- Other doors

    @classmethod
    def from_d4rl(cls, path: PathLike, **options: Any) -> "Log":
        """A file of D4RL; `options` are those of :meth:`read`."""
        return cls.read(path, format="hdf5", **options)

    @classmethod
    def from_minari(cls, dataset: PathLike, **options: Any) -> "Log":
        """A data set of Minari that is on this machine, by its name or folder.

        A name, such as ``"D4RL/door/human-v2"``, is looked up where Minari keeps what
        ``minari download`` has fetched: ``$MINARI_DATASETS_PATH``, or ``~/.minari/datasets``. Data in
        HDF5 are read by the library, data in Arrow by pyarrow.
        """
        home = os.environ.get("MINARI_DATASETS_PATH") or os.path.expanduser("~/.minari/datasets")
        places = [os.fspath(dataset), os.path.join(home, os.fspath(dataset))]
        for place in places:
            for folder in (os.path.join(place, "data"), place):
                path = os.path.join(folder, "main_data.hdf5")
                if os.path.exists(path):
                    return cls.read(path, format="hdf5", **options)
                episodes = _minari.episodes_of(folder)
                if episodes:
                    return cls(**_minari.log_of(episodes), name=folder, **options)
        raise errors.FileError(
            f"{dataset}: no data set of Minari in HDF5 or Arrow here or in {home}; 'minari download {dataset}' fetches one"
        )

    @classmethod
    def from_parquet(cls, path: PathLike, **columns: Any) -> "Log":
        """A Parquet file, or a folder of them, as record batches; needs pyarrow, or polars.

        `columns` are those of :class:`Log`: ``state=["lactate", "ward"], action="dose", ...``.
        """
        try:
            import pyarrow.dataset

            found = pyarrow.dataset.dataset(os.fspath(path), format="parquet")
            return cls(found.scanner().to_reader(), **columns)
        except ImportError:
            pass
        try:
            import polars

            return cls(polars.read_parquet(path), **columns)
        except ImportError:
            raise errors.AbsentError(f"{path}: pyarrow or polars reads Parquet; pip install pyarrow") from None
