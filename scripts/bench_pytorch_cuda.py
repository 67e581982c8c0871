#!/usr/bin/env python3
"""Measures ketbra's CUDA engine against PyTorch on the same device, turn by turn in one run.

PyTorch cannot train many torch.nn.RNN at once; this is the fastest way we know to make it: all networks in one batched
product, back-propagation written out, whole optimizer steps in one CUDA graph.

usage: scripts/bench_pytorch_cuda.py [--ketbra PATH] [--sizes 64,128] [--networks 480] [--rounds 2] [--seconds 2] [--json FILE]
"""

import argparse
import json
import statistics
import subprocess
import time

BATCH, INPUTS, INPUT_STEPS, HORIZON = 64, 8, 8, 100
STEPS = INPUT_STEPS + HORIZON


class Networks:
    """Networks (W_hh, W_uh, W_r), each with its own weights, moments and inputs, on T1."""

    def __init__(self, torch, count, hidden):
        self.torch = torch
        shapes = [(hidden, hidden), (hidden, INPUTS), (INPUTS, hidden)]
        bound = hidden**-0.5
        self.weights = [torch.empty(count, *shape, device="cuda").uniform_(-bound, bound) for shape in shapes]
        self.first = [torch.zeros_like(w) for w in self.weights]
        self.second = [torch.zeros_like(w) for w in self.weights]
        self.taken = torch.zeros((), device="cuda")
        self.inputs = torch.empty(INPUT_STEPS, count, INPUTS, BATCH, device="cuda")
        self.states = torch.zeros(STEPS + 1, count, hidden, BATCH, device="cuda")

    def draw(self):
        self.inputs.copy_(self.torch.randint(0, 2, self.inputs.shape, device="cuda").float() * 2 - 1)

    def targets(self):
        return self.inputs.repeat(HORIZON // INPUT_STEPS + 1, 1, 1, 1)[:HORIZON]

    def gradient(self):
        torch, (recurrent, into, readout) = self.torch, self.weights
        for t in range(STEPS):
            sums = torch.bmm(recurrent, self.states[t])
            if t < INPUT_STEPS:
                sums.baddbmm_(into, self.inputs[t])
            torch.tanh(sums, out=self.states[t + 1])
        later = self.states[INPUT_STEPS + 1 :]
        errors = (torch.matmul(readout, later) - self.targets()) * (2 / (HORIZON * BATCH * INPUTS))
        from_errors = torch.matmul(readout.transpose(1, 2), errors)
        deltas = torch.empty_like(self.states[1:])
        for t in reversed(range(STEPS)):
            back = torch.bmm(recurrent.transpose(1, 2), deltas[t + 1]) if t + 1 < STEPS else 0
            if t >= INPUT_STEPS:
                back = back + from_errors[t - INPUT_STEPS]
            torch.mul(back, 1 - self.states[t + 1] ** 2, out=deltas[t])
        of_recurrent, of_input = torch.zeros_like(recurrent), torch.zeros_like(into)
        for t in range(STEPS):
            of_recurrent.baddbmm_(deltas[t], self.states[t].transpose(1, 2))
        for t in range(INPUT_STEPS):
            of_input.baddbmm_(deltas[t], self.inputs[t].transpose(1, 2))
        return of_recurrent, of_input, torch.einsum("tnib,tnjb->nij", errors, later)

    def step(self):
        self.draw()
        gradient = self.gradient()
        norm = sum((g * g).sum((1, 2)) for g in gradient).sqrt()
        clip = (1 / (norm + 1e-6)).clamp(max=1)[:, None, None]
        self.taken.add_(1)
        first_correction, second_correction = 1 - 0.9**self.taken, (1 - 0.999**self.taken).sqrt()
        for w, m, v, g in zip(self.weights, self.first, self.second, gradient):
            g = g * clip
            m.lerp_(g, 0.1)
            v.mul_(0.999).addcmul_(g, g, value=0.001)
            w.sub_(1e-3 / first_correction * m / (v.sqrt() / second_correction + 1e-8))

    def error_of_gradient(self):
        """The relative distance from what autograd finds: what is timed must be right."""
        torch = self.torch
        self.draw()
        ours = self.gradient()
        leaves = [w.detach().clone().requires_grad_() for w in self.weights]
        state, loss, targets = self.states[0], 0, self.targets()
        for t in range(STEPS):
            state = torch.tanh(leaves[0] @ state + (leaves[1] @ self.inputs[t] if t < INPUT_STEPS else 0))
            if t >= INPUT_STEPS:
                loss = loss + ((leaves[2] @ state - targets[t - INPUT_STEPS]) ** 2).sum() / (HORIZON * BATCH * INPUTS)
        loss.backward()
        apart = sum(((a - b.grad) ** 2).sum() for a, b in zip(ours, leaves))
        return (apart / sum((b.grad**2).sum() for b in leaves)).sqrt().item()


def measure_pytorch(torch, hidden, count, tf32, seconds):
    torch.backends.cuda.matmul.allow_tf32 = tf32
    networks = Networks(torch, count, hidden)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(2):
            networks.step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        networks.step()
    rates, begin = [], time.perf_counter()
    while not rates or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        for _ in range(5):
            graph.replay()
        torch.cuda.synchronize()
        rates.append(5 * count / (time.perf_counter() - start))
    return statistics.median(rates)


def measure_ketbra(binary, hidden, precision, seconds):
    command = [binary, "bench", "train", "--engine", "cuda", "--json", "--precision", precision]
    document = json.loads(subprocess.check_output(command + ["--sizes", str(hidden), "--seconds", str(seconds)]))
    return document[0]["steps_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ketbra", default="target/release/ketbra")
    parser.add_argument("--sizes", default="64,128")
    parser.add_argument("--networks", type=int, default=480)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", help="also write the figures to this file")
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError:
        raise SystemExit("PyTorch is not installed: pip install torch, or use 'ketbra bench train --engine cuda' alone")
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch finds no CUDA device: nvidia-smi lists those there are")
    error = Networks(torch, 4, 64).error_of_gradient()
    if not error < 1e-4:
        raise SystemExit(f"the gradient written out for PyTorch is off by {error:.1e} from autograd's, 1e-4 is the limit")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, gradient within {error:.0e} of autograd's")
    print("thousand network-steps/s, best of", arguments.rounds, "rounds")
    print("     H   PyTorch fp32   PyTorch TF32   single   fast   times fp32   times TF32")
    rows = []
    for hidden in map(int, arguments.sizes.split(",")):
        row = {"hidden": hidden, "fp32": 0, "tf32": 0, "single": 0, "fast": 0}
        for _ in range(arguments.rounds):
            for name in ("single", "fast"):
                row[name] = max(row[name], measure_ketbra(arguments.ketbra, hidden, name, arguments.seconds))
            for name in ("fp32", "tf32"):
                rate = measure_pytorch(torch, hidden, arguments.networks, name == "tf32", arguments.seconds)
                row[name] = max(row[name], rate)
                torch.cuda.empty_cache()
        rows.append(row)
        fp32, tf32, single, fast = (row[name] / 1000 for name in ("fp32", "tf32", "single", "fast"))
        print(f"{hidden:6} {fp32:14.1f} {tf32:14.1f} {single:8.1f} {fast:6.1f} {single / fp32:12.1f} {fast / tf32:12.1f}", flush=True)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"pytorch": torch.__version__, "networks": arguments.networks, "sizes": rows}, file, indent=2)


if __name__ == "__main__":
    main()
