"""The decorators, and the way past numba's look-up of types."""

import os

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError

from lissom import kernels

compiled_only = pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")


def twice(x: np.ndarray) -> float:
    return float(2.0 * x[0])


@compiled_only
def test_a_kernel_seen_with_one_set_of_types_is_called_directly() -> None:
    function = numba.njit(twice)
    x = np.array([3.0])
    assert kernels.unchecked(function) is function  # not compiled yet
    assert function(x) == 6.0
    direct = kernels.unchecked(function)
    assert direct is not function
    assert direct(x) == 6.0
    function(np.array([3]))
    assert kernels.unchecked(function) is function  # two sets: numba has to look


def test_what_is_not_compiled_stays_as_it_is() -> None:
    assert kernels.unchecked(twice) is twice


@compiled_only
def test_a_lean_kernel_may_not_make_arrays() -> None:
    @kernels.lean_kernel
    def wrong(n: int) -> float:
        return float(np.zeros(n)[0])

    with pytest.raises(TypingError, match="returning of array"):
        wrong(3)
