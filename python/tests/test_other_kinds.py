"""Networks with inputs at every step: nothing false is said of them, and what is advised helps."""

from pathlib import Path

import numpy as np
import pytest
from support import FIXTURES

import ketbra

PROGRAMS = sorted((FIXTURES / "programs").glob("*.safetensors"))
OPEN = ("other-kind", "silent", "unclear", "partial")


def untrained() -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)
    return {"W_hh": random.normal(size=(32, 32)) / 32**0.5, "W_uh": random.normal(size=(32, 2)), "W_r": random.normal(size=(2, 32)) / 6}


def integrator() -> dict[str, np.ndarray]:
    """Sums its inputs perfectly."""
    return {"W_hh": np.eye(1), "W_uh": np.ones((1, 1)), "W_r": np.ones((1, 1))}


def said_nothing_false(found: ketbra.Interpretation) -> None:
    assert found.verdict in OPEN
    assert any("ketbra.readings" in warning for warning in found.warnings), found.warnings
    text = str(found) + " ".join(found.warnings) + " ".join(found.reasons)
    assert "learned nothing" not in text and "not-learned" not in text


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_driven_networks_are_told_from_ours(path: Path) -> None:
    for s in (1, 4):
        said_nothing_false(ketbra.interpret(path, blind=True, s=s))
    # With nobody to say how many input steps there are, no rule is made up.
    arrays = dict(ketbra.Network(path).arrays())
    try:
        said_nothing_false(ketbra.interpret(arrays, activation="tanh", blind=True))
    except ketbra.InterpretError as error:
        assert "ketbra.readings(hidden, contents)" in str(error)


def test_a_network_that_nobody_trained_has_failed_nothing() -> None:
    said_nothing_false(ketbra.interpret(untrained(), activation="tanh", blind=True, s=4))


def test_a_sum_of_evidence_is_no_circuit() -> None:
    for s in (1, 4, 8):
        assert ketbra.interpret(integrator(), activation="identity", blind=True, s=s).verdict in OPEN


def test_what_is_advised_helps_with_running_parity() -> None:
    network = ketbra.Network(FIXTURES / "programs" / "elman-parity-seed01.safetensors")
    random = np.random.default_rng(2)
    inputs = random.choice([-1.0, 1.0], (24, 400, network.inputs))
    parity = np.cumprod(inputs, axis=0)
    found = ketbra.readings(network, parity, inputs=inputs)
    shuffled = dict(network.arrays())
    shuffled["rnn.weight_hh_l0"] = random.permuted(np.array(shuffled["rnn.weight_hh_l0"]).ravel()).reshape(network.hidden, network.hidden)
    control = ketbra.readings(ketbra.Network(shuffled, activation="tanh"), parity, inputs=inputs)
    assert found.read[:, -1].min() > 0.98 > found.null.max() + 0.2
    assert control.read[:, -1].max() < 0.75, "no network has it by itself"
    with pytest.raises(ketbra.InterpretError, match="3 inputs and 2 outputs.*ketbra.readings"):
        sizes = {"W_hh": np.eye(4), "W_uh": np.ones((4, 3)), "W_r": np.ones((2, 4))}
        ketbra.interpret(sizes, activation="tanh", task="repeat-copy", s=2, d=3)
