"""The examples of the manual and of the README run as they are printed."""

from __future__ import annotations

import doctest
import pathlib
import re
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]


def test_the_manual() -> None:
    found = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert found.failed == 0 and found.attempted > 10


def test_the_readme(tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    assert examples
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})
