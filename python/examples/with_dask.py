"""with_dask.py - An answer from many files of Parquet, each read by a task of Dask."""

import dask
import pandas

import backflow as bf


@dask.delayed
def part_of(reading, path, columns, first):
    """What one file gives to a reading; a file holds whole episodes."""
    return bf.partial(reading, bf.Log(pandas.read_parquet(path), **columns), first)


def estimate(paths, columns, policy, **options):
    """What `backflow.estimate` answers for all files as one log, to the last digit."""
    reading, firsts = bf.begin(policy, **options), [0] * len(paths)
    while isinstance(reading, bf.Reading):
        parts = [part_of(reading, path, columns, first) for path, first in zip(paths, firsts)]
        if reading.kind == "sample":  # which says how many rows each file has
            parts = dask.compute(*parts)
            firsts = [sum(one.rows for one in parts[:k]) for k in range(len(parts))]
        while len(parts) > 1:  # a tree, so that no task holds more than eight
            parts = [dask.delayed(bf.merge)(*parts[k : k + 8]) for k in range(0, len(parts), 8)]
        reading = bf.finish(reading, *dask.compute(*parts))
    return reading
