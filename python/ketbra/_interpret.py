"""From weights to a circuit that a person can read."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, overload

from . import _ketbra
from ._arrays import FloatArray, floats, whole
from ._asked import Answer, Asked, Tried
from ._driving import Driving
from ._edit import Edited, edit
from ._errors import EditError, Error, InterpretError
from ._memories import Memories
from ._network import Network
from ._plot import Plot
from ._progress import Bar, counting_bar
from ._readings import Readings
from ._settings import Settings
from ._spectrum import Spectra
from ._task import Task

PAGE_HEIGHT = 900


@dataclass(frozen=True)
class Claim:
    """A statement about a network that could have failed."""

    name: str
    """Which, e.g. follows-function."""
    statement: str
    """The same in words."""
    holds: bool
    """Whether it holds."""
    measured: float | None
    """Its figure; None where nothing could be measured."""
    limit: float
    """Where it begins to hold."""
    bound: str
    """at-least or at-most."""
    detail: str
    """What the figure is, and where it is worst."""


class Interpretation:
    """What was found in a network, how sure it is and what speaks against it.

    Arrays are read-only views, nothing is copied. In a notebook it shows itself as the interactive page.
    """

    s_tried: list[Tried]
    """The numbers of input steps that were tried, where nobody said how many there are."""

    def __init__(self, found: _ketbra.Interpretation, s_tried: Sequence[Tried] = ()) -> None:
        self._found = found
        self.s_tried = list(s_tried)

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self._found.json())
        return document

    @property
    def verdict(self) -> str:
        """circuit, superposed, partial, not-learned, silent, other-kind, not-held or unclear; drawn from the claims."""
        return self._found.verdict

    @property
    def reasons(self) -> list[str]:
        """Why."""
        return self._found.reasons

    @cached_property
    def claims(self) -> list[Claim]:
        """What is claimed, each with its figure and whether it holds; measured on fresh inputs."""
        return [Claim(**claim) for claim in self._document["claims"]]

    @property
    def control(self) -> dict[str, Any] | None:
        """What the same procedure finds where there is nothing to find: weights (or episodes) shuffled."""
        control: dict[str, Any] | None = self._document["control"]
        return control

    @property
    def code(self) -> dict[str, Any] | None:
        """The code in a few numbers: explained share, directions, contents read, rows of the step matrix."""
        code: dict[str, Any] | None = self._document["code"]
        return code

    @property
    def stimulus(self) -> dict[str, Any] | None:
        """What it was driven with, which is what every claim is about: input_steps, silent_steps, how many different inputs."""
        stimulus: dict[str, Any] | None = self._document["stimulus"]
        return stimulus

    @property
    def kind(self) -> dict[str, Any] | None:
        """Without a task: what one more input after a silence does, and other numbers of input steps; None with one."""
        kind: dict[str, Any] | None = self._document.get("kind")
        return kind

    @cached_property
    def over_time(self) -> Readings | None:
        """What the states of each step hold of the inputs; None where a circuit says it all and nobody asked (`readings=True`)."""
        found = self._document.get("over_time")
        return None if found is None else Readings(found)

    @property
    def mean_states(self) -> FloatArray:
        """(output steps, units): the mean state at each, which is taken off before contents are read."""
        return self._found.mean_states

    def write(self, contents: Any, *, step: int | None = None) -> FloatArray:
        """Whole states (batch, state_size) of the network that hold contents (batch, s, d), as after output step `step` (from 0).

        Let it run on from there with `found.network.run(start=states, horizon=20)`; `found.network.read` says what it says then.
        Without `step` it is one at which the state has settled. Only contents that the function keeps are written.
        """
        windows = floats(contents, "contents", ("batch", "s", "d"), InterpretError)
        return self._found.write(windows.reshape(windows.shape[0], -1), whole(step, "step", InterpretError))

    @property
    def warnings(self) -> list[str]:
        """What a person should know before trusting this."""
        return self._found.warnings

    @property
    def accuracy(self) -> float | None:
        """Share of right signs on the task over a long output phase; None where no task is known."""
        accuracy = self._document["accuracy"]
        return None if accuracy is None else float(accuracy["value"])

    @property
    def recurrence(self) -> list[str | None]:
        """The function read back from the network, a line for each output; None where no source was identified."""
        return self._found.recurrence

    @property
    def function(self) -> list[dict[str, Any]]:
        """The truth table of every output whose function is stated: output, inputs (lag, component), table.

        Entry m of the table is the output when input q is +1 exactly where bit q of m is set. Empty for a dense f.
        """
        tables: list[dict[str, Any]] = self._document["function"]
        return tables

    @property
    def products(self) -> dict[str, Any] | None:
        """Products of contents that the states hold beside them; None where f is linear.

        `by_degree` is the share of the states' variance that contents explain, then with products of two, of three and so on;
        `largest` lists the products that make up most of it.
        """
        products: dict[str, Any] | None = (self._document["code"] or {}).get("products")
        return products

    @property
    def confidence(self) -> str:
        """How sure the recurrence is: high, behaviour or cannot-tell."""
        return str(self._document["confidence"])

    @property
    def task(self) -> Task | None:
        """The task, given or read back."""
        task = self._found.task
        return None if task is None else Task._of(task)

    @property
    def blind(self) -> bool:
        """Whether the task was read back and not given."""
        return bool(self._document["blind"])

    @property
    def network(self) -> Network:
        """The network."""
        network = self._found.network
        if network is None:
            raise InterpretError("only trajectories are known, not the network that made them")
        return Network._of(network)

    @cached_property
    def methods(self) -> dict[str, Memories]:
        """The memories by every method that ran."""
        return {memories.method: Memories(memories) for memories in self._found.memories}

    @property
    def memories(self) -> Memories | None:
        """The variable memories by the method asked for; None where there are none."""
        return next(iter(self.methods.values()), None)

    def _needed_memories(self) -> Memories:
        memories = self.memories
        if memories is None:
            raise InterpretError(f"there are no memories: the verdict is {self.verdict} ({'; '.join(self.reasons)})")
        return memories

    @property
    def phi(self) -> FloatArray:
        """The learned circuit, core x core; rows receive, columns send. `task.phi` is what theory predicts."""
        return self._needed_memories().phi

    @cached_property
    def spectrum(self) -> Spectra:
        """Eigenvalues against the theory's, by place."""
        return Spectra(self._document["spectrum"])

    @property
    def plot(self) -> Plot:
        """Its figures: spectrum, memories, phi, weights, hidden."""
        return Plot(self)

    def decode(self, hidden: Any, *, first: int = 0, states: int = 1, batch_first: bool = False) -> FloatArray:
        """Contents of hidden states: (time, batch, H) -> (time, batch, s, d). See `Memories.decode`."""
        return self._needed_memories().decode(hidden, first=first, states=states, batch_first=batch_first)

    @property
    def recording(self) -> dict[str, Any] | None:
        """What recordings say beside it; None for a network that was run.

        `worst_reading` and `explained` are cross-validated, with 95 % intervals; `null` compares with shuffled episodes (p,
        standard deviations); `noise` is what limits the reading of one state; `ablation` is what is left of the outputs
        when one memory is projected out.
        """
        recording: dict[str, Any] | None = self._document.get("recording")
        return recording

    def edit(
        self,
        to: str | os.PathLike[str] | Task | None = None,
        *,
        set: str | None = None,
        negate: int | None = None,
        keep: tuple[int, float] | None = None,
        seed: int | None = None,
        least: bool = False,
        mode: str | None = None,
        settings: Settings | None = None,
    ) -> Edited:
        """The network made to compute something else, without a gradient step. Exactly one of:

        to: another task; set: one output copies another past component, e.g. "u1 = -u3[t-2]"; negate: one output changes
        its sign; keep: one variable (1 is the oldest) is kept with another strength, e.g. (3, 0.5)

        least: add only what the new circuit does otherwise to the weights, the same as mode="least"

        mode: the one way to edit ("least", "same-code", "gated", "fixed-gates", "transplant"); without it they are tried from
        the least change on. `changed.share` of the result says how much of the weights changed.

        settings: any setting of edits by its name, such as `{"edit.good": 0.99}`; `ketbra.settings("edit")` lists them
        """
        network, task = self._found.network, self._found.task
        if network is None:
            raise InterpretError("only trajectories are known, and only a network can be edited; pass it to interpret")
        if task is None:
            raise InterpretError("I can't tell what the network computes now; pass the task it was trained on with task=")
        if least and mode not in (None, "least"):
            raise EditError(f"least and mode={mode!r} given, but least is a mode; give one of them")
        return edit(network, task, to, set, negate, keep, seed, "least" if least else mode, settings)

    def to_dict(self) -> dict[str, Any]:
        """The document that `ketbra interpret --json` prints."""
        document: dict[str, Any] = json.loads(self._found.json())
        return document

    def to_json(self) -> str:
        """The same as text, in the same order."""
        return self._found.json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all of it, the network too, as one file (safetensors), or nothing. `Interpretation.load` reads it."""
        self._found.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Interpretation:
        """Reads what `save` wrote. Nothing in the file is executed."""
        return cls(_ketbra.Interpretation.load(os.fspath(path)))

    def __reduce__(self) -> tuple[Any, tuple[bytes, list[Tried]]]:
        return _from_bytes, (self._found.to_bytes(), self.s_tried)

    def page(self) -> str:
        """The interactive page: one HTML document that needs nothing else. Of recordings it shows a few episodes."""
        return self._found.page("network" if self._found.network is not None else "recordings")

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, all of it or nothing."""
        _ketbra.write_whole(os.fspath(path), self.page())

    def __repr__(self) -> str:
        task = self._document["task"]
        name = "blind" if self.blind and task["name"] else task["name"] or "function unknown"
        accuracy = "" if self.accuracy is None else f", accuracy {self.accuracy:.4f}"
        worst = "" if self.memories is None else f", worst component {self.memories.worst:.4f}"
        hidden = self._document["hidden"]
        return f"<ketbra.Interpretation {self.verdict}: {name}, s={task['s']} d={task['d']} H={hidden}{accuracy}{worst}>"

    def _repr_html_(self) -> str:
        page = html.escape(self.page(), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="{PAGE_HEIGHT}" style="border:0" title="ketbra"></iframe>'


def _from_bytes(content: bytes, s_tried: list[Tried]) -> Interpretation:
    """What a pickle holds."""
    return Interpretation(_ketbra.Interpretation.from_bytes(content), s_tried)


@overload
def interpret(
    network: list[Any] | tuple[Any, ...],
    *,
    task: str | os.PathLike[str] | Task | None = ...,
    blind: bool = ...,
    s: int | None = ...,
    d: int | None = ...,
    method: str | None = ...,
    methods: str | Sequence[str] | None = ...,
    matching: str | None = ...,
    state: Any = ...,
    seed: int | None = ...,
    horizon: int | None = ...,
    readings: bool = ...,
    settings: Settings | None = ...,
    threads: int | None = ...,
    activation: str | None = ...,
    recurrent: Any = ...,
    readout: Any = ...,
    encode: Callable[[Any], Any] | None = ...,
    step: Callable[[Any, Any], Any] | None = ...,
    batch_first: bool | None = ...,
    delay: int = ...,
    cue: bool = ...,
    progress: bool | None = ...,
    errors: Literal["return"],
) -> list[Interpretation | Exception]: ...
@overload
def interpret(
    network: list[Any] | tuple[Any, ...],
    *,
    task: str | os.PathLike[str] | Task | None = ...,
    blind: bool = ...,
    s: int | None = ...,
    d: int | None = ...,
    method: str | None = ...,
    methods: str | Sequence[str] | None = ...,
    matching: str | None = ...,
    state: Any = ...,
    seed: int | None = ...,
    horizon: int | None = ...,
    readings: bool = ...,
    settings: Settings | None = ...,
    threads: int | None = ...,
    activation: str | None = ...,
    recurrent: Any = ...,
    readout: Any = ...,
    encode: Callable[[Any], Any] | None = ...,
    step: Callable[[Any, Any], Any] | None = ...,
    batch_first: bool | None = ...,
    delay: int = ...,
    cue: bool = ...,
    progress: bool | None = ...,
    errors: Literal["raise"] = ...,
) -> list[Interpretation]: ...
@overload
def interpret(
    network: Any,
    *,
    task: str | os.PathLike[str] | Task | None = ...,
    blind: bool = ...,
    s: int | None = ...,
    d: int | None = ...,
    method: str | None = ...,
    methods: str | Sequence[str] | None = ...,
    matching: str | None = ...,
    state: Any = ...,
    seed: int | None = ...,
    horizon: int | None = ...,
    readings: bool = ...,
    settings: Settings | None = ...,
    threads: int | None = ...,
    activation: str | None = ...,
    recurrent: Any = ...,
    readout: Any = ...,
    encode: Callable[[Any], Any] | None = ...,
    step: Callable[[Any, Any], Any] | None = ...,
    batch_first: bool | None = ...,
    delay: int = ...,
    cue: bool = ...,
    progress: bool | None = ...,
    errors: Literal["raise"] = ...,
) -> Interpretation: ...
def interpret(
    network: Any,
    *,
    task: str | os.PathLike[str] | Task | None = None,
    blind: bool = False,
    s: int | None = None,
    d: int | None = None,
    method: str | None = None,
    methods: str | Sequence[str] | None = None,
    matching: str | None = None,
    state: Any = None,
    seed: int | None = None,
    horizon: int | None = None,
    readings: bool = False,
    settings: Settings | None = None,
    threads: int | None = None,
    activation: str | None = None,
    recurrent: Any = None,
    readout: Any = None,
    encode: Callable[[Any], Any] | None = None,
    step: Callable[[Any, Any], Any] | None = None,
    batch_first: bool | None = None,
    delay: int = 0,
    cue: bool = False,
    progress: bool | None = None,
    errors: Literal["raise", "return"] = "raise",
) -> Interpretation | list[Interpretation] | list[Interpretation | Exception]:
    """Reads the circuit of a trained network, or of each network of a list, side by side.

    A torch.nn.Module is run, in the mode it is in, and compared with its weights. Where it does what they do, they are
    read; otherwise what it did is read (its states where the recurrent layer puts them out), and the first warning says
    what differs. docs/do/pytorch.md has examples.

    Parameters
    ----------
    network: a `ketbra.Network` or whatever `ketbra.Network(...)` takes: a path, a torch.nn.Module, a state_dict, arrays;
        or a list of these
    task: what it was trained on, where its file does not say: a name, an id, a .toml file or a `ketbra.Task`
    blind: use no task; the function is read back from the network alone
    s: input steps, for `blind` and for tasks that come in any size [with `blind`, where the source does not say: 1 to 12 are
        tried, see `s_tried`]; d: components
    method: how memories are found: code, orbit, dual, dual-orbit, power, power-reference, rollout [code]
    methods: methods to compare: "all", names separated by commas, or a list of names
    matching: how eigenvalues are paired with the theory's: optimal or greedy [optimal]
    state: which part of the state is looked at first: "units", the h of every layer, or "whole", also an LSTM's cells (as
        tanh c) and the modes of a state-space layer; `whole_state` tells what is found there ["units"]. For a module also a
        layer whose output is the state, or a function from what the module returns (with `step`: from its state) to states
    seed: seed of the inputs that drive the network [1]
    horizon: output steps after which a trial ends: nothing is run or said beyond [200 are run]
    readings: read the inputs from the states of every step, also where the network is a circuit: `over_time`
    settings: any setting by its name, such as `{"code.read": 0.95}`; `ketbra.settings()` lists them
    threads: networks of a list that are interpreted at the same time [one for each core]
    activation: of Elman layers, where the source does not say: tanh, relu, identity or softplus
    recurrent, readout: which layers of a module, where that is not clear. `readout` is also a key of what the module
        returns, or a function from states to outputs
    encode: what the module is given, from signs (time, batch, d) that are 0 after s steps; a tuple is several arguments
    step: step(state, input) -> state, beginning with None, for a module whose forward cannot be called; needs `readout`
    batch_first: whether the module takes (batch, time, inputs) [what its layers say and do]
    delay: steps of zero input between the inputs and the output phase; -1 for a module that predicts its next input, and so
        says its first output at the last input step
    cue: whether the module has one more input, after all others, that is 1 in the output phase
    progress: whether to show a bar [where somebody can see it, after two seconds]
    errors: "return" puts the exception in the place of a network of a list that cannot be interpreted, and loses none of
        the others ["raise"]
    """
    many = isinstance(network, (list, tuple))
    if errors not in ("raise", "return") or (errors == "return" and not many):
        raise InterpretError(f"errors={errors!r}: choose 'raise', or 'return' with a list of networks")
    for name, value in (("cue", cue), ("batch_first", bool(batch_first) if batch_first is None else batch_first)):
        if not isinstance(value, bool):
            raise InterpretError(f"{name} is {value!r}, but must be True or False")
    early = -1 if delay == -1 else whole(delay, "delay", InterpretError) or 0
    driving = Driving(recurrent, readout, state, encode, step, batch_first, early, cue)
    by_name = settings if isinstance(settings, Mapping) else {}
    asked = Asked(
        task=task,
        blind=blind,
        s=whole(s, "s", InterpretError),
        d=whole(d, "d", InterpretError),
        method=method,
        methods=methods,
        matching=matching,
        # A module is driven by these too.
        seed=whole(by_name.get("observe.seed", seed), "seed", InterpretError),
        horizon=whole(by_name.get("observe.ends_after", horizon), "horizon", InterpretError, 1),
        readings=readings,
        settings=settings,
        threads=whole(threads, "threads", InterpretError, 1),
        activation=activation,
        driving=driving,
    )
    bar = Bar("networks", progress)
    try:
        results = asked.of(list(network) if many else [network], counting_bar(bar), stop=errors == "raise")
    finally:
        bar.finish()
    if errors == "return":
        return [result if isinstance(result, Exception) else Interpretation(*result) for result in results]
    found = [_or_raise(result, place if many else None) for place, result in enumerate(results)]
    return found if many else found[0]


def _or_raise(result: Answer | Exception, place: int | None) -> Interpretation:
    if isinstance(result, Exception):
        if place is not None and isinstance(result, Error):
            raise type(result)(f"network {place} of the list: {result}") from None
        raise result
    return Interpretation(*result)
