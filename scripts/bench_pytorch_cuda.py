#!/usr/bin/env python3
"""Measures ketbra's CUDA engine against PyTorch on the same device, turn by turn in one run.

PyTorch cannot train many torch.nn.RNN, GRU or LSTM at once; this is the fastest way we know to make it: all networks in one batched
product, back-propagation written out, whole optimizer steps in one CUDA graph.

usage: scripts/bench_pytorch_cuda.py [--ketbra PATH] [--cells elman,gru,lstm] [--sizes 64,128]
       [--networks 480] [--rounds 2] [--seconds 2] [--json FILE]
"""

import argparse
import json
import statistics
import subprocess
import time

BATCH, INPUTS, INPUT_STEPS, HORIZON = 64, 8, 8, 100
STEPS = INPUT_STEPS + HORIZON


class Elman:
    """h' = tanh(U h + W x), its steps forward and back written out."""

    gates, biases, kept = 1, 0, 0

    @staticmethod
    def forward(torch, sums, driven, state, kept, out):
        torch.tanh(sums if driven is None else sums.add_(driven), out=out)

    @staticmethod
    def back(torch, of_state, states, t, kept, later, deltas):
        torch.mul(of_state, 1 - states[t + 1] ** 2, out=deltas)
        return deltas, None

    @staticmethod
    def step(torch, sums, driven, state, memory):
        return torch.tanh(sums + driven), memory


class Gru:
    """PyTorch's GRU: gates r and z, candidate n, the reset after the product."""

    gates, biases, kept = 3, 2, 4

    @staticmethod
    def forward(torch, sums, driven, state, kept, out):
        (sr, sz, sn), (dr, dz, dn) = sums.chunk(3, 1), driven.chunk(3, 1)
        torch.sigmoid(sr + dr, out=kept[0])
        torch.sigmoid(sz + dz, out=kept[1])
        kept[3].copy_(sn)
        torch.tanh(torch.addcmul(dn, kept[0], sn), out=kept[2])
        torch.lerp(kept[2], state, kept[1], out=out)

    @staticmethod
    def back(torch, of_state, states, t, kept, later, deltas):
        (r, z, n, product), (to_r, to_z, to_n) = kept, deltas.chunk(3, 1)
        torch.mul(of_state * (states[t] - n), z * (1 - z), out=to_z)
        of_n = of_state * (1 - z) * (1 - n * n)
        torch.mul(of_n * product, r * (1 - r), out=to_r)
        torch.mul(of_n, r, out=to_n)
        return torch.cat((to_r, to_z, of_n), 1), of_state * z

    @staticmethod
    def step(torch, sums, driven, state, memory):
        (sr, sz, sn), (dr, dz, dn) = sums.chunk(3, 1), driven.chunk(3, 1)
        r, z = torch.sigmoid(sr + dr), torch.sigmoid(sz + dz)
        n = torch.tanh(dn + r * sn)
        return (1 - z) * n + z * state, memory


class Lstm:
    """PyTorch's LSTM: gates i, f and o, candidate g."""

    gates, biases, kept = 4, 2, 6

    @staticmethod
    def forward(torch, sums, driven, state, kept, out):
        i, f, g, o = sums.add_(driven).chunk(4, 1)
        before, cell = kept[4], kept[5]
        for gate, values in ((0, i), (1, f), (3, o)):
            torch.sigmoid(values, out=kept[gate])
        torch.tanh(g, out=kept[2])
        torch.addcmul(kept[1] * before, kept[0], kept[2], out=cell)
        torch.mul(kept[3], torch.tanh(cell), out=out)

    @staticmethod
    def back(torch, of_state, states, t, kept, later, deltas):
        i, f, g, o, before, cell = kept
        to_i, to_f, to_g, to_o = deltas.chunk(4, 1)
        squashed = torch.tanh(cell)
        torch.mul(of_state * squashed, o * (1 - o), out=to_o)
        of_cell = later.add_(of_state * o * (1 - squashed * squashed))
        torch.mul(of_cell * g, i * (1 - i), out=to_i)
        torch.mul(of_cell * before, f * (1 - f), out=to_f)
        torch.mul(of_cell * i, 1 - g * g, out=to_g)
        later.mul_(f)
        return deltas, None

    @staticmethod
    def step(torch, sums, driven, state, memory):
        i, f, g, o = (sums + driven).chunk(4, 1)
        memory = torch.sigmoid(f) * memory + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(memory), memory


CELLS = {"elman": Elman, "gru": Gru, "lstm": Lstm}


class Networks:
    """Networks (U, W, readout, and biases where the cell has them), each with its own weights, moments and inputs, on T1."""

    def __init__(self, torch, count, hidden, cell):
        self.torch, self.cell, self.hidden = torch, cell, hidden
        rows = cell.gates * hidden
        shapes = [(rows, hidden), (rows, INPUTS), (INPUTS, hidden)]
        shapes += [(rows, 1), (rows, 1), (INPUTS, 1)] if cell.biases else []
        bound = hidden**-0.5
        self.weights = [torch.empty(count, *shape, device="cuda").uniform_(-bound, bound) for shape in shapes]
        self.first = [torch.zeros_like(w) for w in self.weights]
        self.second = [torch.zeros_like(w) for w in self.weights]
        self.taken = torch.zeros((), device="cuda")
        self.inputs = torch.empty(INPUT_STEPS, count, INPUTS, BATCH, device="cuda")
        self.states = torch.zeros(STEPS + 1, count, hidden, BATCH, device="cuda")
        self.kept = torch.zeros(STEPS + 1, cell.kept, count, hidden, BATCH, device="cuda")
        self.deltas = torch.empty(STEPS, count, rows, BATCH, device="cuda")

    def draw(self):
        self.inputs.copy_(self.torch.randint(0, 2, self.inputs.shape, device="cuda").float() * 2 - 1)

    def targets(self):
        return self.inputs.repeat(HORIZON // INPUT_STEPS + 1, 1, 1, 1)[:HORIZON]

    def kept_at(self, t):
        """What the step from t keeps; an LSTM's memory before it is the one after the step before."""
        kept = list(self.kept[t])
        if self.cell is Lstm:
            kept[4] = self.kept[t - 1][5] if t > 0 else self.kept[STEPS][5]
        return kept

    def gradient(self):
        torch, cell, (recurrent, into, readout) = self.torch, self.cell, self.weights[:3]
        biases = self.weights[3:]
        for t in range(STEPS):
            driven = biases[0] if biases else None
            if t < INPUT_STEPS:
                driven = torch.baddbmm(biases[0], into, self.inputs[t]) if biases else torch.bmm(into, self.inputs[t])
            sums = torch.baddbmm(biases[1], recurrent, self.states[t]) if biases else torch.bmm(recurrent, self.states[t])
            cell.forward(torch, sums, driven, self.states[t], self.kept_at(t), self.states[t + 1])
        shown = self.states[INPUT_STEPS + 1 :]
        outputs = torch.matmul(readout, shown)
        errors = ((outputs + biases[2] if biases else outputs) - self.targets()) * (2 / (HORIZON * BATCH * INPUTS))
        from_errors = torch.matmul(readout.transpose(1, 2), errors)
        gradient = [torch.zeros_like(w) for w in self.weights]
        later, direct = torch.zeros_like(self.states[0]), None
        for t in reversed(range(STEPS)):
            of_state = torch.bmm(recurrent.transpose(1, 2), self.deltas[t + 1]) if t + 1 < STEPS else torch.zeros_like(later)
            if direct is not None:
                of_state.add_(direct)
            if t >= INPUT_STEPS:
                of_state.add_(from_errors[t - INPUT_STEPS])
            into_gates, direct = cell.back(torch, of_state, self.states, t, self.kept_at(t), later, self.deltas[t])
            gradient[0].baddbmm_(self.deltas[t], self.states[t].transpose(1, 2))
            if t < INPUT_STEPS:
                gradient[1].baddbmm_(into_gates, self.inputs[t].transpose(1, 2))
            if biases:
                gradient[3].add_(into_gates.sum(2, keepdim=True))
        gradient[2] = torch.einsum("tnib,tnjb->nij", errors, shown)
        if biases:
            gradient[4] = self.deltas.sum((0, 3))[:, :, None]
            gradient[5] = errors.sum((0, 3))[:, :, None]
        return gradient

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
        biases = leaves[3:] or [0, 0, 0]
        state, memory, loss, targets = self.states[0], torch.zeros_like(self.states[0]), 0, self.targets()
        for t in range(STEPS):
            driven = biases[0] + (leaves[1] @ self.inputs[t] if t < INPUT_STEPS else 0)
            state, memory = self.cell.step(torch, leaves[0] @ state + biases[1], driven, state, memory)
            if t >= INPUT_STEPS:
                error = leaves[2] @ state + biases[2] - targets[t - INPUT_STEPS]
                loss = loss + (error**2).sum() / (HORIZON * BATCH * INPUTS)
        loss.backward()
        apart = sum(((a - b.grad) ** 2).sum() for a, b in zip(ours, leaves))
        return (apart / sum((b.grad**2).sum() for b in leaves)).sqrt().item()


def measure_pytorch(torch, cell, hidden, count, tf32, seconds):
    torch.backends.cuda.matmul.allow_tf32 = tf32
    networks = Networks(torch, count, hidden, CELLS[cell])
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


def measure_ketbra(binary, cell, hidden, precision, seconds):
    command = [binary, "bench", "train", "--engine", "cuda", "--json", "--cell", cell, "--precision", precision]
    document = json.loads(subprocess.check_output(command + ["--sizes", str(hidden), "--seconds", str(seconds)]))
    return document[0]["steps_per_second"]


def measure(torch, arguments, cell, hidden, error):
    """A row of the table: ours and PyTorch's, turn by turn."""
    row = {"cell": cell, "hidden": hidden, "error_of_gradient": error, "fp32": 0, "tf32": 0, "single": 0, "fast": 0}
    for _ in range(arguments.rounds):
        for name in ("single", "fast"):
            row[name] = max(row[name], measure_ketbra(arguments.ketbra, cell, hidden, name, arguments.seconds))
        for name in ("fp32", "tf32"):
            rate = measure_pytorch(torch, cell, hidden, arguments.networks, name == "tf32", arguments.seconds)
            row[name] = max(row[name], rate)
            torch.cuda.empty_cache()
    fp32, tf32, single, fast = (row[name] / 1000 for name in ("fp32", "tf32", "single", "fast"))
    ratios = f"{single / fp32:12.1f} {fast / tf32:12.1f}"
    print(f"{cell:>5} {hidden:6} {fp32:14.1f} {tf32:14.1f} {single:8.1f} {fast:6.1f} {ratios}", flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ketbra", default="target/release/ketbra")
    parser.add_argument("--cells", default="elman,gru,lstm")
    parser.add_argument("--sizes", default="64,128")
    parser.add_argument("--networks", type=int, default=480)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", help="also write the figures to this file")
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError:
        raise SystemExit("PyTorch is not installed: pip install torch, or use 'ketbra bench train --device cuda' alone")
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch finds no CUDA device: nvidia-smi lists those there are")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    print("thousand network-steps/s, best of", arguments.rounds, "rounds")
    print(" cell      H   PyTorch fp32   PyTorch TF32   single   fast   times fp32   times TF32")
    rows = []
    for cell in arguments.cells.split(","):
        torch.backends.cuda.matmul.allow_tf32 = False
        error = Networks(torch, 4, 64, CELLS[cell]).error_of_gradient()
        if not error < 1e-4:
            raise SystemExit(f"{cell}: the gradient written out for PyTorch is off by {error:.1e} from autograd's, 1e-4 is the limit")
        rows += [measure(torch, arguments, cell, hidden, error) for hidden in map(int, arguments.sizes.split(","))]
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"pytorch": torch.__version__, "networks": arguments.networks, "rows": rows}, file, indent=2)


if __name__ == "__main__":
    main()
