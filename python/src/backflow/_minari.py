"""Data sets of Minari in Arrow, through pyarrow.

Every episode is a folder with its number as the name, and its steps are in the Arrow files there:
observations, actions, rewards, terminations, truncations. The last row has the last observation
only; what stands beside it is padding.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import errors

_COLUMNS = ("observations", "actions", "rewards", "terminations", "truncations")


def episodes_of(folder: Union[str, "os.PathLike[str]"]) -> list[Path]:
    """The folders of the episodes, in order; none if this is no such data set."""
    found = {one.parent for one in Path(folder).glob("*/*.arrow") if one.parent.name.isdigit()}
    return sorted(found, key=lambda one: int(one.name))


def columns_of(episodes: Sequence[Path]) -> dict[str, Any]:
    """The transitions of all episodes, as the arguments of a log."""
    try:
        import pyarrow.ipc
    except ImportError:
        raise errors.AbsentError(f"{episodes[0].parent}: pyarrow reads data sets in Arrow; pip install pyarrow") from None
    parts: dict[str, list[Any]] = {name: [] for name in ("state", "next_state", "action", "reward", "terminated", "truncated")}
    lengths = []
    shapes: dict[str, tuple[int, ...]] = {}
    for folder in episodes:
        pieces: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        for path in sorted(folder.glob("*.arrow")):
            try:
                with pyarrow.ipc.open_file(os.fspath(path)) as file:
                    table = file.read_all()
            except (pyarrow.ArrowInvalid, OSError) as failure:
                raise errors.FormatError(f"{path}: not a file of Arrow: {failure}") from failure
            for name in _COLUMNS:
                values = _array(table, name, path)
                if shapes.setdefault(name, values.shape[1:]) != values.shape[1:]:
                    raise errors.FormatError(f"{path}: {name}: another number of elements than in {episodes[0]}")
                pieces[name].append(values)
        whole = {name: np.concatenate(found) for name, found in pieces.items()}
        seen = whole["observations"]
        parts["state"].append(seen[:-1])
        parts["next_state"].append(seen[1:])
        for ours, theirs in zip(("action", "reward", "terminated", "truncated"), _COLUMNS[1:]):
            parts[ours].append(whole[theirs][:-1])
        lengths.append(max(len(seen) - 1, 0))
    columns: dict[str, Any] = {name: np.concatenate(found) for name, found in parts.items()}
    columns["episode"] = np.repeat([int(one.name) for one in episodes], lengths)
    return columns


def _array(table: Any, name: str, path: Path) -> npt.NDArray[Any]:
    """A column: numbers (n), or lists of the same length (n, k)."""
    import pyarrow

    if name not in table.column_names:
        raise errors.FormatError(f"{path}: {name}: no such column; Minari's files have {', '.join(_COLUMNS)}")
    column = table[name].combine_chunks()
    kind, width = column.type, 0
    if pyarrow.types.is_fixed_size_list(kind):
        width, kind = kind.list_size, kind.value_type
    if not (pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind) or pyarrow.types.is_boolean(kind)):
        raise errors.FormatError(f"{path}: {name}: {column.type} is neither a number nor a list of numbers; spaces of several parts are not read")
    values = column.flatten() if width else column
    if column.null_count or values.null_count:
        raise errors.FormatError(f"{path}: {name}: has nulls; Minari's files have none")
    numbers: npt.NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return numbers.reshape(-1, width) if width else numbers
