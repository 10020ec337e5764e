"""The notebooks run, and come to what is true."""

from __future__ import annotations

import csv
import math
import pathlib
from typing import Any

import nbclient
import nbformat
import pytest

ROOT = pathlib.Path(__file__).parents[2]
BOOKS = ROOT / "python" / "notebooks"


@pytest.fixture
def run(tmp_path: pathlib.Path, monkeypatch: Any) -> Any:
    """Runs a notebook in its folder, and then `checks` in the same kernel."""
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "TMPDIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))

    def execute(name: str, checks: str) -> None:
        book = nbformat.read(BOOKS / name, as_version=4)
        book.cells.append(nbformat.v4.new_code_cell(checks))
        nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(BOOKS)}}).execute()

    return execute


def test_they_are_stored_without_outputs() -> None:
    books = sorted(BOOKS.glob("*.ipynb"))
    assert [one.name for one in books] == ["clinic.ipynb", "figure2.ipynb"]
    for one in books:
        for cell in nbformat.read(one, as_version=4).cells:
            assert cell.cell_type == "markdown" or (not cell.outputs and cell.execution_count is None)


def test_clinic(run: Any) -> None:
    """Intervals hold the truth that the clinic computes, and the decision is what the notebook says."""
    run(
        "clinic.ipynb",
        """
assert answer.value == table["value"]["gentle"] and answer.trusted
for rule in truth:
    assert table["low"][rule] <= truth[rule] <= table["high"][rule], table
pairs = {(one.first, one.second): one for one in found.pairs}
rules = pairs["gentle", "vigorous"]
assert rules.decided and rules.difference > 0 and truth["gentle"] - truth["vigorous"] in rules.interval
doctors = pairs["gentle", "the log"]
assert doctors.decided and doctors.difference > 0 and not pairs["vigorous", "the log"].decided
assert "Two rules for blood pressure" in page.read_text()
""",
    )


def test_figure_2(run: Any) -> None:
    """The truth and the naive error are those of the whole experiment, and the black box is the best."""
    with open(ROOT / "experiments" / "control-rmse-summary.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["problem"] == "mountaincar" and row["method"] == "naive"]
    kept = {int(row["trajectories"]): float(row["rmse"]) for row in rows}
    truth, error = float(rows[0]["truth"]), float(rows[0]["truth_se"])
    assert math.isfinite(truth) and {10, 20} <= set(kept)
    run(
        "figure2.ipynb",
        f"""
assert abs(truth.value - {truth}) < 4 * (truth.standard_error ** 2 + {error} ** 2) ** 0.5
for size, whole in {kept}.items():
    if size in sizes:
        assert abs(rmse["naive"][sizes.index(size)] / whole - 1) < 0.25
assert all(rmse["blackbox"][-1] < rmse[method][-1] for method in methods[:-1])
assert rmse["blackbox"][-1] < rmse["blackbox"][0]
""",
    )
