#!/usr/bin/env python3
"""Measures PyTorch's torch.nn.RNN, GRU or LSTM against ketbra at the same sizes and threads, turn by turn in one run.

usage: scripts/bench_pytorch.py [--ketbra PATH] [--threads N] [--cell elman|gru|lstm] [--sizes 128,256] [--rounds 3] [--seconds 2] [--json FILE]
"""

import argparse
import json
import os
import statistics
import subprocess
import time

BATCH, INPUTS, INPUT_STEPS, HORIZON = 64, 8, 8, 100
# Both are timed over slices of this length, ours by the command itself.
SLICE_SECONDS = 0.1


def measure_ketbra(binary, cell, hidden, threads, seconds):
    command = [binary, "bench", "train", "--json", "--cell", cell, "--sizes", str(hidden), "--threads", str(threads)]
    document = json.loads(subprocess.check_output(command + ["--seconds", str(seconds)]))
    return document["sizes"][0]


def measure_pytorch(torch, cell, hidden, seconds):
    module = {"elman": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[cell]
    # As the command chooses: biases for gated cells, none for Elman.
    rnn = module(INPUTS, hidden, bias=cell != "elman")
    readout = torch.nn.Linear(hidden, INPUTS, bias=False)
    parameters = list(rnn.parameters()) + list(readout.parameters())
    optimizer = torch.optim.Adam(parameters, lr=1e-3)
    zeros = torch.zeros(HORIZON, BATCH, INPUTS)

    def step():
        u = torch.randint(0, 2, (INPUT_STEPS, BATCH, INPUTS)).float() * 2 - 1
        target = u.repeat(HORIZON // INPUT_STEPS + 1, 1, 1)[:HORIZON]
        states, _ = rnn(torch.cat([u, zeros]))
        loss = torch.nn.functional.mse_loss(readout(states[INPUT_STEPS:]), target)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()

    step()
    rates = []
    begin = time.perf_counter()
    while not rates or time.perf_counter() - begin < seconds:
        start, steps = time.perf_counter(), 0
        while steps == 0 or time.perf_counter() - start < SLICE_SECONDS:
            step()
            steps += 1
        rates.append(steps / (time.perf_counter() - start))
    return {"median": statistics.median(rates), "best": max(rates)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ketbra", default="target/release/ketbra")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--cell", choices=("elman", "gru", "lstm"), default="elman")
    parser.add_argument("--sizes", default="32,64,128,256,512,1024")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", help="also write the figures to this file")
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError:
        raise SystemExit("PyTorch is not installed: pip install torch, or use 'ketbra bench train' alone")
    torch.set_num_threads(arguments.threads)
    rows = []
    print(f"{arguments.cell}, {arguments.threads} threads, PyTorch {torch.__version__}; best of {arguments.rounds} rounds (median)")
    print("     H   ketbra steps/s     PyTorch steps/s   times   share of peak")
    for hidden in map(int, arguments.sizes.split(",")):
        ours, theirs = [], []
        for _ in range(arguments.rounds):
            ours.append(measure_ketbra(arguments.ketbra, arguments.cell, hidden, arguments.threads, arguments.seconds))
            theirs.append(measure_pytorch(torch, arguments.cell, hidden, arguments.seconds))
        row = {
            "hidden": hidden,
            "ketbra": {key: max(o["steps_per_second"][key] for o in ours) for key in ("best", "median")},
            "pytorch": {key: max(t[key] for t in theirs) for key in ("best", "median")},
            "share_of_peak": max(o["share_of_peak"] for o in ours),
        }
        row["times"] = row["ketbra"]["best"] / row["pytorch"]["best"]
        rows.append(row)
        k, p = row["ketbra"], row["pytorch"]
        print(
            f"{hidden:6} {k['best']:9.1f} ({k['median']:7.1f}) {p['best']:9.1f} ({p['median']:7.1f}) "
            f"{row['times']:7.1f} {100 * row['share_of_peak']:14.1f} %",
            flush=True,
        )
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"cell": arguments.cell, "threads": arguments.threads, "pytorch": torch.__version__, "sizes": rows}, file, indent=2)


if __name__ == "__main__":
    main()
