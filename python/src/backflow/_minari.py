"""Data sets of Minari in Arrow, through pyarrow.

Every episode is a folder with its number as the name, and its steps are in the Arrow files there:
observations, actions, rewards, terminations, truncations. The last row has the last observation
only; what stands beside it is padding. `metadata.json` describes the spaces. What a space becomes is
what the library makes of it in HDF5 (src/dataset/spaces.h): parts one after the other, a choice as one
column per value; an action of several choices is one number.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import os
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import errors

Array = npt.NDArray[Any]
_COLUMNS = ("observations", "actions", "rewards", "terminations", "truncations")


def episodes_of(folder: Union[str, "os.PathLike[str]"]) -> list[Path]:
    """The folders of the episodes, in order; none if this is no such data set."""
    found = {one.parent for one in Path(folder).glob("*/*.arrow") if one.parent.name.isdigit()}
    return sorted(found, key=lambda one: int(one.name))


@dataclasses.dataclass
class _Leaf:
    """One array of a space: numbers (n, elements), real or choices."""

    name: str
    values: Array
    shape: tuple[int, ...]  # of one observation
    choices: Optional[list[int]] = None  # of every element; None: real numbers, or 0 and 1 as they are
    start: Sequence[int] = ()

    def columns(self) -> Iterator[tuple[str, Array]]:
        for e, place in enumerate(itertools.product(*map(range, self.shape))):
            name = self.name + (f"[{','.join(map(str, place))}]" if place else "")
            if self.choices is None:
                yield name, self.values[:, e]
                continue
            for choice in range(self.start[e], self.start[e] + self.choices[e]):
                yield f"{name}={choice}", (self.values[:, e] == choice).astype(np.float64)


def log_of(episodes: Sequence[Path]) -> dict[str, Any]:
    """The transitions of all episodes, as the arguments of a log."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise errors.AbsentError(f"{episodes[0].parent}: pyarrow reads data sets in Arrow; pip install pyarrow") from None
    spaces = _spaces(episodes[0].parent)
    made = [_steps(one, spaces) for one in episodes]
    names, first = list(made[0][0]), made[0][0]
    for (seen, rest), folder in zip(made, episodes):
        if [(name, one.shape[1:]) for name, one in seen.items()] != [(name, first[name].shape[1:]) for name in names]:
            raise errors.FormatError(f"{folder}: observations: another number of elements than in {episodes[0]}")
        if rest["action"].shape[1:] != made[0][1]["action"].shape[1:]:
            raise errors.FormatError(f"{folder}: actions: another number of elements than in {episodes[0]}")
    columns: dict[str, Any] = {
        name: np.concatenate([one[name] for _, one in made]) for name in ("action", "reward", "terminated", "truncated")
    }
    columns["episode"] = np.repeat([int(one.name) for one in episodes], [len(one["reward"]) for _, one in made])
    if names == [""]:  # one array, which needs no names
        columns["state"] = np.concatenate([seen[""][:-1] for seen, _ in made])
        columns["next_state"] = np.concatenate([seen[""][1:] for seen, _ in made])
        return columns
    frame = dict(columns)
    for name in names:
        frame[name] = np.concatenate([seen[name][:-1] for seen, _ in made])
        frame[f"next {name}"] = np.concatenate([seen[name][1:] for seen, _ in made])
    mapping: dict[str, Any] = {name: name for name in columns}
    return {"data": frame, **mapping, "state": names, "next_state": [f"next {name}" for name in names]}


def _spaces(folder: Path) -> dict[str, Any]:
    """The descriptions of observations and actions; None for what is not described."""
    path = folder / "metadata.json"
    found: dict[str, Any] = {"observations": None, "actions": None}
    if not path.exists():
        return found
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        for name, key in (("observations", "observation_space"), ("actions", "action_space")):
            if about.get(key) is not None:
                found[name] = json.loads(about[key]) if isinstance(about[key], str) else about[key]
    except (ValueError, AttributeError) as failure:
        raise errors.FormatError(f"{path}: not the description of a data set: {failure}") from failure
    return found


def _steps(folder: Path, spaces: Mapping[str, Any]) -> tuple[dict[str, Array], dict[str, Array]]:
    """An episode: its observations by column, one more than steps; and the rest."""
    import pyarrow
    import pyarrow.ipc

    tables = []
    for path in sorted(folder.glob("*.arrow")):
        try:
            with pyarrow.ipc.open_file(os.fspath(path)) as file:
                tables.append(file.read_all())
        except (pyarrow.ArrowInvalid, OSError) as failure:
            raise errors.FormatError(f"{path}: not a file of Arrow: {failure}") from failure
        missing = [name for name in _COLUMNS if name not in tables[-1].column_names]
        if missing:
            raise errors.FormatError(f"{path}: {missing[0]}: no such column; Minari's files have {', '.join(_COLUMNS)}")
    try:
        whole = pyarrow.concat_tables([one.select(_COLUMNS) for one in tables])
    except pyarrow.ArrowInvalid as failure:
        raise errors.FormatError(f"{folder}: files that do not go together: {failure}") from failure

    def leaves(name: str, rows: int) -> list[_Leaf]:
        column = whole[name].slice(0, rows).combine_chunks()
        return list(_leaves(column, spaces.get(name), "", f"{folder}: {name}"))

    steps = max(whole.num_rows - 1, 0)  # the last row is padding but for its observation
    rest = {"action": _actions(leaves("actions", steps), f"{folder}: actions")}
    for ours, theirs in (("reward", "rewards"), ("terminated", "terminations"), ("truncated", "truncations")):
        rest[ours] = leaves(theirs, steps)[0].values[:, 0]
    return _observations(leaves("observations", whole.num_rows)), rest


def _observations(leaves: list[_Leaf]) -> dict[str, Array]:
    alone = leaves[0]
    if len(leaves) > 1 or (alone.choices is not None and alone.shape):
        return dict(itertools.chain.from_iterable(one.columns() for one in leaves))
    if alone.choices is not None:  # a finite space
        return {alone.name: alone.values[:, 0] - alone.start[0]}
    return {alone.name: alone.values if alone.shape else alone.values[:, 0]}


def _actions(leaves: list[_Leaf], where: str) -> Array:
    """Discrete actions as one number, with the last choice varying fastest; or vectors."""
    if all(one.choices is None for one in leaves):
        values = np.hstack([one.values for one in leaves])
        return values if leaves[0].shape or len(leaves) > 1 else values[:, 0]
    index: Array = np.zeros(len(leaves[0].values), dtype=np.int64)
    for one in leaves:
        if one.choices is None:
            raise errors.FormatError(f"{where}: choices and real numbers in one action, which no method takes")
        for e, count in enumerate(one.choices):
            index = index * count + (one.values[:, e] - one.start[e])
    return index


def _leaves(column: Any, space: Optional[Mapping[str, Any]], name: str, where: str) -> Iterator[_Leaf]:
    """The arrays of a column of Arrow, as the space describes them."""
    import pyarrow

    kind = column.type
    if column.null_count:
        raise errors.FormatError(f"{where}: has nulls; Minari's files have none")
    if pyarrow.types.is_struct(kind):
        parts = (space or {}).get("subspaces") or {kind.field(k).name: None for k in range(kind.num_fields)}
        if isinstance(parts, list):
            parts = {f"_index_{k}": one for k, one in enumerate(parts)}
        for key, below in parts.items():
            if kind.get_field_index(key) < 0:
                raise errors.FormatError(f"{where}: {key}: described, and not there")
            yield from _leaves(column.field(key), below, f"{name}.{key}" if name else key, f"{where}: {key}")
        return
    width = 1
    while pyarrow.types.is_fixed_size_list(kind):
        width, kind, column = width * kind.list_size, kind.value_type, column.flatten()
    if not (pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind) or pyarrow.types.is_boolean(kind)):
        raise errors.FormatError(f"{where}: {kind} is neither a number nor a list of numbers")
    if column.null_count:
        raise errors.FormatError(f"{where}: has nulls; Minari's files have none")
    values = column.to_numpy(zero_copy_only=False).reshape(-1, width)
    yield _described(_Leaf(name, values, (width,) if width > 1 else ()), space, where)


def _described(leaf: _Leaf, space: Optional[Mapping[str, Any]], where: str) -> _Leaf:
    """The leaf as its space says; without one, whole numbers that stand alone are what they look like."""
    kind = (space or {}).get("type")
    if space is None or kind is None:
        return leaf
    if kind == "Discrete":
        leaf.choices, leaf.start, leaf.shape = [int(space["n"])], [int(space.get("start", 0))], ()
    elif kind == "MultiDiscrete":
        leaf.choices = [int(one) for one in np.ravel(space["nvec"])]
        leaf.start = [int(one) for one in np.ravel(space.get("start", np.zeros_like(space["nvec"])))]
        leaf.shape = np.shape(space["nvec"])
    elif kind == "MultiBinary":
        leaf.shape = tuple(np.ravel(space["n"]).tolist())
    elif kind == "Box":
        leaf.shape = tuple(space["shape"])
    else:
        raise errors.FormatError(f"{where}: a space of type '{kind}', which is no numbers")
    if math.prod(leaf.shape) != leaf.values.shape[1]:
        raise errors.FormatError(f"{where}: {leaf.values.shape[1]} numbers, where its space has {math.prod(leaf.shape)}")
    if leaf.choices is not None:
        low = np.asarray(leaf.start)
        if np.any((leaf.values < low) | (leaf.values >= low + np.asarray(leaf.choices))):
            raise errors.FormatError(f"{where}: a number that is none of its choices")
    return leaf
