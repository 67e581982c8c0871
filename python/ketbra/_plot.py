"""Figures in the habits of the field. matplotlib is imported only when one is drawn.

Numbers from -1 to 1 run from blue over white to red, found is orange, theory is a black cross: colours that stay apart
for every kind of colour vision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import FloatArray, time_first
from ._errors import InterpretError
from ._optional import need
from ._progress import in_notebook

if TYPE_CHECKING:
    from ._interpret import Interpretation

SIGNED = "coolwarm"
FOUND, OTHERS, THEORY = "#d55e00", "#56b4e9", "black"
PHI_LIMIT = 1.7
LOOKS = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 120,
    "savefig.bbox": "tight",
    "legend.frameon": False,
}

PLACES = {
    "orbit": "on the orbit",
    "origin": "at the origin",
    "fixed_point": "at the fixed point",
    "memories": "between the memories",
}


class Plot:
    """The figures of an interpretation: `found.plot.spectrum()`. Each is a `matplotlib.figure.Figure`.

    Each draws into `ax`, where that is given: axes, or two of them (a sequence, or an empty figure) where it shows two things.
    """

    def __init__(self, found: Interpretation) -> None:
        self._found = found

    def spectrum(self, place: str | None = None, *, ax: Any = None) -> Any:
        """Eigenvalues on the complex plane, found against theory, with their counts in each direction of the theory.

        place: orbit, origin, fixed_point or memories [memories where noise or units that hold nothing lead the orbit astray,
            otherwise orbit]
        """
        spectra = {spectrum.place: spectrum for spectrum in self._found.spectrum}
        place = place or ("memories" if "memories" in spectra else "orbit")
        if place not in spectra:
            raise InterpretError(f"there is no spectrum '{place}'; choose from {', '.join(spectra)}")
        spectrum = spectra[place]
        with _looks():
            figure, ax = _axes(ax, (4.6, 4.8))
            around = np.exp(1j * np.linspace(0, 2 * np.pi, 400))
            ax.plot(around.real, around.imag, "--", color="0.6", linewidth=0.8, zorder=1)
            if place == "origin":
                rest = self._found._found.origin_eigenvalues
                rest = rest[np.abs(rest) <= spectrum.threshold]
                ax.plot(rest.real, rest.imag, ".", color=OTHERS, markersize=3, label=f"others ({len(rest)})", zorder=2)
            values, theory = spectrum.eigenvalues, spectrum.theory
            ax.plot(values.real, values.imag, "o", color=FOUND, markersize=5, label=f"found ({len(values)})", zorder=3)
            if spectrum.expected is not None:
                cross = {"color": THEORY, "markersize": 6, "markeredgewidth": 1.0, "zorder": 4}
                ax.plot(theory.real, theory.imag, "x", label=f"theory ({len(theory)})", **cross)
            for direction in spectrum.directions:
                _count(ax, direction["angle"], direction["found"], direction["expected"])
            reach = 1.42 if spectrum.directions else 1.15
            ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel="real part", ylabel="imaginary part")
            where = PLACES[place]
            error = "counts differ" if spectrum.error is None else f"mean error {spectrum.error:.1e} rad"
            expected = "" if spectrum.expected is None else f" of {spectrum.expected}"
            ax.set_title(f"Eigenvalues {where}: {spectrum.found}{expected}\n{error}, |\u03bb| > {spectrum.threshold}")
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, handletextpad=0.2)
        return _shown(figure)

    def memories(self, *, ax: Any = None) -> Any:
        """The variable memories: what each unit has when one component of one variable is 1 and all else is 0."""
        memories = self._found._needed_memories()
        basis, perp = memories.basis, memories.perp
        scale = max(float(np.abs(basis).max()), 1e-12)
        everything = np.hstack([basis / scale, perp / max(float(np.abs(perp).max(initial=0)), 1e-12)])
        with _looks():
            figure, ax = _axes(ax, (7.2, 4.2))
            image = _heat(ax, everything, 1.0)
            ax.set(xlabel="component of the core", ylabel="unit", title=f"Variable memories (\u03a8), method {memories.method}")
            self._between_variables(ax, columns=True)
            _before_rest(ax, basis.shape[1], everything.shape[1], rows=False)
            figure.colorbar(image, ax=ax, label="activity, largest = 1", shrink=0.8, pad=0.02)
        return _shown(figure)

    def phi(self, *, ax: Any = None) -> Any:
        """The learned circuit beside the one that theory predicts."""
        task, learned = self._found.task, self._found.phi
        if task is None:
            raise InterpretError("no task is known, so there is no circuit to compare with")
        with _looks():
            figure, (left, right) = _pair(ax, (8.6, 4.2))
            error = self._found._needed_memories().phi_error
            distance = "" if error is None else f", distance {error:.4f}"
            for side, matrix, title in ((left, learned, f"learned{distance}"), (right, task.phi, f"theory, {task.name}")):
                image = _heat(side, matrix, PHI_LIMIT)
                side.set(title=f"\u03a6 {title}", xlabel="from", aspect="equal")
                self._between_variables(side, columns=True)
                self._between_variables(side, columns=False)
            left.set_ylabel("to")
            figure.colorbar(image, ax=[left, right], label="weight", shrink=0.8, pad=0.02)
        return _shown(figure)

    def weights(self, *, ax: Any = None) -> Any:
        """The recurrent weights between units, and between variable memories: noise turns into a circuit."""
        noise, memories = self._found.network.recurrent_weights, self._found._needed_memories()
        blocks, core = memories.blocks, memories.basis.shape[1]
        with _looks():
            figure, (left, right) = _pair(ax, (8.6, 4.2))
            _heat(left, noise, float(np.abs(noise).max()))
            left.set(title="between units", xlabel="from unit", ylabel="to unit", aspect="equal")
            image = _heat(right, blocks, PHI_LIMIT)
            right.set(title="between variable memories", xlabel="from", ylabel="to", aspect="equal")
            self._between_variables(right, columns=True)
            self._between_variables(right, columns=False)
            _before_rest(right, core, blocks.shape[0], rows=False)
            _before_rest(right, core, blocks.shape[0], rows=True)
            figure.colorbar(image, ax=[left, right], label="weight (left: largest = full colour)", shrink=0.8, pad=0.02)
        return _shown(figure)

    def hidden(self, inputs: Any = None, *, horizon: int | None = None, seed: int = 0, ax: Any = None) -> Any:
        """One episode twice: the hidden state, and the contents of the variables that it holds.

        inputs: (s, 1, d) or (s, d) [random signs from `seed`]; horizon: output steps [4 s]
        """
        network, task = self._found.network, self._found.task
        if task is None:
            raise InterpretError("no task is known, so there are no variables to show")
        steps = 4 * task.s if horizon is None else horizon
        if inputs is None:
            inputs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(task.s, 1, task.d))
        given: Any = np.asarray(inputs)
        given = given[:, None, :] if given.ndim == 2 else given
        states = network.run(time_first(given, "inputs", task.d, False, InterpretError)[:, :1], steps)
        contents = self._found.decode(states[task.s :])[:, 0].reshape(steps, -1)
        with _looks():
            figure, (above, below) = _pair(ax, (7.6, 5.4), rows=2)
            _heat(above, states[:, 0].T, 1.0)
            above.axvline(task.s - 0.5, color="black", linewidth=1)
            above.set(ylabel="unit", title="hidden state: units")
            padded = np.vstack([np.full((task.s, contents.shape[1]), np.nan), contents])
            limit = max(float(np.abs(contents).max(initial=0)), 1e-12)
            image = _heat(below, padded.T / limit, 1.0)
            below.axvline(task.s - 0.5, color="black", linewidth=1)
            for variable in range(1, task.s):
                below.axhline(variable * task.d - 0.5, color="white", linewidth=1.2)
            below.set_yticks([(k + 0.5) * task.d - 0.5 for k in range(task.s)], [str(k + 1) for k in range(task.s)])
            below.set(ylabel="variable (1 is the oldest)", xlabel="time step; inputs end at the line")
            below.set_title("the same state: contents of the variables")
            figure.colorbar(image, ax=[above, below], label="activity; contents, largest = 1", shrink=0.8, pad=0.02)
        return _shown(figure)

    def _between_variables(self, ax: Any, *, columns: bool) -> None:
        """White lines between variables, their numbers on top or at the right."""
        task = self._found.task
        components = None if task is None else task.components
        if components is None:
            return
        variables = [variable for variable, _ in components]
        starts = [k for k, variable in enumerate(variables) if k == 0 or variables[k - 1] != variable]
        line = ax.axvline if columns else ax.axhline
        for start in starts[1:]:
            line(start - 0.5, color="white", linewidth=1.2)
        ends = [*starts[1:], len(variables)]
        middles = [(start + end - 1) / 2 for start, end in zip(starts, ends, strict=True)]
        names = [str(variables[start]) for start in starts]
        beside = ax.secondary_xaxis("top") if columns else ax.secondary_yaxis("right")
        (beside.set_xticks if columns else beside.set_yticks)(middles, names, fontsize=7)
        beside.tick_params(length=0)
        (beside.set_xlabel if columns else beside.set_ylabel)("variable", fontsize=8)
        beside.spines[:].set_visible(False)

    def __repr__(self) -> str:
        return "<ketbra.Plot: spectrum, memories, phi, weights, hidden>"


def _looks() -> Any:
    return need("matplotlib", "a plot").rc_context(LOOKS)


def _axes(ax: Any, size: tuple[float, float]) -> tuple[Any, Any]:
    if ax is None:
        figure, made = need("matplotlib.pyplot", "a plot").subplots(figsize=size, layout="constrained")
        return figure, made
    if not hasattr(ax, "imshow"):
        raise InterpretError(f"ax is {type(ax).__name__}, but this figure is drawn into one Axes of matplotlib")
    return ax.figure, ax


def _pair(ax: Any, size: tuple[float, float], rows: int = 1) -> tuple[Any, Any]:
    """Two axes, side by side or, in two rows, with time in common."""
    if ax is None:
        ax = need("matplotlib.pyplot", "a plot").figure(figsize=size, layout="constrained")
    if hasattr(ax, "subplots"):
        return ax, ax.subplots(rows, 2 // rows, sharex=rows == 2)
    pair = [] if hasattr(ax, "imshow") else list(np.ravel(ax))
    if len(pair) != 2 or not all(hasattr(one, "imshow") for one in pair):
        raise InterpretError(f"ax is {type(ax).__name__}, but this figure needs two Axes of matplotlib, or a figure")
    return pair[0].figure, pair


def _shown(figure: Any) -> Any:
    if in_notebook():
        # The notebook shows what is returned; an open figure would be shown once more at the end of the cell.
        need("matplotlib.pyplot", "a plot").close(figure)
    return figure


def _heat(ax: Any, values: FloatArray, limit: float) -> Any:
    ax.spines[:].set_visible(False)
    return ax.imshow(values, cmap=SIGNED, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest")


def _before_rest(ax: Any, core: int, size: int, *, rows: bool) -> None:
    """A black line before what the memories leave out."""
    if size > core:
        (ax.axhline if rows else ax.axvline)(core - 0.5, color="black", linewidth=1.2)


def _count(ax: Any, angle: float, found: int, expected: int) -> None:
    """Eigenvalues found in a direction, and expected where that differs."""
    text = str(found) if found == expected else f"{found}/{expected}"
    box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "0.5" if found == expected else FOUND}
    ax.text(
        1.24 * np.cos(angle), 1.24 * np.sin(angle), text,
        ha="center", va="center", fontsize=6, bbox={**box, "linewidth": 0.6}, zorder=5,
    )
