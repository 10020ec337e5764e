"""api.py [--check] - Writes docs/python-api.md from the docstrings of the installed package.

A section is a module, in reading order. A docstring is taken as it stands: only roles of Sphinx and
double backquotes become Markdown, and examples become blocks. With --check nothing is written; the
exit status says whether the file is up to date.
"""

from __future__ import annotations

import dataclasses
import inspect
import pathlib
import re
import sys
from typing import Any, Iterator

import backflow as bf
import backflow.spark

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "python-api.md"
SECTIONS = {
    "log": "Logs",
    "policy": "Policies",
    "estimate": "Questions",
    "compare": "Comparisons",
    "batch": "Many questions",
    "answer": "Answers",
    "passes": "Logs in parts",
    "worlds": "Environments",
    "bridges": "Other libraries",
    "errors": "Errors",
}
CONSTRUCTED = (bf.Log,)  # users make these; the package makes objects of the other classes
WIDTH = 100
HEAD = """# The Python package, name by name

This page is made from the docstrings by `python/api.py`; change those, and run it. [python.md](python.md) is the manual. Here
`bf` is `import backflow as bf`.
"""


class Plain:
    """An annotation, as it was written."""

    def __init__(self, annotation: Any) -> None:
        self.text = str(annotation).replace('"', "").replace("'", "")

    def __repr__(self) -> str:
        return self.text


def signature(name: str, call: Any, bound: bool = False) -> str:
    """The call in one line if it fits, otherwise with a line for every parameter."""
    found = inspect.signature(call)
    taken = [
        one if one.annotation is one.empty else one.replace(annotation=Plain(one.annotation))
        for one in list(found.parameters.values())[1 if bound else 0 :]
    ]
    given = "" if found.return_annotation in (found.empty, "None") else f" -> {Plain(found.return_annotation)}"
    line = f"{name}{found.replace(parameters=taken, return_annotation=found.empty)}{given}"
    if len(line) <= WIDTH:
        return line
    lines, starred = [], False
    for one in taken:
        if one.kind is one.KEYWORD_ONLY and not starred:
            lines.append("    *,")
        starred = starred or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        lines.append(f"    {one},")
    return "\n".join([f"{name}(", *lines, f"){given}"])


def prose(docstring: str) -> str:
    """A docstring as Markdown."""
    lines: list[str] = []
    inside = False
    for line in inspect.cleandoc(docstring).splitlines():
        if line.startswith(">>>") and not inside:
            lines.append("```python")
            inside = True
        elif not line and inside:
            lines.append("```")
            inside = False
        if not inside:
            line = re.sub(r":\w+:`([^`]+)`", r"`\1`", line).replace("``", "`")
        lines.append(line)
    return "\n".join(lines + ["```"] * inside)


def fields(kind: type) -> Iterator[str]:
    """The fields that a class declares with ``#:`` comments, beside them or above them."""
    above = ""
    for line in inspect.getsource(kind).splitlines():
        declared = re.match(r"\s+(?:self\.)?(\w+): ([\w\[\], .]+?)(?: = [^#]+?)?\s*(?:#: (.*))?$", line)
        if declared and (declared[3] or above or dataclasses.is_dataclass(kind)):
            said = declared[3] or above
            yield f"- `{declared[1]}: {declared[2]}`" + (f": {said}" if said else "")
        alone = re.match(r"\s+#: (.*)", line)
        above = alone[1] if alone else ""


def members(kind: type) -> Iterator[str]:
    """What a class itself has and documents, in its order."""
    for name, held in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(held, property):
            yield f"#### `{name}` (property)\n\n{prose(held.fget.__doc__ or '')}\n"
        elif isinstance(held, (classmethod, staticmethod)) or inspect.isfunction(held):
            whose = f"{kind.__name__}.{name}" if isinstance(held, (classmethod, staticmethod)) else name
            # A bound method has lost its first parameter; a plain function has not.
            call = getattr(kind, name)
            if call.__name__ != name:
                yield f"#### `{whose}`\n\nAnother name of `{call.__name__}`.\n"
                continue
            shown = signature(whose, call, bound=inspect.isfunction(held))
            yield f"#### `{whose}`\n\n```python\n{shown}\n```\n\n{prose(call.__doc__ or '')}\n"


def entry(name: str, held: Any) -> Iterator[str]:
    """A public name, whole."""
    if inspect.isclass(held) and issubclass(held, bf.BackflowError) and held is not bf.BackflowError:
        others = [one.__name__ for one in held.__bases__ if not issubclass(one, bf.BackflowError)]
        also = f" Python's `{others[0]}` catches it, too." if others else ""
        yield f"### `bf.{name}`\n\n{prose(held.__doc__ or '')}{also}\n"
        return
    yield f"### `bf.{name}`\n"
    if inspect.isfunction(held) or held in CONSTRUCTED:
        yield f"```python\n{signature(f'bf.{name}', held)}\n```\n"
    yield f"{prose(held.__doc__ or '')}\n"
    if inspect.isclass(held):
        listed = list(fields(held))
        if listed:
            yield "\n".join(listed) + "\n"
        yield from members(held)


def page() -> str:
    """The whole page; every name of ``__all__`` stands in it once."""
    parts = [HEAD]
    for module, title in SECTIONS.items():
        names = [name for name in bf.__all__ if getattr(bf, name).__module__ == f"backflow.{module}"]
        parts.append(f"## {title}\n\n{prose(sys.modules[f'backflow.{module}'].__doc__ or '')}\n")
        for name in sorted(names, key=lambda one: inspect.getsourcelines(getattr(bf, one))[1]):
            parts.extend(entry(name, getattr(bf, name)))
    parts.append(f"## Spark\n\n{prose(bf.spark.__doc__ or '')}\n")
    parts.extend(entry("spark.estimate", bf.spark.estimate))
    return "\n".join(parts)


def main() -> int:
    if sys.argv[1:] not in ([], ["--check"]):
        print("usage: api.py [--check]", file=sys.stderr)
        return 2
    made = page()
    if sys.argv[1:]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == made:
            return 0
        print(f"{PAGE.name} is not what the docstrings say; python/api.py writes it", file=sys.stderr)
        return 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
