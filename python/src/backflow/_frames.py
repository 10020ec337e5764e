"""Frames in, frames out: how other libraries' tables become logs, and states become tables."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import errors
from ._library import Arena, Call, Progress, fill
from ._native import ffi, lib

if TYPE_CHECKING:
    from .log import Names

Array = npt.NDArray[Any]
_ELEMENTS = {"f8": "BF_FLOAT64", "f4": "BF_FLOAT32", "i4": "BF_INT32", "i8": "BF_INT64", "u1": "BF_UINT8", "b1": "BF_UINT8"}


def library_of(data: Any) -> Optional[str]:
    """The library that a frame is of, if policies can be given frames of it."""
    first = type(data).__module__.partition(".")[0]
    return first if first in ("pandas", "polars", "pyarrow") else None


# ---- What the columns are


def _quoted(name: Any, kinds: Mapping[str, str]) -> str:
    kind = f":{kinds[name]}" if name in kinds else ""
    return '"' + str(name).replace('"', '""') + '"' + kind


def mapping(given: Mapping[str, Any], kinds: Mapping[str, str], actions: Optional[Sequence[str]]) -> list[str]:
    """The arguments of a log in the library's own words, one text for each."""
    items = []
    for group, columns in given.items():
        if columns is None:
            continue
        if isinstance(columns, Mapping):
            items += [f'"{group}:{action}"={_quoted(column, kinds)}' for action, column in columns.items()]
            continue
        listed = [columns] if isinstance(columns, str) else list(columns)
        if not all(isinstance(one, str) for one in listed):
            raise errors.UsageError(f"`{group}`: names of columns are wanted, as the first argument is a frame")
        word = "mu_all" if group == "mu" and len(listed) > 1 else group
        items.append(f"{word}={','.join(_quoted(one, kinds) for one in listed)}")
    if actions is not None:
        items.append(f"actions={','.join(_quoted(one, {}) for one in actions)}")
    return items


def _options(items: Sequence[str], more: Mapping[str, Any], arena: Arena) -> Any:
    return fill(lib.bf_read_table, arena, {"map": [" ".join(items)] if items else None, **more})


def read(
    data: Any, given: Mapping[str, Any], keep: Any, actions: Optional[Sequence[str]], kinds: Mapping[str, str],
    name: Optional[str], arena: Arena, progress: Progress, options: Mapping[str, Any],
) -> Any:  # fmt: skip
    """The handle of a log from a frame, a dict of arrays, or arrays as arguments."""
    more = {"keep": keep, **options}
    with Call(progress=progress) as call:
        if data is None:
            arrays = {group: one for group, one in given.items() if one is not None}
            return _from_arrays(arrays, {}, more, actions, kinds, name or "arrays", arena, call)
        if isinstance(data, Mapping):
            return _from_arrays(data, given, more, actions, kinds, name or "arrays", arena, call)
        if hasattr(data, "__arrow_c_stream__"):
            try:
                capsule = data.__arrow_c_stream__()
            except ImportError:  # pandas asks pyarrow; without it, its columns are arrays
                arrays = {str(one): data[one].to_numpy() for one in data.columns}
                return _from_arrays(arrays, given, more, actions, kinds, name or "frame", arena, call)
            reading = _options(mapping(given, kinds, actions), more, arena)
            return _from_stream(capsule, reading, name or "frame", arena, call)
    raise errors.UsageError(
        f"log: a {type(data).__name__} is no frame; pandas, polars, pyarrow, duckdb, or a dict of arrays would be one"
    )


def _from_stream(capsule: Any, options: Any, name: str, arena: Arena, call: Call) -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = ffi.cast("struct ArrowArrayStream *", get(capsule, b"arrow_array_stream"))
    out = ffi.new("const bf_dataset **")
    call.check(
        lib.bf_dataset_from_arrow(out, stream, name.encode(), options, call.context, arena.pointer, call.err)
    )
    return out[0]


# ---- Arrays


def _from_arrays(
    arrays: Mapping[str, Any], given: Mapping[str, Any], more: Mapping[str, Any], actions: Optional[Sequence[str]],
    kinds: Mapping[str, str], name: str, arena: Arena, call: Call,
) -> Any:  # fmt: skip
    columns, out = ffi.new("bf_columns **"), ffi.new("const bf_dataset **")
    scratch = Arena()
    held: list[Any] = []  # the library borrows the elements until the log is made
    call.check(lib.bf_columns_create(columns, name.encode(), scratch.pointer, call.err))
    kinds = dict(kinds)
    for key, values in arrays.items():
        array = np.asarray(values)
        if array.dtype.kind == "M":
            kinds.setdefault(str(key), "time")
        _add(columns[0], name, str(key), array, held, call)
    given = dict(given)
    for key in arrays:  # a kind has to stand with a column that is named
        named = [one for several in given.values() for one in ([several] if isinstance(several, str) else several or [])]
        if str(key) in kinds and str(key) not in named:
            given[str(key)] = str(key)
    options = _options(mapping(given, kinds, actions), more, scratch)
    call.check(lib.bf_columns_set_options(columns[0], options, call.err))
    call.check(lib.bf_dataset_from_columns(out, columns[0], call.context, arena.pointer, call.err))
    return out[0]


def _add(columns: Any, name: str, key: str, array: Array, held: list[Any], call: Call) -> None:
    if not 1 <= array.ndim <= 3:
        raise errors.DataError(f"{name}: {key}: {array.ndim} dimensions; a column has 1, 2 or 3")
    if array.dtype.kind == "O":
        array = _plain(array)
    words: Optional[list[str]] = None
    if array.dtype.kind in "USO":
        array, words = _coded(name, key, array)
    elif array.dtype.kind == "M":
        gaps = np.isnat(array)
        array = array.astype("datetime64[us]").astype(np.int64) / 1e6
        array[gaps] = np.nan
    elif array.dtype.kind == "m":
        array = array / np.timedelta64(1, "s")
    elif array.dtype.kind not in "fiub":
        raise errors.DataError(f"{name}: {key}: elements of type {array.dtype} are neither numbers nor text")
    kind = f"{array.dtype.kind}{array.dtype.itemsize}"
    if kind not in _ELEMENTS or not array.dtype.isnative:
        array, kind = array.astype(np.float64), "f8"
    held.append(array)
    given = ffi.new("bf_array *", {"type": getattr(lib, _ELEMENTS[kind]), "ndim": array.ndim})
    given.data = ffi.cast("void *", array.__array_interface__["data"][0])
    for d in range(array.ndim):
        given.shape[d], given.strides[d] = array.shape[d], array.strides[d]
    if words is None:
        call.check(lib.bf_columns_add(columns, key.encode(), given, call.err))
        return
    texts = [ffi.new("char[]", one.encode()) for one in words]
    listed = ffi.new("const char *[]", texts)
    held += [texts, listed]
    call.check(lib.bf_columns_add_words(columns, key.encode(), given, listed, len(words), call.err))


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _plain(array: Array) -> Array:
    """Objects that are all numbers, or missing, as numbers."""
    if all(_missing(one) or isinstance(one, (int, float, np.number, np.bool_)) for one in array.flat):
        return np.array([np.nan if one is None else float(one) for one in array.flat]).reshape(array.shape)
    return array


def _coded(name: str, key: str, array: Array) -> tuple[Array, list[str]]:
    """Texts as codes and words; a missing one has the code -1."""
    if array.ndim != 1:
        raise errors.DataError(f"{name}: {key}: texts of shape {array.shape}; a column of texts is (n,)")
    codes: dict[str, int] = {}
    found = np.empty(len(array), dtype=np.int64)
    for i, one in enumerate(array.tolist()):
        word = one.decode() if isinstance(one, bytes) else str(one)
        found[i] = -1 if _missing(one) else codes.setdefault(word, len(codes))
    return found, list(codes)


# ---- States as tables


def columns_of(names: "Names", states: Array) -> dict[str, Array]:
    """States (n, d) by the columns of the log, with categories as words."""
    if names.labels is not None:
        return {names.states[0]: np.array(names.labels)[states[:, 0].astype(int)]}
    made: dict[str, Array] = {}
    for j, (column, category) in enumerate(names.sources):
        if category is None:
            made[column] = states[:, j]
            continue
        if column not in made:
            made[column] = np.full(len(states), None, dtype=object)
        made[column][states[:, j] > 0.5] = category
    return made


def build(library: str, columns: Mapping[str, Array]) -> Any:
    """A frame of the library; a dict of arrays if that is pandas and it is not installed."""
    if library == "polars":
        import polars

        return polars.DataFrame(dict(columns))
    if library == "pyarrow":
        import pyarrow

        return pyarrow.table(dict(columns))
    try:
        import pandas
    except ImportError:
        return dict(columns)
    return pandas.DataFrame(dict(columns))
