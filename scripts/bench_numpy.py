#!/usr/bin/env python3
"""Times the authors' steps done the NumPy way against `ketbra interpret`, turn by turn in one run on one core.

The steps: eigenvalues of W_hh above 0.9 matched with those of Phi, the power basis from the pseudo-inverse of the readout
with its pseudo-inverse, Phi_learned, and the score of the memories on fresh inputs. ketbra's defaults do more: the
linearized orbit, memories that are recovered, the function read back, a verdict. ketbra is timed as a whole program, with
its start and the reading of the file; NumPy is loaded before the clock starts. `ketbra bench interpret` times ketbra's
work alone. On a busy machine look at the processor time, which counts only what the program itself used.

usage: scripts/bench_numpy.py [--ketbra PATH] [--rounds 5] [--json FILE] NETWORK.safetensors ...
"""

import argparse
import json
import os
import resource
import struct
import subprocess
import time

# One core for both, before NumPy is loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

EPISODES, SETTLE, STEPS = 192, 40, 60


def load(np, path):
    """Weights by the end of their name, from a safetensors file of 32-bit floats."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    weights = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            array = np.frombuffer(data[begin:end], dtype=np.float32).reshape(entry["shape"]).astype(np.float64)
            weights[name.split(".", 1)[1]] = array
    return weights["weight_ih_l0"], weights["weight_hh_l0"], weights["weight"]


def core_of(np, phi):
    """Components on a cycle: those that are still reached after as many steps as there are components."""
    reach = np.linalg.matrix_power((np.abs(phi) > 0).astype(float), len(phi))
    return np.flatnonzero(reach.any(axis=0) & reach.any(axis=1))


def interpret(np, w_in, w_hh, w_out, f, rng):
    hidden, d = w_in.shape
    s = f.shape[1] // d
    phi = np.zeros((s * d, s * d))
    phi[:-d, d:] = np.eye((s - 1) * d)
    phi[-d:] = f
    core = core_of(np, phi)
    found, theory = np.linalg.eigvals(w_hh), np.linalg.eigvals(phi)
    found, theory = found[np.abs(found) > 0.9], theory[np.abs(theory) > 0.9]
    error = None
    if len(found) == len(theory):
        a, b = np.sort(np.angle(found)), np.sort(np.angle(theory))
        turns = (np.abs((a - np.roll(b, k) + np.pi) % (2 * np.pi) - np.pi).mean() for k in range(len(a)))
        error = min(turns)
    block, blocks = np.linalg.pinv(w_out), []
    for _ in range(s):
        blocks.append(block / np.linalg.norm(block, axis=0))
        block = w_hh @ block
    memories = np.concatenate(blocks[::-1], axis=1)[:, core]
    readers = np.linalg.pinv(memories)
    learned = readers @ w_hh @ memories
    u = rng.choice([-1.0, 1.0], size=(s, EPISODES, d))
    h, window, right = np.zeros((EPISODES, hidden)), list(u), 0
    for now in u:
        h = np.tanh(h @ w_hh.T + now @ w_in.T)
    for t in range(STEPS):
        h = np.tanh(h @ w_hh.T)
        window.append(np.concatenate(window[-s:], axis=1) @ f.T)
        if t >= SETTLE:
            contents = np.concatenate(window[-s:], axis=1)[:, core]
            right = right + ((h @ readers.T) * contents > 0).mean(axis=0)
    return error, (right / (STEPS - SETTLE)).min(), np.abs(learned).max()


def recurrence(np, binary, path):
    """f as a matrix, from ketbra's own reading of the task in the file."""
    found = json.loads(subprocess.check_output([binary, "interpret", path, "--json"]))
    s, d = found["task"]["s"], found["task"]["d"]
    if found["recurrence"] is None:
        raise SystemExit(f"{path}: the function could not be read back; choose an accurate network")
    f = np.zeros((d, s * d))
    for step in found["recurrence"]:
        f[step["output"] - 1, (s - step["lag"]) * d + step["component"] - 1] = step["sign"]
    return f


def clocked(work):
    """Processor time, of this program and its children, and time by the clock."""

    def used():
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    before, begin = used(), time.perf_counter()
    work()
    return used() - before, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", metavar="NETWORK.safetensors")
    parser.add_argument("--ketbra", default="target/release/ketbra")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", help="also write the figures to this file")
    arguments = parser.parse_args()
    try:
        import numpy as np
    except ImportError:
        raise SystemExit("NumPy is not installed: pip install numpy, or use 'ketbra bench interpret' alone")
    print(f"one core, NumPy {np.__version__}; best of {arguments.rounds} rounds: processor seconds (by the clock)")
    print(f"{'':34}     H  ketbra, defaults  ketbra, all methods  NumPy, the authors' steps")
    rows = []
    for path in arguments.networks:
        w_in, w_hh, w_out = load(np, path)
        f, rng = recurrence(np, arguments.ketbra, path), np.random.default_rng(1)
        command = [arguments.ketbra, "interpret", path, "--json"]
        work = {
            "defaults": lambda: subprocess.check_output(command),
            "all_methods": lambda: subprocess.check_output(command + ["--methods", "all"]),
            "numpy": lambda: interpret(np, w_in, w_hh, w_out, f, rng),
        }
        times = {name: [] for name in work}
        for _ in range(arguments.rounds):
            for name, once in work.items():
                times[name].append(clocked(once))
        best = {name: [min(column) for column in zip(*taken)] for name, taken in times.items()}
        name = os.path.basename(path).removesuffix(".safetensors")
        rows.append({"network": name, "hidden": len(w_hh)} | {k: {"cpu": c, "wall": w} for k, (c, w) in best.items()})
        shown = "      ".join(f"{cpu:6.3f} ({wall:6.3f})" for cpu, wall in best.values())
        print(f"{name:34.34}{len(w_hh):6}  {shown}", flush=True)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"numpy": np.__version__, "networks": rows}, file, indent=2)


if __name__ == "__main__":
    main()
