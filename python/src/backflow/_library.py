"""How the package calls the library: memory, errors, progress, options.

The library keeps no state, and neither does this module. What a call makes lives in an
:class:`Arena`; Python objects hold the arenas of what they show. cffi releases the GIL during every
call and takes it again for callbacks.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from typing import Any, Callable, Iterable, Mapping, Optional, Union

from . import errors
from ._native import ffi, lib

logger = logging.getLogger("backflow")
_LEVELS = {
    lib.BF_MESSAGE_DEBUG: logging.DEBUG,
    lib.BF_MESSAGE_NOTE: logging.INFO,
    lib.BF_MESSAGE_WARNING: logging.WARNING,
}

#: Called with the task, what is done, the total (0: unknown) and a detail. False asks for an end.
ProgressFunction = Callable[[str, float, float, Optional[str]], Optional[bool]]
Progress = Union[None, bool, ProgressFunction]


def text(pointer: Any) -> str:
    """A C string; "" for NULL."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


class Arena:
    """Memory that is given back when the last object that holds it is gone."""

    def __init__(self) -> None:
        out = ffi.new("bf_arena **")
        check(lib.bf_arena_create(out, ffi.NULL, ffi.NULL), None)
        self.pointer = ffi.gc(out[0], lib.bf_arena_destroy)

    def keep(self, value: str) -> Any:
        """A copy of a text, as long-lived as the arena: the library borrows texts."""
        data = value.encode()
        if b"\0" in data:
            raise errors.UsageError(f"{value!r}: a text with a zero byte")
        room = lib.bf_arena_zalloc(self.pointer, len(data) + 1, 1, ffi.NULL)
        if not room:
            raise errors.OutOfMemoryError("out of memory")
        ffi.memmove(room, data, len(data))
        return ffi.cast("char *", room)

    def room(self, size: int) -> Any:
        """`size` bytes of zeros."""
        found = lib.bf_arena_zalloc(self.pointer, 1, size, ffi.NULL)
        if not found:
            raise errors.OutOfMemoryError("out of memory")
        return found


def check(status: int, err: Any) -> None:
    """Raises the exception for a status that is not BF_OK."""
    if status != lib.BF_OK:
        said = text(err.message) if err else ""
        raise errors.of_status(text(lib.bf_status_name(status)), said or text(lib.bf_status_text(status)))


class Call:
    """One call of the user: where the library reports to, threads and the seed.

    The library asks ``progress`` now and then, on the calling thread. Python looks for signals
    there, so Ctrl-C ends the work: the library comes back, and KeyboardInterrupt is raised.
    """

    def __init__(self, seed: int = 1, threads: int = 0, progress: Progress = None) -> None:
        if not 0 <= seed < 2**64:
            raise errors.UsageError(f"`seed`: {seed} should be a whole number from 0 to 2^64 - 1")
        if not 0 <= threads < 2**31:
            raise errors.UsageError(f"`threads`: {threads} should be 0 (all) or more")
        self.err = ffi.new("bf_error *")
        self.raised: Optional[BaseException] = None
        self.started = time.perf_counter()
        self._handle = ffi.new_handle(self)
        self._show = progress if callable(progress) else _Bar(progress)
        callbacks = {
            "message": lib.bfpy_message,
            "progress": lib.bfpy_progress,
            "context": self._handle,
        }
        self.context = ffi.new(
            "bf_context *",
            {"callbacks": callbacks, "threads": threads, "seed": seed, "size": ffi.sizeof("bf_context")},
        )

    def seconds(self) -> float:
        """Since the call, or the last time this was asked."""
        before, self.started = self.started, time.perf_counter()
        return self.started - before

    def check(self, status: int, *policies: Any) -> None:
        """Raises what was raised in a callback, or the library's own failure."""
        if self.raised is not None:
            raised, self.raised = self.raised, None
            raise raised
        for policy in policies:
            policy.raise_failure(self.err if status != lib.BF_OK else None)
        check(status, self.err)

    def __enter__(self) -> "Call":
        _running.__dict__.setdefault("calls", []).append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _running.calls.pop()
        if isinstance(self._show, _Bar):
            self._show.close()

    def on_progress(self, task: str, done: float, total: float, detail: Optional[str]) -> bool:
        return self._show(task, done, total, detail) is not False and self.raised is None


class _Bar:
    """Progress by tqdm, if it is installed and somebody is looking; work under a second has none."""

    def __init__(self, wanted: Optional[bool]) -> None:
        self.wanted = wanted
        self.started = time.perf_counter()
        self.task = ""
        self.bar: Any = None

    def _make(self) -> Any:
        if self.wanted is None and not (sys.stderr and sys.stderr.isatty()) and "ipykernel" not in sys.modules:
            self.wanted = False
            return None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self.wanted = False
            return None
        return tqdm(total=1.0, desc=self.task, leave=False, bar_format="{l_bar}{bar}| {elapsed}{postfix}")

    def __call__(self, task: str, done: float, total: float, detail: Optional[str]) -> bool:
        if self.wanted is False or time.perf_counter() - self.started < 1:
            return True
        if task != self.task:
            self.close()
            self.task = task
        if self.bar is None:
            self.bar = self._make()
        if self.bar is not None:
            self.bar.n = min(done / total, 1.0) if total > 0 else 0.0
            self.bar.set_postfix_str(detail or "")
        return True

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
        self.bar = None


_running = threading.local()  # the calls of this thread, the innermost last


def _failed(_kind: Any, error: BaseException, _trace: Any) -> None:
    """An exception in a callback: kept, and raised when the library has come back."""
    call: Call = _running.calls[-1]
    if call.raised is None:
        call.raised = error


@ffi.def_extern(error=False, onerror=_failed)  # type: ignore[untyped-decorator]
def bfpy_progress(context: Any, progress: Any) -> bool:
    call: Call = ffi.from_handle(context)
    detail = text(progress.detail) if progress.detail else None
    return call.on_progress(text(progress.task), progress.done, progress.total, detail)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def bfpy_message(_context: Any, level: int, said: Any) -> None:
    logger.log(_LEVELS.get(level, logging.INFO), "%s", text(said))


def as_text(value: object) -> str:
    """A value of an option as a user would type it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        return ",".join(as_text(one) for one in value)
    return str(value)


def fill(table: Any, arena: Arena, values: Mapping[str, object]) -> Any:
    """The struct of a table of options: its defaults, and what `values` say; None is the default."""
    options = arena.room(table.size)
    err = ffi.new("bf_error *")
    check(lib.bf_options_init(ffi.addressof(table), options, err), err)
    for name, value in values.items():
        if value is None:
            continue
        row = lib.bf_options_find(ffi.addressof(table), name.encode())
        if not row:
            raise errors.UsageError(f"`{name}`: no such argument")
        listed: Iterable[object] = [value]
        if row.type == lib.BF_OPTION_LIST and isinstance(value, (list, tuple)):
            listed = value
        for one in listed:
            check(lib.bf_options_set(row, options, arena.keep(as_text(one)), err), err)
    return options


def names_of(table: Any) -> list[str]:
    """The names of the options of a table."""
    return [text(table.rows[k].field) for k in range(table.count)] if table else []


class Memory:
    """Memory of the library as numpy sees it; `owner` stays alive as long as the array."""

    def __init__(self, address: int, shape: tuple[int, ...], strides: Optional[tuple[int, ...]], kind: str, owner: object) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, True),
            "shape": shape,
            "strides": strides,
            "typestr": kind,
            "version": 3,
        }


def library_string(function: Any, *arguments: Any) -> str:
    """A text that a function of report.h makes."""
    out = ffi.new("const char **")
    err = ffi.new("bf_error *")
    arena = Arena()
    check(function(out, *arguments, arena.pointer, err), err)
    return text(out[0])
