"""The examples of the manual and of the README run as they are printed; the reference is up to date."""

from __future__ import annotations

import doctest
import pathlib
import re
import subprocess
import sys
from typing import Any

import backflow as bf

ROOT = pathlib.Path(__file__).parents[2]


def test_the_manual() -> None:
    found = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert found.failed == 0 and found.attempted > 10


def test_the_reference() -> None:
    """docs/python-api.md is what the docstrings say, and has every public name once."""
    done = subprocess.run([sys.executable, str(ROOT / "python" / "api.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    entries = re.findall(r"^### `bf\.(\w+)`$", (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8"), re.M)
    assert sorted(entries) == sorted(bf.__all__)


def test_the_readme(tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    assert examples
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})
