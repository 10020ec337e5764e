"""Steps of fitting the weights in PyTorch, float32, one thread: the jobs of bench_neural.c.

    neural_torch.py JOB SIZE REPEATS  ->  "JOB size median-milliseconds"

exact: K stored, one full-batch step (network, loss, backward). batch: K of the batch made anew by
four kernels and the action factors, both halves as matrices do it, then the same and Adam.
"""
import statistics
import sys
import time

import torch

D, A, H, ALL = 4, 2, 2.7, 10000
torch.set_num_threads(1)
torch.manual_seed(1)


def log(n):
    s = torch.randn(n, D)
    ns = 0.9 * s + 0.14 * torch.randn(n, D)
    a = torch.nn.functional.one_hot(torch.randint(0, A, (n,)), A).float()
    return s, ns, a, torch.tensor([0.9, 0.1]).expand(n, A).contiguous()


def gaussian(x, y):
    r2 = torch.addmm((y * y).sum(1)[None, :], x, y.T, alpha=-2).add_((x * x).sum(1)[:, None])
    return r2.mul_(-0.5 / H**2).exp_()


@torch.no_grad()
def flow(s, ns, a, pi):
    cross = gaussian(s, ns).mul_(a @ pi.T)
    k = gaussian(s, s).mul_(a @ a.T)
    return k.sub_(cross).sub_(cross.T).add_(gaussian(ns, ns).mul_(pi @ pi.T))


def network():
    layers, sizes = [], [D + A, 30, 20, 10, 1]
    for before, after in zip(sizes, sizes[1:]):
        layers += [torch.nn.Linear(before, after), torch.nn.Sigmoid()]
    return torch.nn.Sequential(*layers[:-1], torch.nn.Softplus())


def full_step(net, x, k):
    for p in net.parameters():
        p.grad = None
    w = net(x)[:, 0]
    w = w / w.sum()
    loss = torch.log(w @ (k @ w))
    loss.backward()


def batch_step(net, x, data, size, adam):
    i = torch.randperm(ALL)[:size]
    k = flow(*(part[i] for part in data))
    w = net(x[i])[:, 0]
    y = k @ w
    same = torch.diagonal(k) @ (w * w)
    top = (ALL - 1) / (size - 1) * (w @ y - same) + same
    loss = torch.log(top.abs()) - 2 * torch.log(w.sum())
    adam.zero_grad()
    loss.backward()
    adam.step()


def main():
    job, size, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    data = log(ALL if job == "batch" else size)
    x, net = torch.cat([data[0], data[2]], 1), network()
    if job == "batch":
        adam = torch.optim.Adam(net.parameters(), 1e-3)
        run = lambda: batch_step(net, x, data, size, adam)
    else:
        k = flow(*data)
        run = lambda: full_step(net, x, k)
    seconds = []
    for r in range(repeats + 3):
        start = time.process_time()
        run()
        if r >= 3:
            seconds.append(time.process_time() - start)
    print(job, size, "%.4f" % (1e3 * statistics.median(seconds)))


main()
