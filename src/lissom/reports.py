"""How a solve of a scene went."""

import os
import traceback
from typing import NamedTuple

from lissom.rods.outcome import RodReport


class SolveError(RuntimeError):
    """A solve that did not end in a certified equilibrium; raised only when asked for."""


class Report(NamedTuple):
    """How a solve went. Physics never raises: look at `ok`, `status` and `reason`."""

    status: str  # the worst of the cables: error, infeasible, not_converged, under_resolved, unstable, converged
    reason: str
    iterations: int
    seconds: float
    cables: dict[str, RodReport]

    @property
    def ok(self) -> bool:
        return self.status == "converged"

    def raise_if_failed(self) -> "Report":
        if not self.ok:
            raise SolveError(f"{self.status}: {self.reason}")
        return self


RAISE = "LISSOM_RAISE"  # set in the environment, errors inside are raised where they happen


def error_reason(broken: Exception) -> str:
    """What to say of an error inside, which users cannot mend; raises it where tests run, or `RAISE` is set."""
    if "PYTEST_CURRENT_TEST" in os.environ or os.environ.get(RAISE):
        raise broken
    last = traceback.extract_tb(broken.__traceback__)[-1]
    where = f"{os.path.basename(last.filename)}:{last.lineno}"
    return (
        f"an error inside lissom ({type(broken).__name__}: {broken}; {where}); everything is as it was before. Please "
        f"report it with the scene, and with what is printed if {RAISE}=1 is set in the environment"
    )
