"""Many variants of one scene at once: `lissom.solve_many`."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.posing import as_quaternion, vector
from lissom.reports import error_reason
from lissom.rods import newton
from lissom.rods.chain import POLISHED, Chain, workspace
from lissom.rods.judge.answer import Answer
from lissom.rods.judge.asked import Poses
from lissom.rods.judge.cable import NO_PUSHES, Judged
from lissom.rods.judge.certificate import Certificate
from lissom.rods.line import FRAME, NO_DIRECTION, Line
from lissom.rods.result import CableResult, Resultants
from lissom.rods.solver import RodSolver
from lissom.rods.sweep import read_out, sweep
from lissom.scene import Scene
from lissom.simulation import Simulation

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class BatchResult:
    """n variants. Where a variant did not converge its positions and reactions are nan and `status` says why."""

    status: NDArray[np.str_]  # (n,) the worst of its cables, as in `Report.status`
    reason: tuple[str, ...]  # (n,) why it is not converged; "" where it is
    positions: dict[str, Array]  # by cable: (n, points, 3) m
    reactions: dict[str, Array]  # by support path ("brake hose/end"): (n, 6) force N and moment N m, world axes

    @property
    def ok(self) -> NDArray[np.bool_]:
        """(n,) whether it converged to a stable equilibrium."""
        return np.asarray(self.status == "converged")


def solve_many(
    scene: Scene,
    changes: Mapping[str, Any],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> BatchResult:
    """Solves n variants of a scene on all cores.

    `changes` maps a path to n values: {"brake hose/end.position": (n, 3) array}. Positions and quaternions of supports
    start from the scene's own equilibrium and move there in steps, like a drag; with any other field, and among parts
    or on junctions, each variant is solved anew. `progress(done, n)` is called as variants finish.
    """
    values = {path: np.asarray(v) for path, v in changes.items()}
    sizes = {len(v) for v in values.values()}
    if len(sizes) != 1:
        raise ValueError(f"every path needs the same number of values; got {sorted(sizes)}")
    count = sizes.pop()
    workers = workers or os.cpu_count() or 1
    base = Simulation(scene)
    moves = all(path.endswith((".position", ".quaternion")) for path in values)
    alone = not scene.parts and not scene.junctions and all(k.model == "rod" for k in scene.cables)
    if count and moves and alone and base.solve().ok:
        return _moved(base, values, count, workers, progress)
    return _edited(scene, values, count, workers, progress)


# ---- any field: a scene of its own for each variant ----------------------------------------------------------------


def _edited(scene: Scene, values: dict[str, Array], count: int, workers: int, progress: Progress | None) -> BatchResult:
    def one(n: int) -> tuple[str, str, dict[str, CableResult]]:
        variant = scene
        for path, v in values.items():
            variant = variant.with_value(path, v[n].tolist())
        simulation = Simulation(variant)
        report = simulation.solve()
        found = {name: simulation.cable(name) for name, r in report.cables.items() if r.ok}
        return report.status, "" if report.ok else report.reason, found

    status: list[str] = []
    reason: list[str] = []
    positions: dict[str, Array] = {}
    reactions: dict[str, Array] = {}
    with ThreadPoolExecutor(workers) as pool:
        for n, (state, why, found) in enumerate(pool.map(one, range(count))):
            status.append(state)
            reason.append(why)
            for name, result in found.items():
                _store(positions, reactions, n, count, name, result)
            if progress is not None:
                progress(n + 1, count)
    return BatchResult(np.array(status, dtype=str), tuple(reason), positions, reactions)


def _store(
    positions: dict[str, Array],
    reactions: dict[str, Array],
    n: int,
    count: int,
    name: str,
    result: CableResult,
) -> None:
    x = positions.setdefault(name, np.full((count, *result.positions.shape), np.nan))
    if x.shape[1:] != result.positions.shape:
        raise ValueError(
            f"{name}: variants have {x.shape[1]} and {len(result.positions)} points; "
            "say how many with points = … in the scene"
        )
    x[n] = result.positions
    for support, wrench in result.reactions.items():
        row = reactions.setdefault(f"{name}/{support}", np.full((count, 6), np.nan))
        row[n, :3], row[n, 3:] = wrench.force, wrench.moment


# ---- supports elsewhere: compiled, in threads ----------------------------------------------------------------------


def _moved(
    base: Simulation, values: dict[str, Array], count: int, workers: int, progress: Progress | None
) -> BatchResult:
    status, reason = np.full(count, "converged", dtype="<U16"), [""] * count
    positions: dict[str, Array] = {}
    reactions: dict[str, Array] = {}
    total = count * len(base.cables)
    done = 0
    for name in base.cables:
        moved = _Moved(base, name, values, count)
        blocks = np.array_split(np.arange(count), max(1, min(count // 32, 8 * workers)))
        with ThreadPoolExecutor(workers) as pool:
            for block in pool.map(moved.run, blocks):
                done += len(block)
                if progress is not None:
                    progress(done, total)
        positions[name] = moved.positions
        for k, support in enumerate(moved.solver.line.supports):
            reactions[f"{name}/{support.name}"] = moved.reactions[:, k]
        failed = (moved.status != "converged") & (status == "converged")
        status[failed] = moved.status[failed]
        for n in np.flatnonzero(failed):
            reason[n] = f"{name}: {moved.reason[n]}"
    return BatchResult(status, tuple(reason), positions, reactions)


class _Moved:
    """Equilibria of one cable with its supports elsewhere, each from the cable's present one."""

    def __init__(self, base: Simulation, name: str, values: dict[str, Array], count: int) -> None:
        solver = self.solver = base._cables.solver(name)
        self.state = solver.state()
        supports = solver.line.supports
        self.where = np.array([[k.position for k in supports]]).repeat(count, axis=0)
        self.frames = np.array([[k.quaternion for k in supports]]).repeat(count, axis=0)
        for path, v in values.items():
            of_cable, _, rest = path.partition("/")
            if of_cable != name:
                base._cables.solver(of_cable)  # raises where there is no such cable
                continue
            part, _, field = rest.rpartition(".")
            k = base._cables.support_number(name, part)
            if field == "position":
                self.where[:, k] = [vector(row) for row in v]
            else:
                self.frames[:, k] = [as_quaternion(row) for row in v]
        self.held = [k for k, s in enumerate(supports) if s.direction == FRAME]
        self.places = np.array([k.place for k in supports])
        self.status, self.reason = np.full(count, "converged", dtype="<U16"), [""] * count
        self.positions = np.full((count, len(solver.grid.s), 3), np.nan)
        self.reactions = np.full((count, len(supports), 6), np.nan)
        self.compiled = (
            self.state.scheme == POLISHED
            and not any(k.slides or k.direction not in (NO_DIRECTION, FRAME) for k in supports)
            and not any(load.turns and any(load.moment) for load in solver.line.loads)
        )

    def run(self, block: Indices) -> Indices:
        """Solves the variants of one block; what the kernel cannot do goes through the whole chain of methods."""
        try:
            left = self._sweep(block) if self.compiled else block
        except Exception as broken:
            self._fail(block, broken)
            return block
        for n in left:
            try:
                self._one(int(n))
            except Exception as broken:
                self._fail(np.array([n]), broken)
        return block

    def _fail(self, variants: Indices, broken: Exception) -> None:
        """After an error inside."""
        self.status[variants] = "error"
        for n in variants:
            self.reason[n] = error_reason(broken)

    def _sweep(self, block: Indices) -> Indices:
        """The compiled way; returns the variants it could not certify."""
        solver, state = self.solver, self.state
        chain = solver.polished._replace(target=solver.polished.target.copy())
        targets = np.stack(
            [self.where[block, b, axis] - self.where[block, a, axis] for axis, a, b in solver.runs], axis=1
        ) if solver.runs else np.zeros((len(block), 0))  # fmt: skip
        sites = np.array([solver.grid.support_at[k] for k in self.held], dtype=np.int64)
        statuses, indices = np.empty(len(block), np.int64), np.empty(len(block), np.int64)
        q, nu = np.empty((len(block), *state.q.shape)), np.empty((len(block), len(state.nu)))
        sweep(
            chain, workspace(chain), solver.scales(POLISHED), state.q, state.nu, chain.target.copy(), sites,
            np.ascontiguousarray(state.q[sites]), targets, np.ascontiguousarray(self.frames[block][:, self.held]),
            statuses, indices, q, nu,
        )  # fmt: skip
        x, wrenches = np.empty((len(block), len(q[0]), 3)), np.empty((len(block), len(self.where[0]), 6))
        read_out(chain, q, nu, np.array(solver.grid.support_at), x, wrenches)
        for axis in range(3):
            k = next(k for k, s in enumerate(solver.line.supports) if s.holds[axis])
            at = solver.grid.support_at[k]
            x[:, :, axis] += (self.where[block, k, axis] - x[:, at, axis])[:, None]
        wrenches -= _loads_at_supports(solver.line, solver)
        good = (statuses == newton.CONVERGED) & (indices <= 0)
        for array in (q, x, wrenches):
            array.setflags(write=False)
        judged = Judged()
        for row in np.flatnonzero(good):
            good[row] = self._is_right(judged, int(block[row]), chain, q[row], nu[row], x[row], wrenches[row])
        self.positions[block[good]], self.reactions[block[good]] = x[good], wrenches[good]
        return np.asarray(block[~good])

    def _is_right(self, judged: Judged, n: int, chain: Chain, q: Array, nu: Array, x: Array, wrenches: Array) -> bool:
        """Whether the judge passes one variant."""
        solver = self.solver
        found = Resultants.of(chain, solver.point_of, q, nu, solver.grid)
        answer = Answer(solver.grid.s, x, *found)
        rows = judged.rows(solver.line, Poses(self.where[n], self.frames[n]), answer, wrenches, self.places, NO_PUSHES)
        return bool(rows[:-1, 3].max() <= 1.0)

    def _one(self, n: int) -> None:
        solver = RodSolver(self.solver.line, self.state)
        for k in range(len(self.where[0])):
            turn = None if solver.line.supports[k].direction == NO_DIRECTION else tuple(self.frames[n, k])
            solver.move_support(k, tuple(self.where[n, k]), turn)
        report = solver.solve()
        result = CableResult(solver, report) if report.ok else None
        if result is not None:
            places = np.array([k.place for k in result.state.supports])
            looked = Judged().look(solver.line, solver.supports, result.answer, result.wrenches, places, NO_PUSHES)
            found = Certificate(looked)
            report = replace(report, status=found.status, reason=str(found.failed or ""))
        self.status[n], self.reason[n] = report.status, report.reason
        if result is not None and report.ok:
            self.positions[n] = result.positions
            for k, support in enumerate(solver.line.supports):
                wrench = result.reactions[support.name]
                self.reactions[n, k] = np.concatenate([wrench.force, wrench.moment])


def _loads_at_supports(line: Line, solver: RodSolver) -> Array:
    """(supports, 6) dead loads that act right where a support is."""
    acting = np.zeros((len(line.supports), 6))
    for k, at in enumerate(solver.grid.support_at):
        for load, place in zip(line.loads, solver.grid.load_at, strict=True):
            if place == at:
                acting[k] += (*load.force, *load.moment)
    return acting
