"""generate.py DECLARATIONS OUT - The C source of backflow._native.

cffi reads the declarations, and the C compiler checks them against the real headers: a function
that has changed does not build, rather than be called in a wrong way.
"""

import sys

import cffi

declarations, out = sys.argv[1:]
builder = cffi.FFI()
with open(declarations, encoding="utf-8") as file:
    builder.cdef(file.read())
builder.set_source("backflow._native", "#include <backflow/backflow.h>", py_limited_api=True)
builder.emit_c_code(out)
