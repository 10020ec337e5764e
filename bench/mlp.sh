#!/bin/bash
# mlp.sh BUILD OUT - The weight network, 6-30-20-10-1 on 10,000 samples, forward and backward on
# one core, beside PyTorch. Prints a table; writes OUT/mlp.json.
set -euo pipefail
build=$1 out=$2
cmake --build "$build" --target bench_mlp >/dev/null

torch() {
    /usr/bin/python3 - <<'PYTHON'
import time
import torch

torch.set_num_threads(1)
torch.manual_seed(1)
sizes = [6, 30, 20, 10, 1]
layers = []
for a, b in zip(sizes, sizes[1:]):
    layers += [torch.nn.Linear(a, b), torch.nn.Sigmoid() if b > 1 else torch.nn.Softplus()]
net = torch.nn.Sequential(*layers)
x, d = torch.randn(10000, 6), torch.randn(10000, 1)
forward = backward = 1e9
for _ in range(100):
    for p in net.parameters():
        p.grad = None
    t0 = time.perf_counter()
    y = net(x)
    t1 = time.perf_counter()
    y.backward(d)
    t2 = time.perf_counter()
    forward, backward = min(forward, t1 - t0), min(backward, t2 - t1)
print("%.4f %.4f" % (forward * 1e3, backward * 1e3))
PYTHON
}

read -r our_forward our_backward < <("$build/bench_mlp" 10000 1 200)
read -r peer_forward peer_backward < <(torch)
awk -v a="$our_forward" -v b="$our_backward" -v c="$peer_forward" -v d="$peer_backward" \
    -v json="$out/mlp.json" 'BEGIN {
    printf "%-12s %10s %10s %10s\n", "ms", "forward", "backward", "both"
    printf "%-12s %10.2f %10.2f %10.2f\n", "backflow", a, b, a + b
    printf "%-12s %10.2f %10.2f %10.2f\n", "PyTorch", c, d, c + d
    printf "%-12s %10.1f %10.1f %10.1f\n", "ratio", c / a, d / b, (c + d) / (a + b)
    printf "{\"forward_ms\": %g, \"backward_ms\": %g, \"torch_forward_ms\": %g, " \
           "\"torch_backward_ms\": %g, \"ratio\": %g}\n", a, b, c, d, (c + d) / (a + b) > json
}'
