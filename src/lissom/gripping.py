"""A cable of a scene in the hand: both backends of the haptic loop, the path of the gripper, and the loop itself."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lissom.assembling import is_solid, make_solid
from lissom.exchange.tracks import Recorded, read_track
from lissom.haptic.backends import Backend, ForceBackend
from lissom.haptic.beside import Answer, Beside, Solved
from lissom.haptic.cable import ForceCable, Grip
from lissom.haptic.coupling import CouplingNumbers
from lissom.haptic.devices import Device, HandNumbers, PathDevice, SimulatedHand
from lissom.haptic.loop import HapticLoop
from lissom.haptic.parameters import Parameters, automatic
from lissom.haptic.planes import FEATURES, Obstacle, Surroundings, Touch
from lissom.haptic.program import Program, Robot
from lissom.haptic.recording import Recording
from lissom.rods.bodies import matrix
from lissom.rods.line import FRAME, Line
from lissom.rods.reading import read_line
from lissom.scene import Haptic, Problem, Scene, SceneError, SectionProperties
from lissom.scene.errors import ABSENT
from lissom.scene.frames import carried, frame_quaternion
from lissom.scene.placing import part_poses
from lissom.scene.pose import Pose
from lissom.simulation import Simulation

Array = NDArray[np.float64]

POINTS: Final = 20
SAME_STIFFNESS: Final = 1e-6
"""Of each other: the force model has no frame, and bends alike in all directions."""


def haptic_of(scene: Scene) -> Haptic:
    """What the scene says of it; SceneError where it says nothing."""
    if scene.haptic is None:
        message = 'is missing: say which support is the gripper, as [haptic] with grip = "wire/start"'
        raise SceneError([Problem("haptic", ABSENT, message)])
    return scene.haptic


# ---- the force model ---------------------------------------------------------------------------------------


def force_backend(scene: Scene, haptic: Haptic | None = None, *, parameters: Parameters | None = None) -> ForceBackend:
    """The cable as KH05 have it, at rest where the scene holds it; numbers from its section, unless given."""
    said = haptic or haptic_of(scene)
    line = read_line(scene, scene.cable(said.cable))
    points = said.points or POINTS
    given = parameters or parameters_of(scene, line, said, points)
    grips, moved = grips_of(line, said)
    hinges, weight = shares(line, given, np.array(scene.gravity))
    cable = ForceCable(given, grips, weight=weight, hinges=hinges, positions=first_shape(line, points))
    section = SectionProperties.of(scene.type_of(said.cable))
    around = Surroundings(obstacles_of(scene, said.cable), section.radius, given.contact_stiffness)
    backend = ForceBackend(cable, moved, around, said.planes_rate)
    backend.settle()
    depth, part = backend.deepest()
    if depth > 0.0:
        message = (
            f"begins {1000.0 * depth:.3g} mm inside {part}: move one of them, say where the cable goes around it "
            "(initial), or let the cable ignore it"
        )
        raise SceneError([Problem(said.cable, ABSENT, message)])
    return backend


def parameters_of(scene: Scene, line: Line, said: Haptic, points: int) -> Parameters:
    """From the sections of the cable; SceneError names what the force model has not."""
    where = f"{line.name}"
    for piece in line.pieces:
        b1, b2, _ = piece.stiffness
        if abs(b1 - b2) > SAME_STIFFNESS * max(b1, b2):
            raise unfit(where, "bends differently about its two axes")
    if line.rest.largest > 0.0:
        raise unfit(where, "has a rest shape")
    if line.loads:
        raise unfit(where, "has loads")
    for support in line.supports:
        if support.slides or support.kind == "swivel" or not all(support.holds):
            raise unfit(f"{where}/{support.name}", f"is held by a {support.kind} that lets it slide or turn")
    for part in scene.parts:
        if part.motion == "free" and part.name not in scene.cable(said.cable).ignore:
            raise unfit(part.name, 'moves by itself (motion = "free")')
    mass = sum(p.mass * (p.end - p.start) for p in line.pieces)
    axial = min((1.0 / p.compliance for p in line.pieces if p.compliance > 0.0), default=math.inf)
    gravity = float(np.linalg.norm(scene.gravity))
    try:
        return automatic(
            line.length, mass, line.bending, points, axial=axial, gravity=gravity, law=said.law, rule=said.rule,
            steps=said.steps,
        )  # fmt: skip
    except ValueError as error:
        raise SceneError([Problem(where, ABSENT, str(error))]) from None


def unfit(where: str, what: str) -> SceneError:
    message = f'{what}, which the force model does not know: set backend = "rod" in [haptic]'
    return SceneError([Problem(where, ABSENT, message)])


def grips_of(line: Line, said: Haptic) -> tuple[list[Grip], int]:
    """All supports as grips, and the number of the one that is led."""
    grips = [
        Grip(k.place, np.array(k.position), np.array(k.tangent), "frame" if k.direction == FRAME else "ball")
        for k in line.supports
    ]
    return grips, next(i for i, k in enumerate(line.supports) if k.name == said.support)


def shares(line: Line, given: Parameters, gravity: Array) -> tuple[Array, Array]:
    """(n,) hinges and (n, 3) weight of the points: what lies within half a segment of each."""
    n, h = given.points, given.segment
    edges = np.clip(np.linspace(-0.5 * h, line.length + 0.5 * h, n + 1), 0.0, line.length)
    hinges, mass = np.zeros(n), np.zeros(n)
    for i in range(n):
        soft = 0.0
        for piece in line.pieces:
            part = max(0.0, min(edges[i + 1], piece.end) - max(edges[i], piece.start))
            mass[i] += part * piece.mass
            soft += part / max(piece.stiffness[0], 1e-300)
        if 0 < i < n - 1 and soft > 0.0 and not line.is_rope:
            hinges[i] = given.bend_force if given.law == "paper" else 1.0 / soft
    return hinges, mass[:, None] * gravity


def first_shape(line: Line, points: int) -> Array | None:
    """What `initial` says, evenly spaced; None: straight."""
    if line.initial is None:
        return None
    places = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line.initial, axis=0), axis=1))])
    s = np.linspace(0.0, places[-1], points)
    return np.stack([np.interp(s, places, line.initial[:, k]) for k in range(3)], axis=1)


def obstacles_of(scene: Scene, cable: str) -> list[Obstacle]:
    """Parts that the cable can touch, where they stand."""
    said = scene.cable(cable)
    if not said.collide:
        return []
    poses = part_poses(scene)
    found: list[Obstacle] = []
    for part in filter(is_solid, scene.parts):
        if part.name not in said.ignore:
            position, quaternion = poses[part.name]
            solid, _ = make_solid(scene, part)
            found.append(Obstacle(part.name, solid, matrix(np.array(quaternion)), np.array(position)))
    return found


# ---- the rod -----------------------------------------------------------------------------------------------


class Rod:
    """The exact cable among its parts, solved warm: a model for the loop."""

    def __init__(self, scene: Scene, haptic: Haptic | None = None) -> None:
        said = haptic or haptic_of(scene)
        changes = {} if said.points is None else {f"{said.cable}/points": said.points}
        self.simulation = Simulation(scene.with_values(changes) if changes else scene)
        self._path, self._cable, self._support = said.grip, said.cable, said.support
        report = self.simulation.solve()
        if not report.ok:
            raise SceneError([Problem(said.cable, ABSENT, f"has no shape to begin with: {report.reason}")])
        held = next(k for k in self.simulation.supports(said.cable) if k.name == said.support)
        self._holds_frame = held.direction == FRAME
        self._solids = {k.name: k for k in obstacles_of(scene, said.cable)}
        self._last = self._read()

    @property
    def places(self) -> Array:
        return self.simulation.cable(self._cable).s

    def solve(self, pose: Pose) -> Answer:
        position, quaternion = pose
        self.simulation.move(self._path, position=position, quaternion=quaternion if self._holds_frame else None)
        report = self.simulation.solve()
        if not report.ok:
            reason = f"{report.status}: {report.reason}; the last force is held"
            return self._last._replace(status="held", reason=reason)
        self._last = self._read()
        return self._last

    def prepare(self) -> None:
        """Touches something: kernels of contact take a second to load, and the first touch is not the time for it."""
        if self._solids:
            press()

    def _read(self) -> Answer:
        cable = self.simulation.cable(self._cable)
        reaction = cable.reactions[self._support]  # what the gripper exerts: it feels the opposite
        found = [
            Touch(k.part, self._feature(k.part, k.point), k.place, k.point, k.force)
            for k in self.simulation.contacts
            if k.cable == self._cable and k.other_place is None and k.body is None
        ]
        touches = sorted(found, key=lambda k: k.place)
        return Answer("good", "", -reaction.force, -reaction.moment, cable.positions, touches)

    def _feature(self, part: str, point: Array) -> str:
        """Face, edge or vertex of the part at a point of its surface."""
        obstacle = self._solids.get(part)
        if obstacle is None:
            return FEATURES[0]
        return obstacle.feature_at(point)


PRESSED: Final = """
[[cables]]
name = "wire"
length = 0.3
points = 9
stiffness = { bending = 1e-3, torsion = 1e-3 }
mass_per_length = 0.06
radius = 0.002
start = { position = [0, 0, 0.4], tangent = [1, 0, 0], roll = 0 }
[[parts]]
name = "floor"
shape = { kind = "box", size = [1, 1, 0.1] }
position = [0, 0, -0.05]
"""


def press() -> int:
    """A small cable is laid onto a floor; the number of its contacts there."""
    simulation = Simulation(Scene.from_toml(PRESSED))
    for height in (0.4, 0.02, 0.019):
        simulation.move("wire/start", position=(0.0, 0.0, height))
        simulation.solve()
    return len(simulation.contacts)


# ---- the path and the loop ---------------------------------------------------------------------------------


def path_of(scene: Scene, haptic: Haptic | None = None) -> Recorded:
    """Where the gripper goes: waypoints or a recorded track; SceneError where there is neither."""
    said = haptic or haptic_of(scene)
    if said.track is not None:
        return read_track(scene.folder / said.track)
    if not said.waypoints:
        message = (
            "is missing: say where the gripper goes, as waypoints = [{ time = 0, position = [0, 0, 0] }, …], or track"
        )
        raise SceneError([Problem("haptic.waypoints", ABSENT, message)])
    start = home_of(scene, said)
    quaternions: list[tuple[float, float, float, float]] = []
    now = start[1]
    for k in said.waypoints:
        if k.quaternion is not None:
            now = k.quaternion
        elif k.tangent is not None:
            turned = carried(now, k.tangent) if k.roll is None else frame_quaternion(k.tangent, k.roll)
            now = turned or frame_quaternion(k.tangent, 0.0)
        quaternions.append(now)
    q = np.array(quaternions)
    q /= np.linalg.norm(q, axis=1)[:, None]
    flips = np.cumprod(np.where(np.einsum("ij,ij->i", q[1:], q[:-1]) < 0.0, -1.0, 1.0))
    q[1:] *= flips[:, None]
    return Recorded(np.array([k.time for k in said.waypoints]), np.array([k.position for k in said.waypoints]), q)


def home_of(scene: Scene, haptic: Haptic | None = None) -> Pose:
    """Where the scene has the gripper."""
    said = haptic or haptic_of(scene)
    line = read_line(scene, scene.cable(said.cable))
    held = next(k for k in line.supports if k.name == said.support)
    return held.position, held.quaternion


def backend_of(scene: Scene, haptic: Haptic | None = None, *, wait: bool = False) -> Backend:
    """The one that the scene asks for. With `wait` every tick waits for its solve: for what is not in real time."""
    said = haptic or haptic_of(scene)
    if said.backend == "force":
        return force_backend(scene, said)
    return (Solved if wait else Beside)(Rod(scene, said), home_of(scene, said))


def haptic_loop(
    scene: Scene,
    *,
    device: Device | None = None,
    coupling: CouplingNumbers | None = None,
    hand: HandNumbers | None = None,
    rate: float = 1000.0,
    wait: bool = False,
    traced: bool = False,
) -> HapticLoop:
    """The loop of a scene with a [haptic] part: its backend, and a device of its path unless one is given.

    Without a hand the gripper goes along the path exactly; with one it is led softly.
    """
    said = haptic_of(scene)
    soft = said.hand or hand is not None
    if device is None:
        path = path_of(scene, said)
        device = SimulatedHand(path.at, hand) if soft else PathDevice(path)
        coupling = coupling or CouplingNumbers(kind="virtual" if soft else "direct", guarded=soft)
    backend = backend_of(begun_at(scene, device.read(0.0)), wait=wait)
    return HapticLoop(backend, device, rate=rate, coupling=coupling, traced=traced, title=scene.title)


def begun_at(scene: Scene, pose: Pose) -> Scene:
    """The scene with its gripper there."""
    said = haptic_of(scene)
    position, quaternion = pose
    changes = {f"{said.grip}.position": list(position)}
    held = next(k for k in read_line(scene, scene.cable(said.cable)).supports if k.name == said.support)
    if held.direction == FRAME:
        changes[f"{said.grip}.quaternion"] = list(quaternion)
    return scene.with_values(changes)


def run_program(program: Program, scene: Scene, *, rate: float = 1000.0) -> tuple[Robot, Recording]:
    """A robot runs a program of contact states in a scene, from where the demonstration began: it, and what it saw."""
    robot = Robot(program)
    coupling = CouplingNumbers(kind="direct", guarded=False)
    loop = haptic_loop(scene, device=robot, coupling=coupling, rate=rate, wait=True)
    longest = 2.0 * sum(leg.duration for leg in program.legs) + 10.0
    try:
        loop.run(longest, real_time=False, is_over=lambda: robot.is_over)
    finally:
        loop.backend.close()
    return robot, loop.recording
