"""A machine in time: the bodies, joints and ropes of one scene, stepped."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from lissom.exchange.courses import Course
from lissom.kernels import unchecked
from lissom.machines import joints as joint_kinds
from lissom.machines.bodies import angular_velocity
from lissom.machines.contacts import ROWS_OF_CONTACT
from lissom.machines.events import whole_length
from lissom.machines.joints import MOTOR, RUB, SLOTS
from lissom.machines.network import make_network
from lissom.machines.placed import matrix_of
from lissom.machines.reading import read_machine, set_motor, wound_by
from lissom.machines.readings import KEPT, Broke, JointReading, MachineState, MotorReading, RopeReading
from lissom.machines.ropes import HYBRID, ROLLING, next_active, reel, see_links
from lissom.machines.rows import NO_BOUND
from lissom.machines.stepping import EASING, MISSING, advance
from lissom.scene import Scene
from lissom.scene.frames import Quaternion, conjugate, matrix_quaternion, product
from lissom.scene.joint import Value
from lissom.scene.placing import part_poses
from lissom.scene.pose import Pose, composed

Array = NDArray[np.float64]

FULL = 400
"""Rows for which the envelope has room as a full matrix at least."""

STEADY = 0.25
"""Of 1 / (h² K): a stiffer hand on a body of the mobility K would overshoot within a substep h."""


FASTEST = 1e6
"""m/s, rad/s, that a body can be given: squares of what is far beyond are not finite."""

FARTHEST = 1e9
"""m, to where a body can be pulled."""

MOST_DRIVE = 1e12
"""rad/s, m/s, N m, N, of a motor."""

LONGEST = 0.1
"""s, of a substep: wheels that turn by more than half a turn in one lose count of their rope."""


@dataclass(frozen=True)
class Hand:
    """What pulls a body from outside."""

    body: int
    point: Array  # (3,) where, in the body's axes, m
    to: Array  # (3,) to where, in the world, m
    stiffness: float  # N/m
    damping: float | None  # N s/m


class Machine:
    """Bodies and ropes of a scene that move in time [docs/theory/machines.md].

    `substeps` of each step are solved `iterations` times, all rows together; `solver = "gauss-seidel"` makes that many
    sweeps row by row instead, as MCJM18 do. A `motion` of the scene leads its driven parts; absent: the only one there
    is, if there is one.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        substeps: int = 10,
        iterations: int = 1,
        solver: str = "direct",
        motion: str | None = None,
    ) -> None:
        if solver not in ("direct", "gauss-seidel"):
            raise ValueError(f"solver {solver!r}: must be direct or gauss-seidel")
        for name, count in (("substeps", substeps), ("iterations", iterations)):
            if count < 1:
                raise ValueError(f"{name} = {count}: must be 1 or more")
        self.scene = scene
        self.substeps, self.iterations, self.solver = int(substeps), int(iterations), solver
        self.time = 0.0
        self._rested = 0.0  # s of it in which motions stood still
        self._h = 0.0
        self._hands: dict[str, Hand] = {}  # by the part that is pulled
        self._felt: dict[str, Array] = {}  # (3,) what each pulls with, N
        self._places: dict[str, tuple[int, Pose]] = {}  # body of a part, and its pose in it
        if motion is None and len(scene.motions) == 1:
            motion = scene.motions[0].name
        self.motion = motion
        self._course = None if motion is None else Course.of(scene, scene.motion(motion))
        self._goals: dict[str, Pose] = {}  # where driven parts will be after the next step
        self._read = read_machine(scene, self._led(0.0))
        self._parts = self._read.parts
        rows = len(self._parts.rows.a)
        full = min(rows, FULL)
        self._room = max(full * (full + 1) // 2, 64 * (rows - ROWS_OF_CONTACT * len(self._parts.contacts.stamp)))
        self._net = make_network(rows, len(self._read.mass), self._room)
        if solver == "gauss-seidel" and self._slippery:
            raise ValueError("solver = 'gauss-seidel': has no rows for pinholes and smooth or rough wheels; use direct")

    @property
    def _slippery(self) -> bool:
        links = self._parts.links
        return bool(np.any((links.kind == 2) | (links.friction >= 0.0)))

    def step(self, dt: float, substeps: int | None = None) -> None:
        """Advances by `dt` seconds, in so many substeps (absent: those of the machine)."""
        if not ((type(dt) is float or isinstance(dt, Real)) and dt > 0.0 and math.isfinite(dt)):
            raise ValueError(f"dt = {dt!r}: must be a time above 0, in s")
        count = self.substeps if substeps is None else substeps
        if not (type(count) is int or isinstance(count, Integral)) or count < 1:
            raise ValueError(f"substeps = {count!r}: must be a whole number, 1 or more")
        if dt / count > LONGEST:
            most = math.ceil(dt / LONGEST)
            raise ValueError(f"dt = {dt:g} in {count} substeps: a substep must be at most {LONGEST} s; take {most}")
        if self._course is not None:
            there = self._led(self.time - self._rested + dt)
            self._goals |= {name: there[name] for name in self._read.driven}
        self._head_for_goals(float(dt))
        self._advance(float(dt) / count, int(count))
        self._arrive()
        self.time += dt

    @contextmanager
    def unbreakable(self) -> Iterator[None]:
        """No rope breaks inside."""
        strength = self._parts.ropes.strength
        before = strength.copy()
        strength.fill(NO_BOUND)
        try:
            yield
        finally:
            strength[:] = before

    def relax(self, dt: float) -> None:
        """Advances as `step` does, but what is driven stands, and its motion goes on later from there."""
        self._goals.clear()
        self._head_for_goals(dt)
        self._advance(dt / self.substeps, self.substeps)
        self.time += dt
        self._rested += dt

    def _advance(self, h: float, count: int) -> None:
        self._h = h
        gx, gy, gz = self.scene.gravity
        needed = 0
        self._parts.links.peak.fill(0.0)
        for k in range(count if self._hands else 1):  # hands pull anew in every substep
            if self._hands:
                self._haul()
            room = unchecked(advance)(
                self._parts, self._net, (gx, gy, gz), self.time + k * self._h, self._h, 1 if self._hands else count,
                self.iterations, self.solver == "direct", self._read.size,
            )  # fmt: skip
            needed = max(needed, room)
        if needed > self._room:
            self._room = 2 * needed
            self._net = make_network(len(self._parts.rows.a), len(self._read.mass), self._room)

    @property
    def state(self) -> MachineState:
        """A snapshot to come back to."""
        arrays = {f"{of}.{key}": getattr(getattr(self._parts, of), key).copy() for of in KEPT for key in KEPT[of]}
        return MachineState(
            self.scene, self.time, self._h, self.substeps, self.iterations, self.solver, self.motion, self._rested,
            arrays,
        )  # fmt: skip

    @classmethod
    def from_state(cls, state: MachineState) -> "Machine":
        """Goes on as the machine of the snapshot would have, bit by bit."""
        machine = cls(
            state.scene, substeps=state.substeps, iterations=state.iterations, solver=state.solver, motion=state.motion
        )
        machine.time, machine._h, machine._rested = state.time, state.substep, state.rested
        for key, values in state.arrays.items():
            of, _, name = key.partition(".")
            getattr(getattr(machine._parts, of), name)[...] = values
        see_links(machine._parts.bodies, machine._parts.links)
        reel(machine._parts.ropes, machine._parts.links)
        return machine

    # ---- driven parts -----------------------------------------------------------------------------------------

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the parts that are driven or held, and not carried by another."""
        return tuple(self._read.driven)

    @property
    def led_joints(self) -> dict[str, Value]:
        """Where the motion has the joints that it leads, by name."""
        return {} if self._course is None else dict(self._course.at(self.time - self._rested).settings)

    def carry(self, part: str, pose: Pose) -> None:
        """A driven or held part goes to a pose in the world during the next step, at an even speed. A motion that leads
        it has the last word.
        """
        if part not in self._read.driven:
            self.scene.part(part)  # raises with near matches
            raise ValueError(f'{part}: must have motion = "driven" or "held" to be carried')
        self._goals[part] = pose

    def _led(self, time: float) -> dict[str, Pose]:
        """Where all parts would be at a time if only the motion moved them."""
        if self._course is None:
            return part_poses(self.scene)
        goal = self._course.at(time)
        return part_poses(self.scene, goal.poses, goal.settings)

    def _head_for_goals(self, dt: float) -> None:
        """Driven parts get the velocities that lead them to their goals in a time; those without stand."""
        bodies = self._parts.bodies
        for name, b in self._read.driven.items():
            bodies.v[b] = bodies.l[b] = 0.0
            if name in self._goals:
                x, q = self._goals[name]
                bodies.v[b] = (np.array(x) - bodies.x[b]) / dt
                bodies.l[b] = turn_between(tuple(bodies.q[b]), q) / dt

    def _arrive(self) -> None:
        """Driven parts are where they were led, to the last digit."""
        bodies = self._parts.bodies
        for name, (x, q) in self._goals.items():
            b = self._read.driven[name]
            bodies.x[b], bodies.q[b] = x, q
        self._goals.clear()

    # ---- bodies -----------------------------------------------------------------------------------------------

    @property
    def moving(self) -> tuple[str, ...]:
        """Names of the free parts, one for each body."""
        return self._read.roots

    def moves(self, part: str) -> bool:
        """Whether forces move a part."""
        self.scene.part(part)  # raises with near matches
        return bool(self._parts.bodies.movable[self._read.placed[part].body])

    def pose(self, part: str) -> Pose:
        """Position (m) and quaternion (w, x, y, z) of a part in the world."""
        if part not in self._places:
            self.scene.part(part)  # raises with near matches
            on = self._read.placed[part]
            self._places[part] = on.body, _pose(on.offset, np.array(matrix_quaternion(on.turn)))
        body, inside = self._places[part]
        return composed(_pose(self._parts.bodies.x[body], self._parts.bodies.q[body]), inside)

    @property
    def poses(self) -> dict[str, Pose]:
        """Of the free parts, by name."""
        return {name: self.pose(name) for name in self._read.roots}

    @property
    def joint_values(self) -> dict[str, float]:
        """Of the hinges and slides on free parts, rad or m, within their ranges."""
        joints = self._parts.joints
        values = np.clip(joints.value, joints.low, joints.high)
        on_axis = (joints.kind == joint_kinds.HINGE) | (joints.kind == joint_kinds.SLIDE)
        return {name: float(values[j]) for j, name in enumerate(self._read.joints) if on_axis[j]}

    @property
    def axis_loads(self) -> dict[str, tuple[float, float]]:
        """Value (rad, m) and torque (N m, N; of the motor, or of friction) of every hinge and slide on a free part."""
        joints, h = self._parts.joints, self._h
        slots = self._parts.known.total[: len(self._read.joints) * SLOTS].reshape(-1, SLOTS)
        found = np.zeros(len(slots)) if h == 0.0 else -(slots[:, MOTOR] + slots[:, RUB]) / h**2
        if h > 0.0:
            found = np.where(joints.motor == joint_kinds.TORQUE, joints.torque, found)
        on_axis = (joints.kind == joint_kinds.HINGE) | (joints.kind == joint_kinds.SLIDE)
        names = self._read.joints
        return {names[j]: (float(joints.value[j]), float(found[j])) for j in np.flatnonzero(on_axis)}

    def velocity(self, part: str) -> Array:
        """(3,) of the centre of mass of the body that a part belongs to, m/s."""
        self.scene.part(part)
        return np.array(self._parts.bodies.v[self._read.placed[part].body])

    def angular_velocity(self, part: str) -> Array:
        """(3,) rad/s, world axes."""
        self.scene.part(part)
        bodies, b = self._parts.bodies, self._read.placed[part].body
        return np.array(angular_velocity(bodies, b, tuple(bodies.q[b])))

    def set_velocity(
        self,
        part: str,
        *,
        linear: Sequence[float] | Array | None = None,
        angular: Sequence[float] | Array | None = None,
    ) -> None:
        """Gives the body of a free part another velocity (m/s) or angular velocity (rad/s), world axes."""
        self.scene.part(part)
        bodies, b = self._parts.bodies, self._read.placed[part].body
        if not bodies.movable[b]:
            raise ValueError(f'{part}: must have motion = "free" to be given a velocity')
        moved = None if linear is None else _vector("linear", linear, FASTEST, "m/s")
        turned = None if angular is None else _vector("angular", angular, FASTEST, "rad/s")
        if moved is not None:
            bodies.v[b] = moved
        if turned is not None:
            r = matrix_of(bodies.q[b])
            own = r.T @ turned
            k = bodies.inverse_inertia[b]
            bodies.l[b] = r @ np.divide(own, k, out=np.zeros(3), where=k > 0.0)

    # ---- hands ------------------------------------------------------------------------------------------------

    def pull(
        self,
        part: str,
        *,
        point: Sequence[float] | Array,
        to: Sequence[float] | Array,
        stiffness: float,
        damping: float | None = None,
    ) -> None:
        """A soft spring (N/m) from a point of a part, in its axes, to a place in the world, m; until `let_go`.

        One that pulls the same part already is replaced. `damping` (N s/m) absent: half of what keeps the body alone
        from swinging. Neither is more than a substep allows: a very light body is pulled more softly than said.
        """
        on = self._read.placed[part] if self.moves(part) else None
        if on is None:
            raise ValueError(f'{part}: must move freely to be pulled; give it motion = "free"')
        for name, value, least in (("stiffness", stiffness, 0.0), ("damping", damping, -1e-300)):
            if value is not None and not (isinstance(value, Real) and least < value < NO_BOUND):
                raise ValueError(f"{name} = {value!r}: must be a number above 0")
        at, goal = _vector("point", point, FARTHEST, "m"), _vector("to", to, FARTHEST, "m")
        self._hands[part] = Hand(on.body, on.offset + on.turn @ at, goal, float(stiffness), damping)
        self._felt.setdefault(part, np.zeros(3))

    def let_go(self, part: str | None = None) -> None:
        """Of a part, whether it is pulled or not; absent: of all."""
        if part is not None:
            self.scene.part(part)  # raises with near matches
        for name in list(self._hands) if part is None else [part]:
            self._hands.pop(name, None)
            self._felt.pop(name, None)

    @property
    def pulled(self) -> dict[str, Array]:
        """(3,) the force of every hand on its part in the last substep, N."""
        return {name: force.copy() for name, force in self._felt.items()}

    def _haul(self) -> None:
        """Hands push their bodies for one substep."""
        bodies, h = self._parts.bodies, self._h
        for name, hand in self._hands.items():
            b, r = hand.body, matrix_of(bodies.q[hand.body])
            arm, inverse = r @ hand.point, r @ np.diag(bodies.inverse_inertia[b]) @ r.T
            across = np.cross(np.eye(3), arm)  # times a force: its torque
            mobility = bodies.inverse_mass[b] * np.eye(3) + across.T @ inverse @ across
            most = float(np.linalg.eigvalsh(mobility)[-1])
            stiffness = min(hand.stiffness, STEADY / (h * h * most))
            damping = math.sqrt(stiffness / most) if hand.damping is None else hand.damping
            velocity = bodies.v[b] + np.cross(inverse @ bodies.l[b], arm)
            pull = hand.to - bodies.x[b] - arm
            force = stiffness * pull - min(damping, 2.0 * STEADY / (h * most)) * velocity
            bodies.v[b] += h * bodies.inverse_mass[b] * force
            bodies.l[b] += h * np.cross(arm, force)
            self._felt[name] = force

    @property
    def mass(self) -> float:
        """Of all bodies together, kg."""
        return float(self._read.mass.sum())

    @property
    def momentum(self) -> tuple[Array, Array]:
        """(3,) linear, kg m/s, and (3,) angular about the world's origin, kg m²/s, of all bodies."""
        bodies, mass = self._parts.bodies, self._read.mass
        p = mass[:, None] * bodies.v
        return p.sum(axis=0), (bodies.movable[:, None] * bodies.l + np.cross(bodies.x, p)).sum(axis=0)

    @property
    def size(self) -> float:
        """Of the whole as it began, m."""
        return self._read.size

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints on free parts."""
        return self._read.joints

    def stop(self) -> None:
        """Everything stands still; it may begin to move again."""
        self._parts.bodies.v[1:] = 0.0
        self._parts.bodies.l[1:] = 0.0

    @property
    def fastest(self) -> tuple[str, float]:
        """The free part that moves fastest, and its speed, m/s; a turn counts with the size of the machine."""
        speeds = {name: float(np.linalg.norm(self.velocity(name))) for name in self.moving}
        for name in speeds:
            speeds[name] += self.size * float(np.linalg.norm(self.angular_velocity(name)))
        return max(speeds.items(), key=lambda k: k[1], default=("", 0.0))

    @property
    def lacking(self) -> tuple[str, float]:
        """The rope with the span that has most to take up yet until it is as long as its rope, and how much, m."""
        ropes, links = self._parts.ropes, self._parts.links
        found = {}
        for r, rope in enumerate(self.scene.ropes):
            whole = slice(ropes.first[r], ropes.room[r])
            over = np.minimum(links.ease[whole], links.length[whole] - links.rest[whole])
            found[rope.name] = float(np.max(np.where(links.next[whole] >= 0, over, 0.0), initial=0.0))
        return max(found.items(), key=lambda k: k[1], default=("", 0.0))

    @property
    def kinetic_energy(self) -> float:
        """J."""
        bodies, mass = self._parts.bodies, self._read.mass
        found = float(mass @ np.einsum("ij,ij->i", bodies.v, bodies.v))
        axes = matrix_of(bodies.q[1:].T)  # (3, 3, bodies)
        own = np.einsum("ijb,bi->bj", axes, bodies.l[1:])
        return 0.5 * (found + float(np.sum(own * own * bodies.inverse_inertia[1:])))

    @property
    def is_finite(self) -> bool:
        """False once it flew apart."""
        bodies = self._parts.bodies
        return bool(np.isfinite(bodies.x).all() and np.isfinite(bodies.v).all() and np.isfinite(bodies.l).all())

    @property
    def energy(self) -> float:
        """Kinetic, of weight, of elastic ropes and of springs, J."""
        bodies, mass = self._parts.bodies, self._read.mass
        found = self.kinetic_energy - float(mass @ (bodies.x @ np.array(self.scene.gravity)))
        joints = self._parts.joints
        found += 0.5 * float(joints.spring @ (joints.value - joints.rest) ** 2)
        for r, rope in enumerate(self.scene.ropes):
            if rope.mass_per_length is not None:
                found -= float(self._hung(r) @ np.array(self.scene.gravity))
            if rope.axial is None and rope.compliance is None:
                continue
            links = self._parts.links
            for i, tension in zip(spans := self._spans(r), self._tensions(spans), strict=True):
                soft = (rope.compliance or 0.0) * links.share[i]
                if rope.axial is not None:
                    soft = max(links.rest[i] + links.ease[i], 0.0) / rope.axial
                if soft > 0.0 and links.loose[i] == 0:
                    stretch = self._stretch(i, tension * soft)
                    found += 0.5 * stretch * stretch / soft
            if rope.axial is not None:
                whole = slice(self._parts.ropes.first[r], self._parts.ropes.room[r])
                on = links.stretch[whole] != 0.0
                lying, rest = links.stretch[whole][on], (links.stored - links.stretch)[whole][on]
                found += 0.5 * rope.axial * float(np.sum(lying**2 / rest))
        return found

    def _stretch(self, i: int, pulled: float) -> float:
        """m, of the span that leaves link i: as `pulled` by its tension, as far as that agrees with its length. Lengths
        are found within a tolerance, and may be asked for more from now on, which would mean much in a short span.
        """
        links = self._parts.links
        stretch = float(links.length[i] - links.rest[i] - links.ease[i])
        near = MISSING * self._read.size + (1.0 / EASING - 1.0) * float(links.ease[i]) if self._h > 0.0 else 0.0
        return max(0.0, min(max(pulled, stretch - near), stretch + near))

    def _hung(self, r: int) -> Array:
        """(3,) mass of a rope times where it is, kg m."""
        ropes, links, spans = self._parts.ropes, self._parts.links, self._spans(r)
        whole = slice(ropes.first[r], ropes.room[r])
        on = links.active[whole] * (links.stored[whole] - links.stretch[whole])
        hung = on @ links.middle[whole] + 0.5 * links.rest[spans] @ (links.start[spans] + links.end[spans])
        return np.asarray(ropes.mass[r] * hung)

    # ---- ropes and joints -------------------------------------------------------------------------------------

    def rope(self, name: str) -> RopeReading:
        """Tensions, lengths and what is stored, now."""
        r = self.scene.ropes.index(self.scene.rope(name))
        ropes, links = self._parts.ropes, self._parts.links
        all_of = slice(ropes.first[r], ropes.room[r])
        parts = tuple(self.scene.parts[k].name for k in links.part[all_of])
        broke = self._broke(r, parts)
        leads = links.next
        if broke is not None:
            leads = np.full(len(leads), -1)
            leads[all_of] = [next_active(ropes, links, r, i) for i in range(all_of.start, all_of.stop)]
        spans = self._spans(r, leads)
        tension = self._tensions(spans) if broke is None else np.zeros(len(spans))
        return RopeReading(
            parts, spans - ropes.first[r], leads[spans] - ropes.first[r],
            tension, links.peak[spans], links.length[spans], links.rest[spans],
            links.stored[all_of] - links.stretch[all_of], links.active[all_of] == 1,
            links.stored[all_of] / links.around[all_of], self._fleet(r),
            links.start[spans], links.end[spans],
            float(whole_length(ropes, links, r)), broke,
        )  # fmt: skip

    def _tensions(self, spans: NDArray[np.int64]) -> Array:
        """N, in the last substep."""
        found = self._parts.known.total[len(self._read.joints) * SLOTS + spans]
        return np.asarray(found / self._h**2 if self._h > 0.0 else 0.0 * found)

    def _broke(self, r: int, parts: tuple[str, ...]) -> Broke | None:
        ropes = self._parts.ropes
        if not ropes.broken[r]:
            return None
        span, to = int(ropes.broke_from[r] - ropes.first[r]), int(ropes.broke_to[r] - ropes.first[r])
        return Broke(float(ropes.broke_at[r]), float(ropes.broke_under[r]), span, (parts[span], parts[to]))

    def _fleet(self, r: int) -> Array:
        ropes, links = self._parts.ropes, self._parts.links
        found, spans = np.zeros(ropes.room[r] - ropes.first[r]), self._spans(r)
        t = (links.end[spans] - links.start[spans]) / np.maximum(links.length[spans], 1e-300)[:, None]
        for k in (spans, links.next[spans]):
            aslant = np.minimum(np.abs(np.einsum("ij,ij->i", t, links.w3[k])), 1.0)
            on_wheel = (links.kind[k] == ROLLING) | (links.kind[k] == HYBRID)
            np.maximum.at(found, k - ropes.first[r], np.where(on_wheel, np.arcsin(aslant), 0.0))
        return found

    def _spans(self, r: int, leads: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Links that spans leave, as they follow each other along the rope; where each leads, unless as it is now."""
        links, first = self._parts.links, int(self._parts.ropes.first[r])
        leads = links.next if leads is None else leads
        inside = range(first, int(self._parts.ropes.room[r]))
        begins = next((i for i in inside if links.active[i] == 1 and leads[i] >= 0), -1)
        found: list[int] = []
        i = begins
        while i >= 0 and leads[i] >= 0 and not (found and i == begins):
            found.append(i)
            i = int(leads[i])
        return np.array(found, dtype=np.int64)

    def joint(self, name: str) -> JointReading:
        """Value, speed, torque and force of a joint on a free part."""
        j = self._joint(name)
        joints, h = self._parts.joints, self._h
        lam = self._parts.known.total[j * SLOTS : (j + 1) * SLOTS]
        if h == 0.0:
            return JointReading(float(joints.value[j]), 0.0, 0.0, np.zeros(3))
        speed = float(joints.value[j] - joints.before[j]) / h
        torque = -float(lam[MOTOR] + lam[RUB]) / h**2
        if joints.motor[j] == joint_kinds.TORQUE:
            torque = float(joints.torque[j])
        force = np.zeros(3)
        if joints.kind[j] != joint_kinds.SLIDE:
            force = -lam[:3] / h**2
        else:
            x, y, _ = self._axes(j).T
            force = -(lam[0] * x + lam[1] * y) / h**2
        return JointReading(float(joints.value[j]), speed, torque, force)

    def _axes(self, j: int) -> Array:
        joints, bodies = self._parts.joints, self._parts.bodies
        return matrix_of(bodies.q[joints.a[j]]) @ matrix_of(joints.frame_a[j])

    def _joint(self, name: str) -> int:
        self.scene.joint(name)  # raises with near matches
        if name not in self._read.joints:
            raise ValueError(f'{name}: stands still in a machine: its part must have motion = "free"')
        return self._read.joints.index(name)

    def set_motor(
        self, name: str, *, speed: float | None = None, torque: float | None = None, tension: float | None = None
    ) -> None:
        """A speed (rad/s, m/s) with a largest torque (N m, N; None: any), or a torque alone; neither: no motor.

        On a hinge that turns a spool a `tension` (N) alone hauls the rope with that.
        """
        for key, value in (("speed", speed), ("torque", torque), ("tension", tension)):
            if value is not None and not (isinstance(value, Real) and abs(value) <= MOST_DRIVE):
                raise ValueError(f"{key} = {value!r}: must be a finite number, at most {MOST_DRIVE:g}")
        if speed is not None and torque is not None and not torque > 0.0:
            raise ValueError(f"torque = {torque}: must be above 0 beside a speed: it is the most that the motor has")
        j = self._joint(name)
        if tension is not None:
            if speed is not None or torque is not None or not tension >= 0.0:
                raise ValueError(f"tension = {tension}: must stand alone, and be 0 or more")
            torque = tension * wound_by(self.scene, self._read.winding, name)
        set_motor(self._parts.joints, j, speed, torque)

    def motor(self, name: str) -> MotorReading:
        """What drives a joint on a free part now."""
        j, joints = self._joint(name), self._parts.joints
        torque = float(joints.torque[j]) if abs(joints.torque[j]) < NO_BOUND else None
        if joints.motor[j] == joint_kinds.SPEED:
            return MotorReading(float(joints.speed[j]), torque, None)
        if joints.motor[j] != joint_kinds.TORQUE or torque is None:
            return MotorReading(None, None, None)
        way = self._read.winding.get(name)
        return MotorReading(None, torque, None if way is None or way * torque < 0.0 else torque / way)

    @property
    def winches(self) -> tuple[str, ...]:
        """Names of the hinges that turn a spool."""
        return tuple(self._read.winding)


def turn_between(a: Quaternion, b: Quaternion) -> Array:
    """(3,) the shortest rotation from one orientation to another, a vector in world axes, rad."""
    w, *axis = product(b, conjugate(a))
    sine = float(np.linalg.norm(axis))
    angle = 2.0 * math.atan2(sine, abs(w))
    return np.array(axis) * (math.copysign(1.0, w) * (angle / sine if sine > 0.0 else 2.0))


def _vector(name: str, said: Sequence[float] | Array, most: float, unit: str) -> Array:
    """(3,) of what a caller gave. Raises ValueError for anything else."""
    try:
        found = np.array(said, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (3,) or not np.all(np.abs(found) <= most):
        raise ValueError(f"{name} = {said!r}: must be three finite numbers, each at most {most:g} {unit}")
    return found


def _pose(x: Array, q: Array) -> Pose:
    a, b, c = x.tolist()
    w, i, j, k = q.tolist()
    return (a, b, c), (w, i, j, k)
