"""Packages that are imported only when used."""

import subprocess
import sys

import numpy as np
import pytest
from support import T3

import ketbra

OPTIONAL = ["torch", "pandas", "matplotlib", "IPython"]


def test_importing_and_interpreting_imports_none_of_them() -> None:
    script = f"""
import sys, ketbra
repr(ketbra.interpret({str(T3)!r}))
print([name for name in {OPTIONAL!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_package_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ketbra.interpret(T3)
    for name in ["torch", "pandas", "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    for package, call in [("torch", found.network.to_torch), ("pandas", found.spectrum.to_pandas), ("matplotlib", found.plot.phi)]:
        with pytest.raises(ketbra.MissingPackageError, match=f"needs {package}.*pip install {package}") as missing:
            call()
        assert isinstance(missing.value, ImportError) and isinstance(missing.value, ketbra.Error)
    assert found.decode(np.zeros((1, 1, 128))).shape == (1, 1, 8, 8)


def test_every_family_of_errors_is_under_one_class() -> None:
    families = [name for name in ketbra.__all__ if name.endswith("Error") and name != "Error"]
    assert len(families) >= 9
    assert all(issubclass(getattr(ketbra, name), ketbra.Error) for name in families)
    assert ketbra.TaskError.__module__ == "ketbra"
