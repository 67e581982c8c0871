"""Figures show the numbers they claim to show."""

from typing import Any

import numpy as np
import pytest
from support import NOT_LEARNED, T3

import ketbra

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def found() -> ketbra.Interpretation:
    return ketbra.interpret(T3)


def images(figure: Any) -> list[Any]:
    return [np.asarray(ax.images[0].get_array()) for ax in figure.axes if ax.images]


def test_the_spectrum_shows_found_against_theory_on_the_unit_circle(found: ketbra.Interpretation) -> None:
    figure = found.plot.spectrum()
    circle, values, theory = figure.axes[0].lines
    np.testing.assert_allclose(np.hypot(*circle.get_data()), 1)
    np.testing.assert_allclose(values.get_xdata(), found.spectrum.orbit.eigenvalues.real)
    np.testing.assert_allclose(theory.get_ydata(), found.spectrum.orbit.theory.imag)
    counts = [int(text.get_text()) for text in figure.axes[0].texts]
    assert sum(counts) == 36
    assert "36 of 36" in figure.axes[0].get_title("left")
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["found (36)", "theory (36)"]
    with pytest.raises(ketbra.InterpretError, match="there is no spectrum 'nowhere'; choose from origin, orbit"):
        found.plot.spectrum("nowhere")


def test_the_origin_shows_every_eigenvalue_of_the_weights(found: ketbra.Interpretation) -> None:
    axes = found.plot.spectrum("origin").axes[0]
    assert sum(len(line.get_xdata()) for line in axes.lines[1:3]) == 128


def test_a_figure_can_be_drawn_into_axes_of_the_caller(found: ketbra.Interpretation) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2)
    assert found.plot.spectrum(ax=axes[1]) is figure and not axes[0].lines
    assert found.plot.memories(ax=axes[0]) is figure and axes[0].images
    for draw in (found.plot.phi, found.plot.weights, found.plot.hidden):
        figure, axes = plt.subplots(1, 2)
        assert draw(ax=axes) is figure and all(ax.images for ax in axes)
        half = plt.figure().subfigures(1, 2, squeeze=False)[0, 1]
        assert draw(ax=half) is half and sum(len(ax.images) for ax in half.axes) >= 2
        with pytest.raises(ketbra.InterpretError, match="needs two Axes of matplotlib, or a figure"):
            draw(ax=axes[0])
    with pytest.raises(ketbra.InterpretError, match="drawn into one Axes"):
        found.plot.memories(ax=axes)
    plt.close("all")


def test_weights_are_shown_as_noise_and_as_circuit(found: ketbra.Interpretation) -> None:
    assert found.memories is not None
    noise, circuit = images(found.plot.weights())
    assert np.array_equal(noise, found.network.recurrent_weights)
    assert np.array_equal(circuit, found.memories.blocks)
    learned, theory = images(found.plot.phi())
    assert np.array_equal(learned, found.phi) and np.array_equal(theory, ketbra.Task("T3").phi)
    (memories,) = images(found.plot.memories())
    assert memories.shape == (128, 36 + found.memories.perp.shape[1]) and np.abs(memories).max() == 1


def test_one_episode_is_shown_in_both_bases(found: ketbra.Interpretation) -> None:
    inputs = np.random.default_rng(3).choice([-1.0, 1.0], size=(8, 8))
    units, contents = images(found.plot.hidden(inputs, horizon=20))
    hidden = found.network.run(inputs[:, None], 20)
    assert np.array_equal(units, hidden[:, 0].T)
    decoded = found.decode(hidden[8:])[:, 0].reshape(20, 64).T
    np.testing.assert_allclose(contents[:, 8:] * np.abs(decoded).max(), decoded)
    assert np.isnan(contents[:, :8].astype(float)).all() or np.ma.getmaskarray(contents[:, :8]).all()


def test_axes_are_labelled(found: ketbra.Interpretation) -> None:
    for draw in (found.plot.spectrum, found.plot.memories, found.plot.phi, found.plot.weights, found.plot.hidden):
        for ax in draw().axes:
            assert ax.get_xlabel() or ax.get_ylabel(), draw


def test_what_has_no_memories_has_no_figure_of_them() -> None:
    found = ketbra.interpret(NOT_LEARNED)
    with pytest.raises(ketbra.InterpretError, match="there are no memories"):
        found.plot.memories()
    assert "counts differ" in found.plot.spectrum("origin").axes[0].get_title("left")
