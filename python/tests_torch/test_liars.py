"""Modules with the weights of a perfect circuit that do something else: nothing is said of them that is only in the weights."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from modules import GRU, Model, accuracy
from support import T3 as ELMAN

import ketbra

T3 = ketbra.Task("T3")


def negated(y: Any) -> Any:
    return torch.cat([-y[..., :1], y[..., 1:]], -1)


def late(y: Any) -> Any:
    """Right for sixty steps."""
    return torch.cat([y[:60], -y[60:]])


def rarely(y: Any) -> Any:
    """Wrong in one episode of eight."""
    wrong = (y[8:9, :, :3] > 0).all(-1, keepdim=True)
    return torch.where(wrong, -y, y)


def constant(y: Any) -> Any:
    return torch.ones_like(y)


def held(y: Any) -> Any:
    """Says its first output for ever."""
    return torch.cat([y[:9], y[8:9].expand(len(y) - 9, -1, -1)])


def swapped(y: Any) -> Any:
    return y[..., [1, 0, 2, 3, 4, 5, 6, 7]]


@pytest.mark.parametrize("path", [ELMAN, GRU], ids=["elman", "gru"])
@pytest.mark.parametrize("lie", [negated, late, rarely, constant, held, swapped])
def test_outputs_that_are_not_the_readout_are_seen(lie: Callable[[Any], Any], path: Any) -> None:
    module = Model(path, lie)
    found = ketbra.interpret(module, task="T3")
    truth = accuracy(module, T3)
    # Of a lie in whole episodes, 128 of them see its share to 0.03.
    assert truth < 0.93 and found.accuracy == pytest.approx(truth, abs=0.1 if lie is rarely else 0.02) and found.accuracy < 0.95
    assert found.verdict not in ("circuit", "superposed")
    assert found.warnings[0].startswith("this describes the module as it runs")
    with pytest.raises(ketbra.InterpretError, match="only trajectories are known"):
        _ = found.network


@pytest.mark.parametrize(("lie", "output"), [(negated, 0), (swapped, 0), (swapped, 1)])
def test_the_function_of_a_changed_output_is_not_that_of_the_weights(lie: Callable[[Any], Any], output: int) -> None:
    found = ketbra.interpret(Model(ELMAN, lie), blind=True, s=8)
    assert found.recurrence[output] != T3.recurrence[output]
    assert found.recurrence[5] == T3.recurrence[5], "what is not changed is still read"


class Ignores(Model):
    """Sees the same inputs whatever it is given."""

    def forward(self, x: Any) -> Any:
        return super().forward(torch.ones_like(x) * (torch.arange(len(x)) < 8)[:, None, None])


class Halved(Model):
    """A weight scaled by hand, in the forward."""

    def forward(self, x: Any) -> Any:
        weight = self.rnn.weight_hh_l0.data
        self.rnn.weight_hh_l0.data = 0.5 * weight
        y = super().forward(x)
        self.rnn.weight_hh_l0.data = weight
        return y


class Shuffled(Model):
    """States of other episodes."""

    def forward(self, x: Any) -> Any:
        return self.head(self.rnn(x)[0].roll(1, dims=1))


@pytest.mark.parametrize("module", [Ignores, Halved, Shuffled])
def test_states_that_are_not_those_of_the_inputs_are_seen(module: Any) -> None:
    found = ketbra.interpret(module(), task="T3")
    assert found.accuracy is None or found.accuracy == pytest.approx(accuracy(module(), T3), abs=0.03)
    assert found.accuracy is None or found.accuracy < 0.9
    assert found.verdict not in ("circuit", "superposed")
    assert found.warnings[0].startswith("this describes the module as it runs")
