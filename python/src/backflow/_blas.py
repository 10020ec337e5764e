"""Which OpenBLAS the library loads: the one of the wheel scipy-openblas32, if that is installed."""

from __future__ import annotations

import importlib.util
import os


def choose() -> None:
    """Sets BACKFLOW_BLAS, which the library reads when it first needs a BLAS, unless the user has."""
    if "BACKFLOW_BLAS" in os.environ:
        return
    found = importlib.util.find_spec("scipy_openblas32")
    for folder in (found.submodule_search_locations or []) if found else []:
        path = os.path.join(folder, "lib", "libscipy_openblas.so")
        if os.path.exists(path):
            os.environ["BACKFLOW_BLAS"] = path
