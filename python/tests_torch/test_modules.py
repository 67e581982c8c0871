"""A module is run, not guessed: what is said of it is what it does, never what its recurrent layer would do alone."""

from collections.abc import Callable
from typing import Any

import modules
import numpy as np
import pytest
import torch
from modules import (
    GRU,
    LSTM,
    Cued,
    Dropped,
    Embedded,
    FedBack,
    Loop,
    Model,
    Normed,
    OneHot,
    Projected,
    Started,
    accuracy,
    one_hot,
    symbols,
)
from torch import nn

import ketbra

T3 = ketbra.Task("T3")
RUN = "this describes the module as it runs, not its recurrent layer alone"


def exchanged(order: tuple[int, ...]) -> ketbra.Task:
    """T3 with its components in another order."""
    assert T3.matrix is not None
    exchange = np.eye(8)[list(order)]
    return ketbra.Task.from_matrix(exchange.T @ T3.matrix @ np.kron(np.eye(8), exchange), s=8)


def register() -> ketbra.Task:
    matrix = np.zeros((3, 12))
    matrix[0, 0], matrix[1, 5], matrix[2, 7] = 1, -1, 1
    return ketbra.Task.from_matrix(matrix, s=4)


def loop(batch_first: bool = False) -> Loop:
    assert register().matrix is not None
    return Loop(np.array(register().matrix, dtype=np.float32), 4, batch_first)


@pytest.mark.parametrize("path", [modules.T3, GRU, LSTM], ids=["elman", "gru", "lstm"])
def test_a_module_that_does_what_its_weights_do_is_read_by_its_weights(path: Any) -> None:
    found = ketbra.interpret(Model(path), task="T3")
    assert (found.verdict, found.accuracy) == ("circuit", 1.0)
    assert found.network.hidden == 128 and not any(RUN in warning for warning in found.warnings)


@pytest.mark.parametrize("path", [modules.T3, GRU], ids=["elman", "gru"])
def test_a_layer_norm_of_minus_one_turns_every_output_round(path: Any) -> None:
    module = Normed(path)
    found = ketbra.interpret(module, task="T3")
    assert found.accuracy is not None and found.accuracy == pytest.approx(accuracy(module, T3), abs=0.005) and found.accuracy < 0.01
    assert found.verdict == "not-learned" and found.recurrence == [None] * 8
    assert found.warnings[0].startswith(RUN) and "LayerNorm 'norm'" in found.warnings[0]
    assert "its outputs differ by up to" in found.warnings[0]


@pytest.mark.parametrize("path", [modules.T3, GRU, LSTM], ids=["elman", "gru", "lstm"])
def test_an_input_projection_is_part_of_the_function(path: Any) -> None:
    found = ketbra.interpret(Projected(path), blind=True, s=8)
    assert (found.verdict, found.accuracy) == ("circuit", 1.0)
    assert found.recurrence == exchanged(Projected.order).recurrence != T3.recurrence
    assert "Linear 'project'" in found.warnings[0] and "its states differ by up to" in found.warnings[0]
    wrong = ketbra.interpret(Projected(path), task="T3")
    assert wrong.verdict != "circuit" and wrong.accuracy is not None
    assert wrong.accuracy == pytest.approx(accuracy(Projected(path), T3), abs=0.01) and wrong.accuracy < 0.9


def test_a_learned_start_is_part_of_what_a_module_does() -> None:
    found = ketbra.interpret(Started(size=0.5), task="T3")
    assert found.accuracy == pytest.approx(accuracy(Started(size=0.5), T3), abs=0.005)
    assert found.verdict == "partial" and "parameter 'h0'" in found.warnings[0]


@pytest.mark.parametrize(
    ("module", "encode", "cue", "named"),
    [
        (OneHot, one_hot, False, "encode="),
        (Cued, lambda signs: (signs > 0).float(), True, "encode=, cue=True"),
        (Embedded, symbols, False, "Embedding 'embedding'"),
    ],
    ids=["one-hot", "0/1 and a cue", "symbols"],
)
def test_inputs_are_what_encode_makes_of_signs(module: Any, encode: Callable[[Any], Any], cue: bool, named: str) -> None:
    found = ketbra.interpret(module(), blind=True, s=8, encode=encode, cue=cue)
    assert (found.verdict, found.accuracy, found.recurrence) == ("circuit", 1.0, T3.recurrence)
    assert found.warnings[0].startswith(RUN) and named in found.warnings[0]
    with pytest.raises(ketbra.InterpretError, match=r"cannot be called on inputs of shape .* pass encode="):
        ketbra.interpret(module(), task="T3")


def test_a_loop_that_feeds_itself_is_run_as_it_is() -> None:
    found = ketbra.interpret(FedBack(), task="T3")
    assert found.accuracy == pytest.approx(accuracy(FedBack(), T3), abs=0.02) and found.accuracy < 0.6
    assert found.verdict != "circuit" and found.warnings[0].startswith(RUN) and "from step 9 on" in found.warnings[0]


@pytest.mark.parametrize("batch_first", [False, True])
def test_a_loop_that_predicts_its_next_input_speaks_one_step_early(batch_first: bool) -> None:
    found = ketbra.interpret(loop(batch_first), blind=True, s=4, delay=-1)
    assert (found.verdict, found.accuracy, found.recurrence) == ("circuit", 1.0, register().recurrence)
    late = ketbra.interpret(loop(batch_first), blind=True, s=4)
    assert late.verdict != "circuit" and late.recurrence != register().recurrence


def test_a_dropout_left_on_is_said_and_counts() -> None:
    module = Dropped(p=0.8).train()
    before = torch.random.get_rng_state()
    found = ketbra.interpret(module, task="T3")
    assert module.training and torch.equal(before, torch.random.get_rng_state())
    assert found.accuracy == pytest.approx(accuracy(module, T3), abs=0.01) and found.accuracy < 0.97
    assert "the module is random" in found.warnings[1] and "Dropout 'drop' in training mode" in found.warnings[1]
    assert "module.eval()" in found.warnings[1]
    quiet = ketbra.interpret(module.eval(), task="T3")
    assert quiet.accuracy == 1.0 and not any("random" in warning for warning in quiet.warnings)


def test_a_frozen_dropout_is_part_of_the_readout() -> None:
    module = Dropped(p=0.9, frozen=True)
    found = ketbra.interpret(module, task="T3")
    assert found.accuracy == pytest.approx(accuracy(module, T3), abs=0.01) and found.accuracy < 0.97
    assert "buffer 'mask'" in found.warnings[0]


class Delayed(nn.Module):
    """Holds its inputs back for three steps."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()

    def forward(self, x: Any) -> Any:
        return self.model(torch.cat([torch.zeros_like(x[:3]), x[:-3]]))


def test_outputs_that_come_later_are_looked_for_later() -> None:
    found = ketbra.interpret(Delayed(), task="T3", delay=3)
    assert (found.verdict, found.accuracy) == ("circuit", 1.0)
    early = ketbra.interpret(Delayed(), task="T3")
    assert early.verdict != "circuit" and early.accuracy is not None and early.accuracy < 0.9


class Returns(Model):
    """Returns its outputs among other things."""

    def __init__(self, pack: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.pack = pack
        self.rnn.batch_first = True

    def forward(self, x: Any) -> Any:
        hidden = self.rnn(x)[0]
        return self.pack(self.head(hidden), hidden)


@pytest.mark.parametrize(
    ("pack", "readout"),
    [
        (lambda y, h: (h, [y, h[:, -1]]), None),
        (lambda y, h: {"hidden": h, "said": y}, None),
        (lambda y, h: {"said": y, "squashed": torch.tanh(y)}, "said"),
        (lambda y, h: (y, -y), 0),
        (lambda y, h: h, lambda h: Model().head(h)),
        (lambda y, h: y[:, -1], "head"),
    ],
    ids=["tuple", "dict", "key", "place", "function", "layer"],
)
def test_outputs_are_found_in_what_a_module_returns(pack: Any, readout: Any) -> None:
    assert ketbra.interpret(Returns(pack), task="T3", readout=readout).accuracy == 1.0


@pytest.mark.parametrize(
    ("pack", "message"),
    [
        (lambda y, h: {"said": y, "squashed": torch.tanh(y)}, "2 arrays of shape .*'said', 'squashed'; name one with readout="),
        (lambda y, h: y[:, -1], r"returns an array of shape \(24, 8\), and none of that is .* pass readout="),
        (lambda y, h: y[..., :3], "pass readout=, .* or d=, if it has another number of outputs"),
    ],
)
def test_what_a_module_says_must_be_clear(pack: Any, message: str) -> None:
    with pytest.raises(ketbra.InterpretError, match=message):
        ketbra.interpret(Returns(pack), task="T3")


def test_a_key_tells_an_activation_on_the_readout_from_the_readout() -> None:
    module = Returns(lambda y, h: {"said": y, "other": -y})
    assert ketbra.interpret(module, task="T3", readout="said").accuracy == 1.0
    assert ketbra.interpret(module, task="T3", readout="other").accuracy == 0.0


def test_a_step_by_hand_is_a_way_to_drive_a_module() -> None:
    model = Model(LSTM)
    module = nn.ModuleDict({"cell": nn.LSTMCell(8, 128), "head": model.head})
    with torch.no_grad():
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(module["cell"], name).copy_(getattr(model.rnn, f"{name}_l0"))
    step = lambda state, u: module["cell"](u, state)  # noqa: E731
    for state in (None, "whole", lambda state: state[0]):
        found = ketbra.interpret(module, task="T3", step=step, readout="head", state=state)
        assert (found.verdict, found.accuracy) == ("circuit", 1.0)
        assert found.to_dict()["hidden"] == (256 if state == "whole" else 128)
    with pytest.raises(ketbra.InterpretError, match="step= needs readout= beside it"):
        ketbra.interpret(module, task="T3", step=step)
    with pytest.raises(ketbra.InterpretError, match="step= failed at step 1: TypeError"):
        ketbra.interpret(module, task="T3", step=lambda state: state, readout="head")


class Own(nn.Module):
    """A cell of one's own, that no layer of PyTorch is."""

    def __init__(self) -> None:
        super().__init__()
        model = Model()
        self.inside, self.across, self.head = nn.Linear(128, 128, False), nn.Linear(8, 128, False), model.head
        self.squash = nn.Tanh()
        self.inside.weight, self.across.weight = model.rnn.weight_hh_l0, model.rnn.weight_ih_l0

    def forward(self, x: Any) -> Any:
        hidden, states = torch.zeros(x.shape[1], 128), []
        for now in x:
            hidden = self.squash(self.inside(hidden) + self.across(now))
            states.append(hidden)
        return self.head(torch.stack(states)), torch.stack(states)


@pytest.mark.parametrize("state", ["squash", lambda returned: returned[1]])
def test_states_are_where_the_caller_says(state: Any) -> None:
    found = ketbra.interpret(Own(), task="T3", state=state)
    assert (found.verdict, found.accuracy) == ("circuit", 1.0)
    with pytest.raises(ketbra.InterpretError, match=r"puts out its states, and this one has none; pass state="):
        ketbra.interpret(Own(), task="T3")
    with pytest.raises(ketbra.InterpretError, match="no layer 'nowhere'; choose state= from inside, across"):
        ketbra.interpret(Own(), task="T3", state="nowhere")


class Stack(nn.Module):
    def __init__(self, kind: str, dropout: float = 0) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.rnn, self.head = getattr(nn, kind)(3, 20, num_layers=2, dropout=dropout, batch_first=True), nn.Linear(20, 3)

    def forward(self, x: Any, sign: float = 1) -> Any:
        return sign * self.head(self.rnn(x)[0])


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_stacks_are_compared_layer_by_layer(kind: str) -> None:
    same = ketbra.interpret(Stack(kind), blind=True, s=3)
    assert same.network.layers == 2 and not any(RUN in warning for warning in same.warnings)
    other = ketbra.interpret(Stack(kind), blind=True, s=3, encode=lambda signs: (signs.transpose(0, 1), -1.0))
    assert other.warnings[0].startswith(RUN) and other.to_dict()["hidden"] == 40
    noisy = ketbra.interpret(Stack(kind, dropout=0.5), blind=True, s=3)
    assert any("in training mode" in warning for warning in noisy.warnings)


def test_layouts_are_told_by_what_the_recurrent_layer_sees() -> None:
    class Turned(Model):
        def forward(self, x: Any) -> Any:
            return super().forward(x.transpose(0, 1)).transpose(0, 1)

    assert ketbra.interpret(Turned(), task="T3").accuracy == 1.0
    assert ketbra.interpret(Turned(), task="T3", batch_first=True).accuracy == 1.0
    with pytest.raises(ketbra.InterpretError, match="pass batch_first=True"):
        ketbra.interpret(Turned(), task="T3", batch_first=False)


class Careless(Model):
    """Keeps statistics and its last state, and may fail."""

    def __init__(self, error: BaseException | None = None) -> None:
        super().__init__()
        self.norm, self.last, self.error = nn.BatchNorm1d(8), None, error
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: Any) -> Any:
        self.calls += 1
        self.last = self.rnn(x)[0]
        if self.error is not None:
            raise self.error
        self.norm(x[0])
        return self.head(self.last)


@pytest.mark.parametrize("error", [None, ValueError("no"), KeyboardInterrupt()])
def test_a_module_is_left_as_it_was(error: BaseException | None) -> None:
    module = Careless(error)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    if error is None:
        assert ketbra.interpret(module, task="T3").accuracy == 1.0
    else:
        with pytest.raises(KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else ketbra.InterpretError):
            ketbra.interpret(module, task="T3")
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert module.last is None and module.training
    assert not any(layer._forward_hooks for layer in module.modules())
    assert all(value.grad is None and value.requires_grad for value in module.parameters())


def test_lists_of_modules_and_files_stand_side_by_side() -> None:
    class Broken(Model):
        def forward(self, x: Any) -> Any:
            raise ValueError("out of order")

    found = ketbra.interpret([Model(), modules.T3, Normed(), Broken()], task="T3", errors="return")
    assert [one.accuracy for one in found[:3] if isinstance(one, ketbra.Interpretation)] == [1.0, 1.0, 0.0]
    assert "ValueError: out of order" in str(found[3])
    with pytest.raises(ketbra.InterpretError, match="out of order"):
        ketbra.interpret(Broken(), task="T3")


def test_the_warning_is_in_the_document() -> None:
    found = ketbra.interpret(Normed(), task="T3")
    assert found.to_dict()["warnings"][0] == {"kind": "noted", "topic": "module-was-run", "message": found.warnings[0]}


def test_a_module_finds_its_s() -> None:
    found = ketbra.interpret(Model(), blind=True)
    assert found.recurrence == T3.recurrence and [one.s for one in found.s_tried if one.follows] == [8]
    by_running = ketbra.interpret(loop(), blind=True, delay=-1)
    assert by_running.recurrence == register().recurrence and by_running.to_dict()["task"]["s"] == 4
    with pytest.raises(ketbra.InterpretError, match="pass task=T, or blind=True"):
        ketbra.interpret(Model())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delay": 1.5}, "delay is 1.5"),
        ({"cue": 2}, "cue is 2, but must be True or False"),
        ({"batch_first": "yes"}, "batch_first is 'yes'"),
        ({"recurrent": "nowhere"}, "no layer 'nowhere'; choose from rnn, head"),
        ({"encode": lambda signs: None}, "encode= returned None"),
        ({"encode": lambda signs: 1 / 0}, "encode= failed on signs of shape .*ZeroDivisionError"),
        ({"readout": lambda h: 1 / 0}, "readout= failed on states of shape .*ZeroDivisionError"),
        ({"readout": lambda h: h[0]}, "readout= gives shape"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ketbra.InterpretError, match=message):
        ketbra.interpret(Model(), task="T3", **options)


def test_what_is_said_of_modules_is_refused_for_files() -> None:
    with pytest.raises(ketbra.InterpretError, match="encode= says how a torch.nn.Module is run; pass the module itself"):
        ketbra.interpret(modules.T3, encode=one_hot)
