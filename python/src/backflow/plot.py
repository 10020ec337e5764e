"""Pictures, by matplotlib. It is imported when a picture is asked for, and not before."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import errors


def _axes(ax: Any, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise errors.AbsentError("plot: pictures need matplotlib; pip install matplotlib") from None
    if ax is not None:
        return ax
    import matplotlib.pyplot

    figure: Figure = matplotlib.pyplot.figure(figsize=(7, height), layout="constrained")
    return figure.add_subplot()


def forest(rows: Sequence[tuple[str, float, Any]], ax: Any = None, reference: float = float("nan")) -> Any:
    """Values with their intervals, one line each, from above: (name, value, interval or None)."""
    ax = _axes(ax, 1.2 + 0.4 * len(rows))
    places = np.arange(len(rows))[::-1]
    for place, (_, value, interval) in zip(places, rows):
        if interval is not None:
            ax.plot([interval.low, interval.high], [place, place], color="tab:blue", solid_capstyle="butt")
        ax.plot([value], [place], "o", color="tab:blue")
    if reference == reference:
        ax.axvline(reference, color="grey", linestyle=":", label="mean reward of the log")
        ax.legend(frameon=False)
    ax.set_yticks(places, [name for name, _, _ in rows])
    ax.set_xlabel("reward per step")
    return ax


def weights(values: Any, ax: Any = None) -> Any:
    """The share of all weight that the rows with the largest weights have."""
    ax = _axes(ax, 3.5)
    ordered = np.sort(np.asarray(values))[::-1]
    rows = np.arange(1, len(ordered) + 1) / len(ordered)
    ax.plot(rows, np.cumsum(ordered) / ordered.sum())
    ax.plot([0, 1], [0, 1], color="grey", linestyle=":", label="equal weights")
    ax.set_xlabel("share of rows, the heaviest first")
    ax.set_ylabel("share of the weight")
    ax.legend(frameon=False)
    return ax


def visits(before: Any, weight: Any, name: str, ax: Any = None) -> Any:
    """Where the log went, and where the target goes, along one number of the state."""
    ax = _axes(ax, 3.5)
    values = np.asarray(before, dtype=float)
    edges = np.histogram_bin_edges(values, bins=min(40, max(2, len(np.unique(values)))))
    ax.hist(values, bins=edges, weights=np.full(len(values), 1 / len(values)), alpha=0.4, label="the log")
    ax.hist(values, bins=edges, weights=np.asarray(weight) / np.sum(weight), histtype="step", label="the target")
    ax.set_xlabel(name)
    ax.set_ylabel("share of steps")
    ax.legend(frameon=False)
    return ax


def balance(columns: Sequence[Any], ax: Any = None) -> Any:
    """How far the flow is out of balance in every column, with equal weights and with those of the answer."""
    ax = _axes(ax, 1.4 + 0.35 * len(columns))
    places = np.arange(len(columns))[::-1]
    before, after = (np.array([abs(getattr(one, name)) for one in columns]) for name in ("before", "after"))
    ax.hlines(places, after, before, color="lightgrey")
    ax.plot(before, places, "o", color="grey", markerfacecolor="white", label="equal weights")
    ax.plot(after, places, "o", color="tab:blue", label="weights of the answer")
    ax.axvline(0, color="grey", linestyle=":")
    ax.set_yticks(places, [f"{one.name} (share)" if one.share else one.name for one in columns])
    ax.set_xlabel("out of balance (standard deviations; share: in the wrong place)")
    ax.legend(frameon=False)
    return ax


def horizon(curve: Sequence[Any], limit: float, ax: Any = None) -> Any:
    """The mean reward over the first steps."""
    ax = _axes(ax, 3.5)
    ax.plot([one["horizon"] for one in curve], [one["value"] for one in curve])
    if limit == limit:
        ax.axhline(limit, color="grey", linestyle=":", label="long run")
        ax.legend(frameon=False)
    ax.set_xscale("log")
    ax.set_xlabel("steps")
    ax.set_ylabel("reward per step")
    return ax
