"""What comes in: anything that NumPy can read, checked before the library sees it."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._errors import Error

FloatArray: TypeAlias = NDArray[np.float64]
ComplexArray: TypeAlias = NDArray[np.complex128]
BoolArray: TypeAlias = NDArray[np.bool_]


def floats(value: Any, name: str, axes: Sequence[str] | None, error: type[Error], *, finite: bool = True) -> FloatArray:
    """`value` as numbers in double precision, without a copy where it already is.

    `axes` names the axes that it must have; a tensor of PyTorch or JAX is taken as well, wherever it lives. NaN stands for what is
    not defined where numbers need not be `finite`.
    """
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        # NumPy knows no bfloat16.
        value = (value.double() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    array = np.asarray(value)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8 and array.dtype.kind != "f":
        raise error(f"{name} has dtype {array.dtype}; pass real numbers, such as float64 or float32")
    if axes is not None and array.ndim != len(axes):
        wanted = ", ".join(axes)
        raise error(f"{name} has shape {array.shape}; pass {len(axes)} axes: ({wanted})")
    array = array.astype(np.float64, copy=False)
    if finite and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise error(f"{name} holds {array[where]} at {list(where)}; pass finite numbers")
    # The library reads from memory: an array in the other byte order or off its boundaries is copied.
    return np.require(array, requirements="A") if array.dtype.isnative else array.astype("=f8")


def time_first(
    value: Any, name: str, features: int | None, batch_first: bool, error: type[Error], *, finite: bool = True
) -> FloatArray:
    """`value` as (time, batch, feature)."""
    axes = ("batch", "time", "feature") if batch_first else ("time", "batch", "feature")
    array = floats(value, name, axes, error, finite=finite)
    if batch_first:
        array = array.swapaxes(0, 1)
    if features is not None and array.shape[2] != features:
        at = [axis for axis, size in enumerate(array.shape[:2]) if size == features]
        hint = f"; move axis {at[0]} to the end" if at else ""
        raise error(f"{name} has {array.shape[2]} features, but {features} are needed on the last axis{hint}")
    if 0 in array.shape:
        raise error(f"{name} is empty: its shape is {array.shape}")
    return array


def laid_out(array: FloatArray, batch_first: bool) -> FloatArray:
    """An array (time, batch, ...) in the layout of the caller."""
    return array.swapaxes(0, 1) if batch_first else array


def whole(value: Any, name: str, error: type[Error], least: int = 0) -> int | None:
    """A whole number from `least`; None stays None."""
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise error(f"{name} is {value!r}, but must be a whole number from {least}")
    return int(value)


def number(value: Any, name: str, error: type[Error]) -> float | None:
    """A number; None stays None."""
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise error(f"{name} is {value!r}, but must be a number")
    return float(value)
