"""From a scene to the assembly that is solved: parts become solids, junctions and free parts become bodies."""

from collections import deque

import numpy as np

from lissom.exchange.meshfiles import MeshData, part_mesh
from lissom.exchange.shapes import shape_mesh
from lissom.geometry import solids
from lissom.geometry.solids import Solid
from lissom.jointed import Around
from lissom.kinematic import cable as kinematic
from lissom.rods.assembly import Assembly
from lissom.rods.bodies import Body, Carried, Seat
from lissom.rods.harness import support_name
from lissom.rods.islands import connected
from lissom.rods.line import FRAME
from lissom.rods.meeting import Meetings
from lissom.rods.obstacle import Obstacle
from lissom.rods.result import rotations
from lissom.rods.solver import RodSolver
from lissom.rods.stopping import Sweep
from lissom.rods.surroundings import Skin, Surroundings
from lissom.scene import Scene
from lissom.scene.part import Part
from lissom.scene.placing import Poses, member_poses
from lissom.scene.pose import relative
from lissom.scene.sections import SectionProperties
from lissom.scene.shape import BoxShape, CapsuleShape, CylinderShape, PlaneShape, ProfileShape, SphereShape

_recent: deque[tuple[MeshData, Solid]] = deque(maxlen=2)
"""The solids that were made last, each with its mesh."""


def rods_of(scene: Scene) -> list[str]:
    """Names of the cables that are rods; kinematic ones find their way by themselves."""
    return [cable.name for cable in scene.cables if cable.model == "rod"]


def is_assembly(scene: Scene) -> bool:
    """Whether cables may meet anything: else each is solved alone."""
    if scene.cables and not rods_of(scene):
        return False
    if scene.junctions or any(floats(scene, part) or is_solid(part) for part in scene.parts):
        return True
    return sum(meets_itself(scene, name) for name in rods_of(scene)) > 1


def meets_itself(scene: Scene, name: str) -> bool:
    """Whether a cable touches cables: itself at least."""
    return scene.cable(name).collide and radius(scene, name) > 0.0


def radius(scene: Scene, name: str) -> float:
    return SectionProperties.of(scene.type_of(name)).radius


def floats(scene: Scene, part: Part) -> bool:
    """Whether cables decide where a part is; in a machine they follow it."""
    return part.motion == "free" and not scene.is_machine


def is_solid(part: Part) -> bool:
    return part.collide and (part.mesh is not None or part.shape is not None)


def make_solid(scene: Scene, part: Part) -> tuple[Solid, tuple[str, ...]]:
    """Something to touch, and what had to be said about its mesh."""
    shape = part.shape
    if isinstance(shape, PlaneShape):
        return solids.plane_solid(), ()
    if isinstance(shape, SphereShape):
        return solids.sphere_solid(shape.outer), ()
    if isinstance(shape, CylinderShape):
        return solids.cylinder_solid(shape.outer, 0.5 * shape.length), ()
    if isinstance(shape, CapsuleShape):
        return solids.capsule_solid(shape.outer, 0.5 * shape.length), ()
    if isinstance(shape, BoxShape | ProfileShape):
        vertices, triangles = shape_mesh(shape)
        return solids.mesh_solid(vertices, triangles, True), ()
    mesh = part_mesh(scene, part)
    warnings = tuple(f"{part.name}: {text}" for text in mesh.warnings)
    for known, made in _recent:
        if known is mesh:
            return made, warnings
    found = solids.mesh_solid(mesh.vertices, mesh.triangles, mesh.closed)
    _recent.append((mesh, found))
    return found, warnings


def bound(scene: Scene) -> list[list[str]]:
    """Names of the cables, those together that hang on the same free thing; where parts are free, all."""
    names = rods_of(scene)
    if any(floats(scene, part) for part in scene.parts):
        return [names]
    ties = [[member.cable for member in k.members] for k in scene.junctions if k.motion == "free"]
    return connected(names, [(tied[0], other) for tied in ties for other in tied[1:]])


def make_assembly(
    scene: Scene, solvers: dict[str, RodSolver], made: dict[str, Solid], parts: Poses, junctions: Poses
) -> Assembly:
    """Of these cables: free junctions are on all or on none of them, and where there are free parts they are all.

    `made` are the solids of the parts that have one, `parts` and `junctions` where they stand.
    """
    obstacles = [obstacle(part, made[part.name], parts) for part in scene.parts if part.name in made]
    number = {k.name: i for i, k in enumerate(obstacles)}
    bodies = [free_part(scene, part, solvers, parts, number) for part in scene.parts if floats(scene, part)]
    joints = free_junctions(scene, solvers, junctions)
    afloat = [{s.support for body in joints + bodies for s in body.seats if s.link == k} for k in range(len(solvers))]
    skins = [skin(scene, name, k, frozenset(loose)) for (name, k), loose in zip(solvers.items(), afloat, strict=True)]
    free = {k for body in bodies for k in body.parts}
    meetings = Meetings(obstacles, [pair for pair in may_meet(scene, obstacles) if free & set(pair)])
    surroundings = Surroundings(obstacles, skins, meetings)
    for body in bodies:
        for carried in body.carries:
            pairs = [pair for pair in meetings.pairs if carried.part in pair]
            if pairs:
                body.size = max(body.size, meetings.size(carried.part) + float(np.linalg.norm(carried.offset)))
                body.reach = min([body.reach, *(meetings.cutoff(pair, surroundings.margin) for pair in pairs)])
    return Assembly(solvers, surroundings, joints + bodies)


def may_meet(scene: Scene, obstacles: list[Obstacle]) -> list[tuple[int, int]]:
    """Pairs of parts that may touch: those that do not move as one, and do not ignore each other."""
    roots = {part.name: root(scene, part) for part in scene.parts}
    ignored = {(part.name, name) for part in scene.parts for name in part.ignore}
    found: list[tuple[int, int]] = []
    for b, second in enumerate(obstacles):
        for a, first in enumerate(obstacles[:b]):
            names = (first.name, second.name)
            if roots[first.name] != roots[second.name] and names not in ignored and names[::-1] not in ignored:
                found.append((a, b))
    return found


def make_sweep(scene: Scene, obstacles: list[Obstacle]) -> Sweep:
    """What parts moved by hand may run into: everything that does not move with them and is not free itself."""
    families = {
        part.name: {k for k, obstacle in enumerate(obstacles) if part.name in line_of(scene, obstacle.name)}
        for part in scene.parts
        if part.motion == "held"
    }
    firm = {k for k, obstacle in enumerate(obstacles) if scene.part(line_of(scene, obstacle.name)[-1]).motion != "free"}
    return Sweep(obstacles, families, [pair for pair in may_meet(scene, obstacles) if firm >= set(pair)])


def line_of(scene: Scene, name: str) -> list[str]:
    """A part, its parent, and so on up."""
    found = [name]
    while (parent := scene.part(found[-1]).parent) is not None:
        found.append(parent)
    return found


def root(scene: Scene, part: Part) -> str:
    """The part at the top of the parents."""
    return line_of(scene, part.name)[-1]


def obstacle(part: Part, solid: Solid, poses: Poses) -> Obstacle:
    position, quaternion = poses[part.name]
    size = (
        float(np.linalg.norm(solid.vertices, axis=1).max()) if len(solid.vertices) else float(np.abs(solid.size).max())
    )
    return Obstacle(part.name, solid, part.friction, np.array(position), np.array(quaternion), size)


def around(scene: Scene, name: str, solver: RodSolver, made: dict[str, Solid], parts: Poses) -> Around:
    """What a kinematic cable may touch: parts where they stand, and itself."""
    cable = scene.cable(name)
    named = cable.held
    names = [k for k in made if k not in cable.ignore] if cable.collide else []
    obstacles: list[kinematic.Obstacle] = []
    turns = rotations(np.array([parts[part][1] for part in names]).reshape(-1, 4))
    for part, turn in zip(names, turns, strict=True):
        position, _ = parts[part]
        seats = [k.place for k in solver.supports if (on := named.get(k.name)) is not None and on.on == part]
        obstacles.append(kinematic.Obstacle(made[part], turn, np.array(position), tuple(seats)))
    return Around(tuple(names), tuple(obstacles), radius(scene, name), cable.collide)


def skin(scene: Scene, name: str, solver: RodSolver, afloat: frozenset[int] = frozenset()) -> Skin:
    cable = scene.cable(name)
    named = cable.held
    seats: list[tuple[str, int]] = []
    for number, support in enumerate(solver.supports):
        held = named.get(support.name)
        if held is not None and held.on is not None:
            seats.append((held.on, number))
    found = Skin(
        name,
        radius(scene, name),
        solver.grid.s,
        cable.collide,
        frozenset(cable.ignore),
        (),
        np.zeros(0, dtype=np.int64),
        cable.friction,
        tuple(seats),
        afloat,
    )
    found.follow(solver)
    return found


def free_junctions(scene: Scene, solvers: dict[str, RodSolver], poses: Poses) -> list[Body]:
    order = list(solvers)
    bodies: list[Body] = []
    for junction in scene.junctions:
        if junction.motion != "free" or junction.members[0].cable not in solvers:
            continue
        position, quaternion = poses[junction.name]
        seats: list[Seat] = []
        for member, (offset, turn) in zip(junction.members, member_poses(junction), strict=True):
            solver = solvers[member.cable]
            name = support_name(member, junction, scene.cable(member.cable))
            at = next(k for k, s in enumerate(solver.supports) if s.name == name)
            held = np.array(turn) if solver.supports[at].direction == FRAME else None
            seats.append(Seat(order.index(member.cable), at, np.array(offset), held))
        weight = (junction.mass or 0.0) * np.array(scene.gravity)
        bodies.append(Body(junction.name, np.array(position), np.array(quaternion), weight, seats=tuple(seats)))
    return bodies


def free_part(scene: Scene, part: Part, solvers: dict[str, RodSolver], poses: Poses, number: dict[str, int]) -> Body:
    pose = poses[part.name]
    family = [k.name for k in scene.parts if root(scene, k) == part.name]
    seats: list[Seat] = []
    for i, (name, solver) in enumerate(solvers.items()):
        cable = scene.cable(name)
        named = cable.held
        for k, support in enumerate(solver.supports):
            held = named.get(support.name)
            if held is None or held.on not in family:
                continue
            offset, turn = relative(pose, (support.position, support.quaternion))
            seats.append(Seat(i, k, np.array(offset), np.array(turn) if support.direction == FRAME else None))
    centre = np.array(part.center_of_mass or (0.0, 0.0, 0.0))
    weight = (part.mass or 0.0) * np.array(scene.gravity)
    carries = [
        Carried(number[name], *(np.array(v) for v in relative(pose, poses[name]))) for name in family if name in number
    ]
    return Body(part.name, np.array(pose[0]), np.array(pose[1]), weight, centre, tuple(seats), tuple(carries))
