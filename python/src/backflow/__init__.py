"""What would a new policy earn? Off-policy evaluation from logs of unknown origin.

>>> import backflow as bf
>>> log = bf.simulate("modelwin", behavior="behavior", episodes=5000, steps=4)
>>> answer = bf.estimate(log, "modelwin:target")
>>> answer.verdict
'sound'
"""

from __future__ import annotations

from . import _blas
from ._library import text as _text
from ._native import lib as _lib
from .answer import Answer, Balance, Interval, Reason
from .batch import Asked, batch
from .bridges import from_d3rlpy, from_rlds, from_scope_rl, scorer
from .compare import Comparison, Pair, compare
from .errors import (
    AbsentError,
    BackflowError,
    CancelledError,
    DataError,
    FileError,
    FormatError,
    NeedsError,
    NumericError,
    OutOfMemoryError,
    PolicyError,
    UsageError,
)
from .estimate import estimate, glossary, methods
from .log import Inspection, Log
from .passes import Partial, Reading, begin, finish, merge, partial
from .policy import Policy
from .worlds import Truth, environments, reproduce, simulate, tool, value

_blas.choose()
__version__ = _text(_lib.bf_version())

__all__ = [
    "AbsentError",
    "Answer",
    "Asked",
    "BackflowError",
    "Balance",
    "CancelledError",
    "Comparison",
    "DataError",
    "FileError",
    "FormatError",
    "Inspection",
    "Interval",
    "Log",
    "NeedsError",
    "NumericError",
    "OutOfMemoryError",
    "Pair",
    "Partial",
    "Policy",
    "PolicyError",
    "Reading",
    "Reason",
    "Truth",
    "UsageError",
    "batch",
    "begin",
    "compare",
    "environments",
    "estimate",
    "finish",
    "from_d3rlpy",
    "from_rlds",
    "from_scope_rl",
    "glossary",
    "merge",
    "methods",
    "partial",
    "reproduce",
    "scorer",
    "simulate",
    "tool",
    "value",
]
