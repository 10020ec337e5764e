"""What can go wrong, as exceptions.

Every failure of the library is a :class:`BackflowError`. Its message is the library's own sentence.
The parts of the sentence that programs ask for are attributes: ``source``, ``row``, ``field`` and
``advice``.
"""

from __future__ import annotations

import re
from typing import Optional

_PLACE = re.compile(r"^(?P<source>.+?)(?::(?P<line>\d+)|: row (?P<row>\d+)): ")
_FIELD = re.compile(r"^(?:column )?[`'\"]?(?P<field>[A-Za-z_][\w.:*-]*)[`'\"]?: ")


class BackflowError(Exception):
    """A call could not run.

    >>> error = BackflowError("log.csv:118: r: 'n/a' is not a number; leave the row out")
    >>> error.source, error.row, error.field, error.advice
    ('log.csv', 118, 'r', 'leave the row out')
    """

    status = "EUSAGE"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        #: The file, or the name of the frame, that the message is about.
        self.source: Optional[str] = None
        #: The row: the line of a text file from 1, the index in a frame or array from 0.
        self.row: Optional[int] = None
        #: The column of the log, or the argument of the call.
        self.field: Optional[str] = None
        #: What to do about it, if the message says so.
        self.advice: Optional[str] = None
        rest = message
        place = _PLACE.match(rest)
        if place:
            self.source = place["source"]
            self.row = int(place["line"] or place["row"])
            rest = rest[place.end() :]
        field = _FIELD.match(rest)
        second = _FIELD.match(rest[field.end() :]) if field and not place else None
        if field and second:  # a file or a frame, and its column
            self.source = field["field"]
            field = second
        elif field and not place and not isinstance(self, UsageError):  # no argument: a file, a policy
            self.source = field["field"]
            field = None
        if field:
            self.field = field["field"]
        if "; " in rest:
            self.advice = rest.split("; ", 1)[1]

    def __str__(self) -> str:
        return self.message


class UsageError(BackflowError, ValueError):
    """An argument is wrong, or none of the method's."""


class FileError(BackflowError, OSError):
    """A file cannot be opened, read or written."""

    status = "EFILE"


class FormatError(BackflowError, ValueError):
    """A file is not in the form it should be."""

    status = "EFORMAT"


class DataError(BackflowError, ValueError):
    """The log cannot be used as it is."""

    status = "EDATA"


class PolicyError(BackflowError, ValueError):
    """The policy cannot be used. If it is a function that failed, ``__cause__`` is its exception."""

    status = "EPOLICY"


class NeedsError(BackflowError):
    """The method needs something that the log does not have."""

    status = "ENEEDS"


class OutOfMemoryError(BackflowError, MemoryError):
    """There was not enough memory. Nothing is broken: what exists can still be used."""

    status = "ENOMEM"


class NumericError(BackflowError, ArithmeticError):
    """A computation broke down."""

    status = "ENUMERIC"


class AbsentError(BackflowError, RuntimeError):
    """A part of the software is not available here."""

    status = "EABSENT"


class CancelledError(BackflowError):
    """The function given as ``progress`` asked the work to stop."""

    status = "ECANCELLED"


_BY_STATUS = {
    kind.status: kind
    for kind in (
        UsageError,
        FileError,
        FormatError,
        DataError,
        PolicyError,
        NeedsError,
        OutOfMemoryError,
        NumericError,
        AbsentError,
        CancelledError,
    )
}


def of_status(name: str, message: str) -> BackflowError:
    """The exception for a status of the library, such as ``"EDATA"``."""
    return _BY_STATUS.get(name, BackflowError)(message)
