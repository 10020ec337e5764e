"""The jobs of bench/flow.c in PyTorch, float32, one thread; as flow_numpy.py.

    flow_torch.py JOB N REPEATS  ->  "JOB n 1 median-seconds median-cpu-seconds"
"""
import statistics
import sys
import time

import torch

D, A, M, H = 4, 2, 1000, 2.7
torch.set_num_threads(1)
torch.set_grad_enabled(False)


def log(n):
    torch.manual_seed(1)
    s = torch.randn(n, D)
    ns = 0.99 * s + 0.14 * torch.randn(n, D)
    p = torch.rand(n)
    return s, ns, torch.randint(0, A, (n,)), torch.stack([p, 1 - p], 1)


def kernel(x, y):
    return torch.exp(torch.cdist(x, y) ** 2 * (-0.5 / H**2))


def build_idiomatic(s, ns, a, pi):
    onehot = torch.nn.functional.one_hot(a, A).float()
    k1 = kernel(s, ns) * (onehot @ pi.T)
    return kernel(s, s) * (onehot @ onehot.T) - k1 - k1.T + kernel(ns, ns) * (pi @ pi.T)


def kernel_into(out, x, y):
    torch.addmm((y * y).sum(1)[None, :], x, y.T, alpha=-2, out=out)
    out.add_((x * x).sum(1)[:, None]).mul_(-0.5 / H**2).exp_()


def build_factored(s, ns, a, pi, k, t, f):
    onehot = torch.nn.functional.one_hot(a, A).float()
    kernel_into(k, s, s)
    k.mul_(torch.mm(onehot, onehot.T, out=f))
    kernel_into(t, s, ns)
    t.mul_(torch.mm(onehot, pi.T, out=f))
    k.sub_(t).sub_(t.T)
    kernel_into(t, ns, ns)
    return k.addcmul_(t, torch.mm(pi, pi.T, out=f))


def main():
    job, n, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    data = log(n)
    if job == "build-idiomatic":
        run = lambda: build_idiomatic(*data)
    elif job == "build-factored":
        room = [torch.empty(n, n) for _ in range(3)]
        run = lambda: build_factored(*data, *room)
    elif job == "product":
        k, w = build_idiomatic(*data), torch.full((n,), 1 / n)
        run = lambda: k @ w
    elif job == "features":
        run = lambda: kernel(data[0], data[1][:M])
    elif job == "features-inplace":
        out = torch.empty(n, M)
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
