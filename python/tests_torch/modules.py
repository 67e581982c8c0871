"""Modules around trained weights: what people build, and modules that are not what their weights say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from support import FIXTURES, T3
from torch import nn

import ketbra

GRU, LSTM = (FIXTURES / "networks" / f"{kind}-t3-h128.safetensors" for kind in ("gru", "lstm"))
S, D, H = 8, 8, 128


class Model(nn.Module):
    """A recurrent layer and a readout, trained on T3; `change` does something to the outputs."""

    def __init__(self, path: Any = T3, change: Callable[[Any], Any] | None = None) -> None:
        super().__init__()
        trained = ketbra.Network(path).to_torch()
        self.rnn, self.head, self.change = trained.rnn, trained.readout, change

    def forward(self, x: Any) -> Any:
        y = self.head(self.rnn(x)[0])
        return y if self.change is None else self.change(y)


class Normed(Model):
    """A LayerNorm with weight -1 between cell and readout: every output has the other sign."""

    def __init__(self, path: Any = T3) -> None:
        super().__init__(path)
        self.norm = nn.LayerNorm(H)
        nn.init.constant_(self.norm.weight, -1)

    def forward(self, x: Any) -> Any:
        return self.head(self.norm(self.rnn(x)[0]))


class Projected(Model):
    """An input Linear and a readout in other coordinates: the function is that of T3 with its components exchanged."""

    order = (1, 0, 2, 3, 4, 5, 7, 6)

    def __init__(self, path: Any = T3, readout: bool = True) -> None:
        super().__init__(path)
        self.project = nn.Linear(D, D)
        exchange = torch.eye(D)[list(self.order)]
        with torch.no_grad():
            self.project.weight.copy_(exchange)
            self.project.bias.zero_()
            if readout:
                self.head.weight.copy_(exchange.T @ self.head.weight)

    def forward(self, x: Any) -> Any:
        return self.head(self.rnn(self.project(x))[0])


class Started(Model):
    """A learned initial state."""

    def __init__(self, path: Any = T3, size: float = 0.5) -> None:
        super().__init__(path)
        torch.manual_seed(1)
        self.h0 = nn.Parameter(size * torch.randn(1, 1, H))

    def forward(self, x: Any) -> Any:
        return self.head(self.rnn(x, self.h0.expand(1, x.shape[1], H).contiguous())[0])


class Dropped(Model):
    """A dropout that hits: `frozen` for a mask that is drawn once."""

    def __init__(self, path: Any = T3, p: float = 0.6, frozen: bool = False) -> None:
        super().__init__(path)
        self.drop, self.frozen = nn.Dropout(p), frozen
        torch.manual_seed(2)
        self.register_buffer("mask", (torch.rand(H) > p).float() / (1 - p))

    def forward(self, x: Any) -> Any:
        hidden = self.rnn(x)[0]
        return self.head(hidden * self.mask if self.frozen else self.drop(hidden))


class OneHot(nn.Module):
    """Takes +1 and -1 on channels of their own."""

    def __init__(self) -> None:
        super().__init__()
        trained = Model()
        self.rnn, self.head = nn.RNN(2 * D, H, bias=False, batch_first=True), trained.head
        with torch.no_grad():
            self.rnn.weight_hh_l0.copy_(trained.rnn.weight_hh_l0)
            self.rnn.weight_ih_l0.copy_(torch.cat([trained.rnn.weight_ih_l0, -trained.rnn.weight_ih_l0], 1))

    def forward(self, x: Any) -> Any:
        return self.head(self.rnn(x)[0])


def one_hot(signs: Any) -> Any:
    return torch.cat([(signs > 0).float(), (signs < 0).float()], -1)


class Cued(nn.Module):
    """Takes 0 and 1, and a cue that says when to speak."""

    def __init__(self) -> None:
        super().__init__()
        trained = Model()
        self.rnn, self.head = nn.RNN(D + 1, H), trained.head
        weights = trained.rnn.weight_ih_l0
        with torch.no_grad():
            self.rnn.weight_hh_l0.copy_(trained.rnn.weight_hh_l0)
            self.rnn.weight_ih_l0.copy_(torch.cat([2 * weights, weights.sum(1, keepdim=True)], 1))
            self.rnn.bias_ih_l0.copy_(-weights.sum(1))
            self.rnn.bias_hh_l0.zero_()

    def forward(self, x: Any) -> Any:
        return self.head(self.rnn(x)[0])


class Embedded(Model):
    """Takes symbols: the bits of a number from 0 to 255, 256 for silence."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(257, D)
        bits = torch.arange(256)[:, None] >> torch.arange(D) & 1
        with torch.no_grad():
            self.embedding.weight.copy_(torch.cat([2.0 * bits - 1, torch.zeros(1, D)]))

    def forward(self, symbols: Any) -> Any:
        return self.head(self.rnn(self.embedding(symbols))[0])


def symbols(signs: Any) -> Any:
    number = ((signs > 0) * 2 ** torch.arange(D)).sum(-1)
    return torch.where((signs == 0).all(-1), 256, number)


class Loop(nn.Module):
    """An RNNCell that is fed its own outputs when the inputs end: a register of s variables, u(t) = f(u(t-1), ...)."""

    def __init__(self, matrix: Any, s: int, batch_first: bool = False) -> None:
        super().__init__()
        d = matrix.shape[0]
        self.s, self.batch_first = s, batch_first
        self.cell, self.head = nn.RNNCell(d, s * d), nn.Linear(s * d, d, bias=False)
        register = torch.zeros(s * d, s * d)
        register[: (s - 1) * d, d:] = torch.eye((s - 1) * d)
        new = torch.zeros(s * d, d)
        new[-d:] = torch.eye(d)
        with torch.no_grad():
            self.cell.weight_hh.copy_(2 * register)
            self.cell.weight_ih.copy_(2 * new)
            self.cell.bias_ih.zero_()
            self.cell.bias_hh.zero_()
            self.head.weight.copy_(torch.as_tensor(matrix) / 0.96)

    def forward(self, x: Any) -> Any:
        x = x.transpose(0, 1) if self.batch_first else x
        hidden, said, outputs = None, None, []
        for t in range(len(x)):
            hidden = self.cell(x[t] if t < self.s else said, hidden)
            said = self.head(hidden)
            outputs.append(said)
        outputs = torch.stack(outputs)
        return outputs.transpose(0, 1) if self.batch_first else outputs


class FedBack(Model):
    """The cell of T3, which needs no input to go on, fed its own outputs all the same."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.RNNCell(D, H, bias=False)
        with torch.no_grad():
            self.cell.weight_hh.copy_(self.rnn.weight_hh_l0)
            self.cell.weight_ih.copy_(self.rnn.weight_ih_l0)
        del self.rnn

    def forward(self, x: Any) -> Any:
        hidden, said, outputs = None, 0, []
        for t in range(len(x)):
            hidden = self.cell(x[t] if t < S else said, hidden)
            said = self.head(hidden)
            outputs.append(said)
        return torch.stack(outputs)


def accuracy(module: Any, task: ketbra.Task, given: Callable[[Any], Any] = lambda signs: signs, horizon: int = 200) -> float:
    """Share of right signs of what a module itself says, by hand."""
    assert task.matrix is not None
    generator = torch.Generator().manual_seed(9)
    signs = torch.zeros(task.s + horizon, 256, task.d)
    signs[: task.s] = torch.randint(0, 2, (task.s, 256, task.d), generator=generator) * 2.0 - 1
    window, right = list(signs[: task.s]), []
    with torch.no_grad():
        said = module(given(signs))
    matrix = torch.tensor(task.matrix.copy(), dtype=torch.float32)
    for t in range(horizon):
        window.append(torch.cat(window[-task.s :], 1) @ matrix.T)
        right.append((torch.sign(said[task.s + t]) == window[-1]).float().mean())
    return float(torch.stack(right).mean())
