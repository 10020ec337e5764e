"""What the tests share: small logs, and the tool as the oracle."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any, Callable

import pytest

import backflow as bf


@pytest.fixture(scope="session")
def finite() -> bf.Log:
    """A log of a finite environment with its target, and mu."""
    return bf.simulate("modelwin", behavior="behavior", target="target", episodes=500, steps=4)


@pytest.fixture(scope="session")
def real() -> bf.Log:
    """A log with real-valued states, in episodes."""
    return bf.simulate(
        "cartpole", behavior="trained@0.7", target="trained@0.9", episodes=12, steps=25, rewards="gymnasium"
    )


@pytest.fixture
def tool() -> Callable[..., dict[str, Any]]:
    """Runs the command and gives its JSON."""

    def run(*words: Any) -> dict[str, Any]:
        command = [str(bf.tool()), *(str(word) for word in words), "--json", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return run


def flags(said: Any) -> Any:
    """Texts as the tool shows them: `max_rows` is --max-rows there."""
    if isinstance(said, str):
        return re.sub("`([a-z_]+)`", lambda name: "--" + name[1].replace("_", "-"), said)
    if isinstance(said, list):
        return [flags(one) for one in said]
    if isinstance(said, dict):
        return {name: flags(one) for name, one in said.items()}
    return said


def same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """All that an answer says, to the last digit; only times and what a command line adds differ."""
    keys = set(theirs) - {"settings", "seconds"}
    assert keys <= set(ours)
    for key in keys:
        assert flags(ours[key]) == theirs[key], key



