"""How well the judge's estimate of the error meets the true one, on random lone cables.

`python -m benchmarks.error_estimate [--cables 300] [--list]`. The true error is the distance to the same scene on a
grid four times as fine, at the points of the coarse one.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from tests.rods.judge.answers import answer_of
from tests.rods.judge.random_cables import FINER, GRIDS, scene_of, solved, true_error
from tests.rods.random_scenes import hose

from lissom.rods.judge import error

LEAST_ERROR = 1e-9  # of the length: below, rounding and the reference's own error count
OTHER_SHAPE = 0.05  # of the length: farther apart, they are two equilibria
WITHIN = 3.0
TIMED = (17, 65, 101, 401)


@dataclass(frozen=True, slots=True)
class Case:
    """One cable on one grid: errors in parts of the length."""

    seed: int
    points: int
    kind: str  # rod, extensible, rope
    scheme: str
    true: float
    estimated: float

    @property
    def ratio(self) -> float:
        return self.estimated / self.true


def case(seed: int) -> Case | None:
    """None where there is no error to compare: not converged, two shapes, or too small."""
    rng = np.random.default_rng([seed, 8])
    points = int(rng.choice(GRIDS))
    coarse, fine = solved(scene_of(seed, points)), solved(scene_of(seed, FINER * (points - 1) + 1))
    if coarse is None or fine is None:
        return None
    line = coarse._line
    true = true_error(coarse, fine) / line.length
    if not LEAST_ERROR < true < OTHER_SHAPE:
        return None
    kind = "rope" if line.is_rope else "extensible" if line.is_extensible else "rod"
    estimated = error.estimate(line, answer_of(coarse)) / line.length
    return Case(seed, points, kind, coarse.report.element, true, estimated)


# ---- the table -----------------------------------------------------------------------------------------------------


def cases(wanted: int) -> Iterator[Case]:
    found, seed = 0, 0
    while found < wanted:
        one = case(seed)
        seed += 1
        if one is not None:
            found += 1
            yield one


def summary(name: str, chosen: list[Case]) -> str:
    ratio = np.array([k.ratio for k in chosen])
    bad = ~((ratio > 1.0 / WITHIN) & (ratio < WITHIN))
    low, middle, high = np.nanpercentile(ratio, [5, 50, 95])
    return (
        f"{name:28s} {len(chosen):6d} {100.0 * (1.0 - bad.mean()):8.1f} % {middle:8.3f} {low:8.3f} {high:8.3f} "
        f"{int(np.isnan(ratio).sum()):5d}"
    )


def cost(points: int, repeats: int = 300) -> tuple[float, float]:
    """Medians, µs: the whole call, and the compiled part of it."""
    result = solved(hose(3, points))
    assert result is not None
    answer, line = answer_of(result), result._line
    whole, inner = [], []
    stated = error.prepared(line, answer, error.NO_PUSHES, None)
    for _ in range(repeats):
        began = time.perf_counter()
        error.estimate(line, answer)
        middle = time.perf_counter()
        error.judged(stated)
        whole.append(middle - began)
        inner.append(time.perf_counter() - middle)
    return 1e6 * float(np.median(whole)), 1e6 * float(np.median(inner))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cables", type=int, default=300)
    parser.add_argument("--list", action="store_true", help="every cable that is off")
    options = parser.parse_args()
    found = list(cases(options.cables))
    print(f"{'cables':28s} {'number':>6s} {'within 3':>10s} {'median':>8s} {'5 %':>8s} {'95 %':>8s} {'nan':>5s}")
    for kind, scheme in sorted({(k.kind, k.scheme) for k in found}):
        print(summary(f"{kind}, {scheme}", [k for k in found if (k.kind, k.scheme) == (kind, scheme)]))
    print(summary("all", found))
    if options.list:
        for k in found:
            if not 1.0 / WITHIN < k.ratio < WITHIN:
                print(k)
    for points in TIMED:
        print(f"{points:4d} points: {cost(points)[0]:6.0f} µs, compiled part {cost(points)[1]:6.0f} µs")


if __name__ == "__main__":
    main()
