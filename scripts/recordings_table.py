"""The table of docs/do/recordings.md: verdict and worst reading over units, noise and episodes.

python scripts/recordings_table.py NETWORK    with the package installed; NETWORK is a T3 network of 128 units
"""

import sys

import numpy as np

import ketbra

STEPS = 72


def main() -> None:
    network = ketbra.Network(sys.argv[1])
    print("| units | noise | episodes | verdict | worst reading of one state (95 %) | noise allows | what else is said |")
    print("|---|---|---|---|---|---|---|")
    for episodes in (64, 128, 512):
        random = np.random.default_rng(0)
        inputs = random.choice([-1.0, 1.0], (8, episodes, 8))
        hidden = network.run(inputs, STEPS)
        outputs = network.read(hidden)
        for units in (128, 64, 40):
            part = hidden[:, :, np.linspace(0, 127, units).astype(int)]
            for noise in (0.0, 0.1, 0.2, 0.5, 1.0):
                row(part + noise * part.std(axis=(0, 1)) * random.standard_normal(part.shape), outputs, inputs, units, noise)


def row(hidden: np.ndarray, outputs: np.ndarray, inputs: np.ndarray, units: int, noise: float) -> None:
    found = ketbra.interpret_trajectories(hidden, outputs, inputs, task="T3")
    recording = found.recording or {}
    worst, told = recording["worst_reading"], recording["noise"]
    allowed = "" if told is None else f"{told['allowed']:.3f}"
    needed = recording["episodes_needed"]
    unread = len(found.to_dict()["not_linear"])
    said = "; ".join(
        part
        for part in (
            f"about {needed} episodes are needed" if needed else "",
            f"{unread} contents not read" if unread and found.verdict != "circuit" else "",
            f"about {told['units_needed']} units read every content from one state" if told else "",
        )
        if part
    )
    interval = f"{worst['value']:.3f} ({worst['low']:.3f}-{worst['high']:.3f})"
    print(f"| {units} | {noise} | {inputs.shape[1]} | {found.verdict} | {interval} | {allowed} | {said} |", flush=True)


if __name__ == "__main__":
    main()
