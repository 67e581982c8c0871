"""Fixed points as the field draws them: stable black, unstable red with their unstable modes, slow grey."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import FloatArray
from ._optional import need
from ._plot import LOOKS
from ._progress import in_notebook

if TYPE_CHECKING:
    from ._linearize import FixedPoints

STABLE, SLOW, PATH, VISITED = "black", "#8b919c", "#5a78b5", "#c3cad6"
REDS = ("#b40426", "#e0654f", "#f2a58c")
DEPTH = 0.05
"""A third component with a larger share of the variance is drawn in depth."""
MODE = 0.06
"""Half the length of a mode, as a share of the extent of the points."""
MOST_TRAJECTORIES = 40


class Space:
    """The principal components of the states that are shown."""

    def __init__(self, states: FloatArray) -> None:
        self.mean = states.mean(axis=0)
        _, values, rows = np.linalg.svd(states - self.mean, full_matrices=False)
        power = values**2
        self.rows, self.shares = rows, power / max(float(power.sum()), 1e-300)
        self.extent = max(float(np.ptp(self.of(states, 1))), 1e-6)

    def of(self, states: FloatArray, components: int) -> FloatArray:
        """States (..., H) in the first components, zero where there are fewer."""
        rows = self.rows[:components]
        at = (states - self.mean) @ rows.T
        missing = components - len(rows)
        return np.concatenate([at, np.zeros((*at.shape[:-1], missing))], axis=-1) if missing else at

    def label(self, component: int) -> str:
        """The name of an axis."""
        share = self.shares[component] if component < len(self.shares) else 0.0
        return f"PC {component + 1} ({100 * share:.0f} %)"


def plot_points(found: FixedPoints, ax: Any, trajectories: FloatArray | None) -> Any:
    """Draws into `ax`, or into a figure of its own."""
    pyplot = need("matplotlib.pyplot", "a plot")
    behind = [] if trajectories is None else [trajectories.reshape(-1, trajectories.shape[-1])]
    manifold = [] if found.slow_manifold is None else [found.slow_manifold.states]
    states = np.concatenate([found.points, *manifold, *behind])
    with need("matplotlib", "a plot").rc_context(LOOKS):
        space = Space(states) if len(states) else None
        deep = space is not None and len(space.shares) > 2 and bool(space.shares[2] > DEPTH)
        figure = None if ax is None else ax.figure
        if ax is None:
            options = {"projection": "3d"} if deep else {}
            figure, ax = pyplot.subplots(figsize=(5.6, 4.4), layout="constrained", subplot_kw=options)
        if space is None:
            ax.set_title("no fixed or slow points found")
        else:
            _draw(ax, found, space, trajectories)
    if in_notebook():
        pyplot.close(figure)
    return figure


def _draw(ax: Any, found: FixedPoints, space: Space, trajectories: FloatArray | None) -> None:
    axes = 3 if hasattr(ax, "get_zlim") else 2

    def line(states: FloatArray, **look: Any) -> None:
        ax.plot(*space.of(states, axes).T, **look)

    if trajectories is not None:
        runs = trajectories.swapaxes(0, 1)[:MOST_TRAJECTORIES] if trajectories.ndim == 3 else trajectories[:, None]
        style = {"linewidth": 0.4} if trajectories.ndim == 3 else {"marker": ".", "markersize": 2, "linestyle": ""}
        for k, run in enumerate(runs):
            line(run, color=VISITED, zorder=1, label="trajectories" if k == 0 else None, **style)
    drawn = [connection for connection in found.connections if connection.mode is not None]
    limits = np.abs(found.points - space.mean).max(initial=0) * 4 + 1
    for k, connection in enumerate(drawn):
        # A run that grows without bound would hide everything else.
        path = connection.path[(np.abs(connection.path - space.mean) < limits).all(axis=1)]
        line(path, color=PATH, linewidth=0.6, alpha=0.7, zorder=2, label="where modes lead" if k == 0 else None)
    if found.slow_manifold is not None:
        dots = {"marker": ".", "markersize": 3, "linestyle": "", "color": SLOW, "alpha": 0.6, "zorder": 3}
        line(found.slow_manifold.states, label=f"slow: {found.slow_manifold.shape}", **dots)
    _draw_points(line, found, space)
    names = [space.label(component) for component in range(axes)]
    ax.set(xlabel=names[0], ylabel=names[1])
    if axes == 3:
        ax.set_zlabel(names[2])
        ax.view_init(elev=20, azim=-58)
        ax.set_aspect("equal")
    else:
        ax.set_aspect("equal", adjustable="datalim")
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), fontsize=8)


def _draw_points(line: Any, found: FixedPoints, space: Space) -> None:
    fixed = np.array([kind == "fixed" for kind in found.kind], dtype=bool) & ~found.degenerate
    unstable = fixed & (found.unstable_directions > 0)
    most = int(found.unstable_directions.max(initial=0))
    for count, red in enumerate(REDS, start=1):
        last = count == len(REDS)
        chosen = unstable & ((found.unstable_directions >= count) if last else (found.unstable_directions == count))
        if not chosen.any():
            continue
        for k in np.flatnonzero(chosen):
            for mode in found.modes[k]:
                ends = found.points[k] + MODE * space.extent * np.array([[-1.0], [1.0]]) * mode
                line(ends, color=red, linewidth=1.6, zorder=4)
        more = " or more" if last and most > len(REDS) else ""
        label = f"{count}{more} unstable mode{'' if count == 1 else 's'} ({chosen.sum()})"
        line(found.points[chosen], marker="o", markersize=4.5, linestyle="", color=red, zorder=5, label=label)
    rest = ~unstable & ~found.stable
    if rest.any():
        name = None if found.slow_manifold is not None else f"slow ({rest.sum()})"
        line(found.points[rest], marker="o", markersize=3.5, linestyle="", color=SLOW, zorder=5, label=name)
    stable = found.points[found.stable]
    if len(stable):
        look = {"marker": "o", "markersize": 7, "linestyle": "", "color": STABLE, "zorder": 6}
        line(stable, label=f"stable ({len(stable)})", **look)
