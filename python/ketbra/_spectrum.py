"""Eigenvalues against those that theory asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._arrays import ComplexArray
from ._optional import need


class Spectrum:
    """The lasting eigenvalues of a network linearized in one place."""

    __slots__ = ("_found", "place")

    def __init__(self, place: str, found: dict[str, Any]) -> None:
        self.place = place
        """Where: origin, fixed_point, orbit or memories."""
        self._found = found

    @property
    def eigenvalues(self) -> ComplexArray:
        """Eigenvalues above the threshold."""
        return _complex(self._found["eigenvalues"])

    @property
    def theory(self) -> ComplexArray:
        """Eigenvalues that the task's circuit has; empty where no task is known."""
        return _complex(self._found["theory"])

    @property
    def found(self) -> int:
        """How many eigenvalues last."""
        return int(self._found["found"])

    @property
    def expected(self) -> int | None:
        """How many should, where the task is known."""
        expected: int | None = self._found["expected"]
        return expected

    @property
    def error(self) -> float | None:
        """Mean difference of the arguments (radians); None where the counts differ."""
        error: float | None = self._found["error"]
        return error

    @property
    def threshold(self) -> float:
        """Modulus above which an eigenvalue lasts."""
        return float(self._found["threshold"])

    @property
    def directions(self) -> list[dict[str, Any]]:
        """How many eigenvalues were found and expected in each direction (angle) of the theory."""
        directions: list[dict[str, Any]] = self._found["directions"]
        return directions

    def to_pandas(self) -> Any:
        """A row for each eigenvalue, found and of the theory."""
        return _table([self])

    def __repr__(self) -> str:
        expected = "?" if self.expected is None else self.expected
        error = "---" if self.error is None else f"{self.error:.6f} rad"
        return f"<ketbra.Spectrum {self.place}: {self.found} of {expected} above {self.threshold}, error {error}>"


class Spectra:
    """The spectra of a network, by place."""

    __slots__ = ("_places",)

    def __init__(self, found: dict[str, Any]) -> None:
        self._places = {place: Spectrum(place, spectrum) for place, spectrum in found.items() if spectrum is not None}

    @property
    def origin(self) -> Spectrum | None:
        """Of the Jacobian at the zero state; None where only trajectories are known."""
        return self._places.get("origin")

    @property
    def fixed_point(self) -> Spectrum | None:
        """Of the Jacobian at a fixed point, for networks with biases."""
        return self._places.get("fixed_point")

    @property
    def orbit(self) -> Spectrum:
        """Of the best linear map on the visited states."""
        return self._places["orbit"]

    @property
    def memories(self) -> Spectrum | None:
        """Of the best linear map on what is read from the states, where noise or units that hold nothing lead the orbit astray."""
        return self._places.get("memories")

    def __iter__(self) -> Iterator[Spectrum]:
        return iter(self._places.values())

    def __len__(self) -> int:
        return len(self._places)

    def to_pandas(self) -> Any:
        """A row for each eigenvalue of each place, found and of the theory."""
        return _table(list(self))

    def __repr__(self) -> str:
        return "\n".join(repr(spectrum) for spectrum in self)


def _complex(pairs: list[list[float]]) -> ComplexArray:
    numbers = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    return numbers[:, 0] + 1j * numbers[:, 1]


def _table(spectra: list[Spectrum]) -> Any:
    pandas = need("pandas", "to_pandas")
    rows = [
        {"place": spectrum.place, "kind": kind, "real": z.real, "imag": z.imag, "modulus": abs(z), "angle": np.angle(z)}
        for spectrum in spectra
        for kind, values in (("found", spectrum.eigenvalues), ("theory", spectrum.theory))
        for z in values
    ]
    return pandas.DataFrame(rows, columns=["place", "kind", "real", "imag", "modulus", "angle"])
