"""How a solve of a scene went."""

from typing import NamedTuple

from lissom.rods.outcome import RodReport


class SolveError(RuntimeError):
    """A solve that did not end in a certified equilibrium; raised only when asked for."""


class Report(NamedTuple):
    """How a solve went. Physics never raises: look at `ok`, `status` and `reason`."""

    status: str  # the worst of the cables: infeasible, not_converged, unstable, converged
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
