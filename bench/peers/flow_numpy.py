"""The jobs of bench/flow.c in numpy, float32, one thread.

    flow_numpy.py JOB N REPEATS  ->  "JOB n 1 median-seconds median-cpu-seconds"

build-idiomatic   the formula as one writes it, sums over actions done first
build-factored    the same, every result in place, buffers reused
product           K @ w with K stored
features          exp(-|x - p|^2 / 2h^2) of n points against 1,000, as one writes it
features-inplace  the same with buffers reused
"""
import statistics
import sys
import time

import numpy as np

D, A, M, H = 4, 2, 1000, 2.7


def log(n):
    rng = np.random.default_rng(1)
    s = rng.standard_normal((n, D)).astype(np.float32)
    ns = (0.99 * s + 0.14 * rng.standard_normal((n, D))).astype(np.float32)
    a = rng.integers(0, A, n)
    p = rng.random(n).astype(np.float32)
    return s, ns, a, np.stack([p, 1 - p], 1)


def kernel(x, y):
    r2 = (x * x).sum(1)[:, None] + (y * y).sum(1)[None, :] - 2 * x @ y.T
    return np.exp(r2 * np.float32(-0.5 / H**2))


def build_idiomatic(s, ns, a, pi):
    onehot = np.eye(A, dtype=np.float32)[a]
    k1 = kernel(s, ns) * (onehot @ pi.T)
    return kernel(s, s) * (onehot @ onehot.T) - k1 - k1.T + kernel(ns, ns) * (pi @ pi.T)


def kernel_into(out, x, y):
    np.matmul(x, y.T, out=out)
    out *= np.float32(2)
    out -= (x * x).sum(1)[:, None]
    out -= (y * y).sum(1)[None, :]
    out *= np.float32(0.5 / H**2)
    np.exp(out, out=out)


def build_factored(s, ns, a, pi, k, t, f):
    onehot = np.eye(A, dtype=np.float32)[a]
    kernel_into(k, s, s)
    np.matmul(onehot, onehot.T, out=f)
    k *= f
    kernel_into(t, s, ns)
    np.matmul(onehot, pi.T, out=f)
    t *= f
    k -= t
    k -= t.T
    kernel_into(t, ns, ns)
    np.matmul(pi, pi.T, out=f)
    t *= f
    k += t
    return k


def main():
    job, n, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    data = log(n)
    if job == "build-idiomatic":
        run = lambda: build_idiomatic(*data)
    elif job == "build-factored":
        room = [np.empty((n, n), np.float32) for _ in range(3)]
        run = lambda: build_factored(*data, *room)
    elif job == "product":
        k, w = build_idiomatic(*data), np.full(n, 1 / n, np.float32)
        run = lambda: k @ w
    elif job == "features":
        run = lambda: kernel(data[0], data[1][:M])
    elif job == "features-inplace":
        out = np.empty((n, M), np.float32)
        run = lambda: kernel_into(out, data[0], data[1][:M])
    run()
    wall, cpu = [], []
    for _ in range(repeats):
        w0, c0 = time.perf_counter(), time.process_time()
        run()
        wall.append(time.perf_counter() - w0)
        cpu.append(time.process_time() - c0)
    print(job, n, 1, f"{statistics.median(wall):.6f} {statistics.median(cpu):.6f}")


main()
