"""Linear algebra on one thread while a system of cables is solved."""

import pytest

from lissom.rods import blas


def test_one_thread_within_and_as_many_as_before_after_even_if_it_fails() -> None:
    before = blas.threads()
    if before is None:
        pytest.skip("not the OpenBLAS of numpy's wheels")
    with blas.one_thread():
        assert blas.threads() == 1
        with pytest.raises(ValueError, match="within"), blas.one_thread():
            raise ValueError("within")
        assert blas.threads() == 1
    assert blas.threads() == before
