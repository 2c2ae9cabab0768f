"""Simulations as they were: states to go back to, and the shapes of cables as arrays for a file."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.cables import Cables, begin
from lissom.rods.grid import counted, key_places
from lissom.rods.line import Line
from lissom.rods.outcome import RodReport, RodState
from lissom.rods.past import Past
from lissom.rods.result import CableResult
from lissom.scene import Scene
from lissom.scene.joint import Value
from lissom.scene.pose import Pose
from lissom.standing import Standing, is_grip

if TYPE_CHECKING:
    from lissom.machines.readings import MachineState

Array = NDArray[np.float64]

# Frames that differ by less (rad) are those of one shape.
SAME_FRAME = 0.02
# Clamps that are turned by as much (rad): what frames in files are rounded to.
SAME_TURN = 1e-6
# Of a RodState, where something presses.
BY_CONTACTS = ("carried", "pushed", "kicks")


@dataclass(frozen=True, slots=True)
class SimulationState:
    """Everything needed to go back: pickles, and never changes."""

    scene: Scene
    rods: dict[str, RodState | None]
    lines: dict[str, Line]
    reports: dict[str, RodReport]
    parts: dict[str, Pose]  # where parts and junctions stand in the world
    junctions: dict[str, Pose]
    past: Past | None = None  # forces of contacts, and what friction remembers
    mounted: dict[str, Pose] = field(default_factory=dict)  # where parts were when cables were mounted
    waiting: frozenset[str] = frozenset()  # cables that were solved, and something was changed since
    machine: "MachineState | None" = None  # velocities and ropes, once it was stepped
    certified: dict[str, CableResult] = field(default_factory=dict)  # the last shapes that there were


class Checkpoint(NamedTuple):
    """A state with what is not yet written into its scene: quick to take, for going back within the same scene."""

    state: SimulationState
    moves: dict[str, dict[str, Any]]
    moved: dict[str, Pose]
    settings: dict[str, Value]
    told: frozenset[str]  # parts that were moved since the last solve
    stood: dict[str, Pose]  # where parts were in it


def state_of(standing: Standing, cables: Cables, machine: "MachineState | None") -> SimulationState:
    """Of the scene as it was last written."""
    reports = cables.reports
    return SimulationState(
        standing.scene,
        {name: solver.solved for name, solver in cables.solvers.items()},
        {name: solver.line for name, solver in cables.solvers.items()},
        dict(reports),
        dict(standing.parts),
        dict(standing.junctions),
        cables.past,
        standing.mounted,
        frozenset(cables.dirty & reports.keys()),
        machine,
        dict(cables.certified),
    )


def go_back(standing: Standing, cables: Cables, state: SimulationState) -> None:
    """Things stand and cables lie as they did, without solving."""
    standing.restore(state.scene, state.parts, state.junctions, state.mounted)
    cables.restore(state.lines, state.rods, state.reports, state.waiting, state.past, state.certified)


def astray(cables: Cables, state: SimulationState) -> set[str] | None:
    """Cables that would not be as they were if everything went back to a state; nothing changes.

    None where that cannot be told of each cable alone: it touches something, slides, or hangs on a free part.
    """
    if cables.islands is not None and (cables.islands.contacts or cables.islands.bodies):
        return None
    found: set[str] = set()
    for name, solver in cables.solvers.items():
        was = state.rods[name]
        back = None if was is None or was.pushed is not None else solver.way_back(was.supports)
        if was is None or back is None or back.q.shape != was.q.shape:
            return None
        turned = np.abs(np.einsum("ij,ij->i", back.q, was.q)).min()
        if turned < math.cos(0.5 * SAME_FRAME):
            found.add(name)
    return found


# ---- shapes as arrays ------------------------------------------------------------------------------------------------


def shape_arrays(scene: Scene, cables: Cables) -> dict[str, Array]:
    """Shapes of the cables, and what touched what; not of those that are gripped, whose shape is not the scene's."""
    arrays: dict[str, Array] = {}
    gripped = {name for name, k in cables.solvers.items() if any(map(is_grip, k.supports))}
    for k, cable in enumerate(scene.cables):
        state = cables.solvers[cable.name].solved
        if state is None or cable.name in gripped:
            continue
        arrays[f"{k}.scheme"] = np.array(state.scheme)
        arrays[f"{k}.q"], arrays[f"{k}.nu"], arrays[f"{k}.s"] = state.q, state.nu, cables.result(cable.name).s
        arrays[f"{k}.frames"], arrays[f"{k}.force"] = cables.shape(cable.name)
        arrays |= {f"{k}.{name}": values for name in BY_CONTACTS if (values := getattr(state, name)) is not None}
        arrays[f"{k}.places"] = np.array([s.place for s in state.supports])
        arrays[f"{k}.turns"] = np.array([s.turn for s in state.supports])
        arrays[f"{k}.lost"] = np.array(cables.lost_turns(cable.name))
    past = cables.past
    if past is not None and not gripped:
        arrays |= {f"past.{key}": values for key, values in past.arrays().items()}
    return arrays


def take_shapes(cables: Cables, arrays: Mapping[str, Array]) -> None:
    """Shapes become those of the cables, or first guesses where they do not fit; notes say so."""
    cables.begin_anew(Past.read({k.partition(".")[2]: a for k, a in arrays.items() if k.startswith("past.")}))
    for k, (name, solver) in enumerate(cables.solvers.items()):
        part = {key.partition(".")[2]: a for key, a in arrays.items() if key.partition(".")[0] == str(k)}
        if not {"scheme", "q", "nu", "s", "frames", "force"} <= part.keys():
            cables.notes.append(f"{name}: no saved state; it will be solved from a first guess")
            continue
        turns = np.array([support.turn for support in solver.line.supports])
        if "turns" in part and (len(part["turns"]) != len(turns) or np.abs(part["turns"] - turns).max() > SAME_TURN):
            cables.notes.append(f"{name}: the saved state is twisted otherwise; it will be solved from a first guess")
            continue
        slides = [i for i, support in enumerate(solver.line.supports) if support.slides]
        if slides and len(part.get("places", ())) == len(solver.line.supports):
            places = {i: float(part["places"][i]) for i in slides}
            solver.set_places(places, counted(part["s"], key_places(solver.line.with_places(places))))
        carried, pushed, kicks = (part.get(name) for name in BY_CONTACTS)
        supports = solver.line.supports
        state = RodState(int(part["scheme"]), part["q"], part["nu"], part["s"], supports, carried, pushed, kicks)
        if solver.adopt(state):
            solver.origin = solver.at_twist_0()._replace(cold=False, lost=float(part.get("lost", 0.0)))
            continue
        cables.notes.append(f"{name}: the saved state no longer fits; it is used as a first guess")
        old_s = part["s"]
        scaled = np.minimum(solver.grid.s * (old_s[-1] / solver.grid.s[-1]), old_s[-1])
        begin(solver, part["frames"], part["force"], old_s, scaled)
