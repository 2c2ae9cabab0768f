"""What a certified answer among parts must satisfy, recomputed from nothing but its public read-outs.

Distances come from formulas written here and from libigl, not from the geometry that the solver uses. Each function
returns what is wrong, as texts; nothing where all is right.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from lissom import Simulation
from lissom.rods.describing import Contact
from lissom.rods.harness import joined
from lissom.rods.result import CableResult
from lissom.scene import Cable, Clip, End, Scene, SectionProperties
from lissom.scene.part import Part
from lissom.scene.placing import Poses, mounts
from lissom.scene.shape import BoxShape, CapsuleShape, CylinderShape, PlaneShape, ProfileShape, SphereShape

igl = pytest.importorskip("igl")

Array = NDArray[np.float64]

SAMPLES = 16  # per segment
DEPTH_RADIUS, DEPTH_LENGTH = 1e-4, 1e-7  # what the theory promises (contact.md §1)
BALANCE = 1e-6  # of the sizes that are added
MOUNT_RADII = 4.0  # two diameters
HELD_RADII = 2.0
SELF_RADII, SELF_SEGMENTS = 6.0, 3.0
GRAVITY = np.array([0.0, 0.0, -9.81])

# ---- distances -----------------------------------------------------------------------------------------------------


def rotation(q: tuple[float, ...]) -> Array:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@dataclass
class Distance:
    """Signed distance from a part, negative inside; of an open sheet never negative."""

    part: Part

    @cached_property
    def mesh(self) -> trimesh.Trimesh:
        return trimesh.load_mesh(self.part.mesh, process=True)

    def local(self, x: Array) -> Array:
        """(n,) m, at places (n, 3) in the part's axes."""
        shape = self.part.shape
        if isinstance(shape, PlaneShape):
            return np.asarray(x[:, 2])
        if isinstance(shape, SphereShape):
            return np.asarray(np.linalg.norm(x, axis=1) - shape.outer)
        across = np.hypot(x[:, 0], x[:, 1])
        if isinstance(shape, CapsuleShape):
            beyond = np.maximum(np.abs(x[:, 2]) - 0.5 * shape.length, 0.0)
            return np.asarray(np.hypot(across, beyond) - shape.outer)
        if isinstance(shape, CylinderShape):
            return both(across - shape.outer, np.abs(x[:, 2]) - 0.5 * shape.length)
        if isinstance(shape, BoxShape):
            q = np.abs(x) - 0.5 * np.array(shape.size)
            return np.asarray(np.linalg.norm(np.maximum(q, 0.0), axis=1) + np.minimum(q.max(axis=1), 0.0))
        if isinstance(shape, ProfileShape):
            return both(polygon(x[:, :2], np.array(shape.corners)), np.abs(x[:, 2]) - 0.5 * shape.length)
        vertices = np.ascontiguousarray(self.mesh.vertices, dtype=np.float64)
        faces = np.ascontiguousarray(self.mesh.faces, dtype=np.int64)
        if self.mesh.is_watertight:
            return np.asarray(igl.signed_distance(x, vertices, faces, igl.SIGNED_DISTANCE_TYPE_PSEUDONORMAL)[0])
        return np.asarray(np.sqrt(igl.point_mesh_squared_distance(x, vertices, faces)[0]))

    def world(self, x: Array, pose: tuple[tuple[float, ...], tuple[float, ...]]) -> Array:
        return self.local(np.ascontiguousarray((x - np.array(pose[0])) @ rotation(pose[1])))


def both(a: Array, b: Array) -> Array:
    """Distance from what two solids at right angles have in common."""
    return np.asarray(np.hypot(np.maximum(a, 0.0), np.maximum(b, 0.0)) + np.minimum(np.maximum(a, b), 0.0))


def polygon(x: Array, corners: Array) -> Array:
    """Signed distance from a polygon in its plane."""
    best = np.full(len(x), np.inf)
    inside = np.zeros(len(x), dtype=bool)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        e = b - a
        t = np.clip((x - a) @ e / (e @ e), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(x - a - t[:, None] * e, axis=1))
        crosses = (a[1] > x[:, 1]) != (b[1] > x[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            inside ^= crosses & (x[:, 0] < e[0] * (x[:, 1] - a[1]) / e[1] + a[0])
    return np.where(inside, -best, best)


def smooth(x: Array, s: Array, samples: int = SAMPLES) -> tuple[Array, Array]:
    """Places (m, 3) of the smooth cable through its points and their arc lengths: the quadratic B-spline."""
    u = np.arange(samples) / samples
    a, b, c = 0.5 * (1 - u) ** 2, 0.5 + u - u * u, 0.5 * u * u
    t = u[:-1] if samples == 1 else u
    places, lengths = [x[0] + 0.5 * t[:, None] * (x[1] - x[0])], [s[0] + 0.5 * t * (s[1] - s[0])]
    for i in range(1, len(x) - 1):
        places.append(a[:, None] * x[i - 1] + b[:, None] * x[i] + c[:, None] * x[i + 1])
        lengths.append(a * s[i - 1] + b * s[i] + c * s[i + 1])
    places.append(0.5 * (x[-2] + x[-1]) + np.linspace(0.0, 0.5, samples)[:, None] * (x[-1] - x[-2]))
    lengths.append(0.5 * (s[-2] + s[-1]) + np.linspace(0.0, 0.5, samples) * (s[-1] - s[-2]))
    return np.concatenate(places), np.concatenate(lengths)


def cubic(r: CableResult, samples: int = SAMPLES) -> tuple[Array, Array]:
    """As `smooth`, of an answer of fourth order: through its points along their tangents."""
    u = np.arange(samples)[:, None] / samples
    x, d, h = r.positions, r.tangents, np.diff(r.s)
    places = [
        (1 + 2 * u) * (1 - u) ** 2 * x[i]
        + u * u * (3 - 2 * u) * x[i + 1]
        + h[i] * u * (1 - u) * ((1 - u) * d[i] - u * d[i + 1])
        for i in range(len(h))
    ]
    lengths = [r.s[i] + h[i] * u[:, 0] for i in range(len(h))]
    return np.concatenate([*places, x[-1:]]), np.concatenate([*lengths, r.s[-1:]])


def bowed(t: float, u: Array) -> Array:
    """How far a clamped beam gives way at u under a force at t, in F h³/B."""
    a = np.where(u <= t, u, 1.0 - u)
    b = np.where(u <= t, t, 1.0 - t)
    return np.asarray((1.0 - b) ** 2 * a * a * (3.0 * b - a * (1.0 + 2.0 * b)) / 6.0)


def bulge(x: Array, k: int) -> Array:
    """(3,) m: four times how far a parabola through places x lies beside its chord k, in the middle."""
    i = min(max(k, 1), len(x) - 3)
    return np.asarray(-0.25 * (x[i - 1] - x[i] - x[i + 1] + x[i + 2]))


def on_segments(s: Array, t: Array) -> Array:
    """(n, m) places along a polyline, at fractions t of its n segments."""
    return np.asarray(s[:-1, None] + t * np.diff(s)[:, None])


def segment_distances(p: Array, q: Array) -> tuple[Array, Array, Array]:
    """(n, m) distances of all segments of two polylines, and the fractions of both at which they are nearest."""
    a, u = p[:-1, None], np.diff(p, axis=0)[:, None]
    b, v = q[None, :-1], np.diff(q, axis=0)[None]
    w = a - b
    uu, vv, uv = (u * u).sum(-1), (v * v).sum(-1), (u * v).sum(-1)
    uw, vw = (u * w).sum(-1), (v * w).sum(-1)
    best = np.full(uv.shape, np.inf)
    at, other = np.zeros(uv.shape), np.zeros(uv.shape)
    det = uu * vv - uv * uv
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = np.clip(np.where(det > 1e-14 * uu * vv, (uv * vw - vv * uw) / det, 0.0), 0.0, 1.0)
    for fixed, s in (
        (True, inner),
        (True, 0.0 * uv),
        (True, 0.0 * uv + 1.0),
        (False, 0.0 * uv),
        (False, 0.0 * uv + 1.0),
    ):
        if fixed:
            s_, t_ = s, np.clip((uv * s + vw) / vv, 0.0, 1.0)
        else:
            s_, t_ = np.clip((uv * s - uw) / uu, 0.0, 1.0), s
        d = np.linalg.norm(w + s_[..., None] * u - t_[..., None] * v, axis=-1)
        better = d < best
        best, at, other = np.where(better, d, best), np.where(better, s_, at), np.where(better, t_, other)
    return best, at, other


# ---- one frame -----------------------------------------------------------------------------------------------------


@dataclass
class Frame:
    """An answer, with all that is needed to check it."""

    simulation: Simulation
    distances: dict[str, Distance]

    def __post_init__(self) -> None:
        self.scene: Scene = self.simulation.scene
        state = self.simulation.state()
        self.poses: Poses = state.parts
        self.junctions: Poses = state.junctions
        self.results = {c.name: self.simulation.cable(c.name) for c in self.scene.cables}
        self.radii = {c.name: SectionProperties.of(self.scene.type_of(c)).radius for c in self.scene.cables}
        self.contacts: tuple[Contact, ...] = self.simulation.contacts
        lengths, radii = [c.length for c in self.scene.cables], self.radii.values()
        self.depth = max(DEPTH_RADIUS * min(radii), DEPTH_LENGTH * min(lengths))
        self.too_deep = max(0.2 * min(radii), 1e-3 * min(lengths))  # what a support may hold inside

    def faults(self) -> list[str]:
        found = [text for name in self.results for text in self.finite(name)]
        if found:
            return found
        for cable in self.scene.cables:
            found += self.in_parts(cable) + self.balance(cable) + self.ends(cable)
        return found + self.in_each_other() + self.contact_faults() + self.bodies()

    def curve(self, name: str, samples: int = SAMPLES) -> tuple[Array, Array]:
        """Places (m, 3) of the cable and their arc lengths; contacts between points bow what lies between them."""
        r = self.results[name]
        if r.report.element != "polished":
            return smooth(r.positions, r.s, samples)
        x, s = cubic(r, samples)
        made = SectionProperties.of(self.scene.type_of(self.scene.cable(name)))
        for place, force in self.pushes(name):
            k = min(int(np.searchsorted(r.s, place, side="right")) - 1, len(r.s) - 2)
            h = float(r.s[k + 1] - r.s[k])
            u = (s[samples * k : samples * (k + 1)] - r.s[k]) / h
            much = bowed((place - r.s[k]) / h, u) * h**3 / made.bending[0]
            x[samples * k : samples * (k + 1)] += much[:, None] * force
        return x, s

    def pushes(self, name: str) -> list[tuple[float, Array]]:
        """(m, N) of what presses on a cable."""
        own = [k for k in self.contacts if k.body is None]
        found = [(k.place, k.force) for k in own if k.cable == name]
        return found + [(k.other_place, -k.force) for k in own if k.part == name and k.other_place is not None]

    def finite(self, name: str) -> list[str]:
        r = self.results[name]
        wrenches = [v for w in r.reactions.values() for v in (w.force, w.moment)]
        fine = all(np.isfinite(a).all() for a in (r.positions, r.quaternions, r.force, r.moment, *wrenches))
        return [] if fine else [f"NaN: {name}"]

    # ---- nothing overlaps

    def in_parts(self, cable: Cable) -> list[str]:
        if not cable.collide:
            return []
        found = []
        r, radius = self.results[cable.name], self.radii[cable.name]
        x, s = self.curve(cable.name)
        held = np.array([p * cable.length for p in r.places.values()])
        h = float(np.diff(r.s).max())
        far = np.abs(s[:, None] - held).min(axis=1, initial=np.inf)
        allowed = self.depth + self.too_deep * np.maximum(1.0 - far / max(HELD_RADII * radius, 2.0 * h), 0.0)
        for part in self.scene.parts:
            if not part.collide or part.name in cable.ignore or part.name not in self.distances:
                continue
            seats = [p for name, p in mounts(self.scene, cable) if name == part.name and p is not None]
            near_mount = np.abs(s[:, None] - np.array(seats)).min(axis=1, initial=np.inf) < MOUNT_RADII * radius + h
            deep = radius - self.distances[part.name].world(x, self.poses[part.name])
            over = np.where(near_mount, -np.inf, deep - allowed)
            k = int(np.argmax(over))
            if over[k] > 0.0:
                ratio = f"{deep[k] / radius:.2e} r, {deep[k] / allowed[k]:.1f} times what is allowed"
                found.append(f"inside: {cable.name} in {part.name} at s = {s[k]:.4f} by {ratio}")
        return found

    def in_each_other(self) -> list[str]:
        found = []
        cables = [c for c in self.scene.cables if c.collide and self.radii[c.name] > 0.0]
        for i, a in enumerate(cables):
            for b in cables[i:]:
                found += self.between(a, b)
        return found

    def between(self, a: Cable, b: Cable) -> list[str]:
        """Of the smooth cables: the deepest place between chords of them, then between the curves themselves."""
        ra, rb = self.results[a.name], self.results[b.name]
        both = self.radii[a.name] + self.radii[b.name]
        apart = max(SELF_RADII * self.radii[a.name], SELF_SEGMENTS * float(np.diff(ra.s).max())) if a is b else -1.0
        coarse, t, u = segment_distances(ra.positions, rb.positions)
        far = np.abs(on_segments(ra.s, t) - on_segments(rb.s, u.T).T) > apart
        if coarse[far].min(initial=np.inf) > 1.5 * both:
            return []
        (x, at_a), (y, at_b) = self.curve(a.name), self.curve(b.name)
        d, t, u = segment_distances(x, y)
        s, w = on_segments(at_a, t), on_segments(at_b, u.T).T
        free = np.abs(s - w) > (apart + float(np.diff(ra.s).max()) if a is b else apart)
        held = [np.array([p * r.length for p in r.places.values()]) for r in (ra, rb)]
        near_a = np.abs(s[..., None] - held[0]).min(axis=-1, initial=np.inf) < MOUNT_RADII * both / 2.0
        near_b = np.abs(w[..., None] - held[1]).min(axis=-1, initial=np.inf) < MOUNT_RADII * both / 2.0
        deep = np.where(free & ~(near_a & near_b), both - d, -np.inf)
        k = np.unravel_index(int(np.argmax(deep)), deep.shape)
        if not deep[k] > -np.inf:
            return []
        way = x[k[0]] + t[k] * (x[k[0] + 1] - x[k[0]]) - y[k[1]] - u[k] * (y[k[1] + 1] - y[k[1]])
        normal = way / np.linalg.norm(way)  # stationary there: bulges of the arcs above their chords count fully
        bulges = normal @ (bulge(x, int(k[0])) * t[k] * (1 - t[k]) - bulge(y, int(k[1])) * u[k] * (1 - u[k]))
        depth = deep[k] - float(bulges)
        if depth <= self.depth:
            return []
        return [f"overlap: {a.name} at {s[k]:.4f} in {b.name} at {w[k]:.4f} by {depth / both:.2e} of their radii"]

    # ---- forces

    def balance(self, cable: Cable) -> list[str]:
        """Reactions, contacts, weight and loads add up to nothing, and so do their moments about the first point."""
        r = self.results[cable.name]
        x, s = r.positions, r.s
        origin = x[0]
        terms: list[tuple[Array, Array, Array]] = []  # (place, force, moment)
        for name, wrench in r.reactions.items():
            at = int(np.argmin(np.abs(s - r.places[name] * r.length)))
            terms.append((x[at], wrench.force, wrench.moment))
        weight = (cable.mass_per_length or 0.0) * GRAVITY
        h = np.diff(s)
        t = r.tangents
        for k in range(len(h)):  # exact for cubics, and for a polyline
            middle = 0.5 * (x[k] + x[k + 1])
            if r.report.element == "polished":
                middle = middle + h[k] / 12.0 * (t[k] - t[k + 1])
            terms.append((middle, weight * h[k], np.zeros(3)))
        for load in cable.loads:
            at = int(np.argmin(np.abs(s - (load.place(cable.length) or 0.0))))
            terms.append((x[at], np.array(load.force or (0, 0, 0)), np.zeros(3)))
        for c in self.contacts:
            if c.cable == cable.name:
                terms.append((c.point + self.radii[c.cable] * c.normal, c.force, np.zeros(3)))
            if c.part == cable.name:
                terms.append((c.point - self.radii[c.part] * c.normal, -c.force, np.zeros(3)))
        forces = np.array([f for _, f, _ in terms])
        moments = np.array([np.cross(p - origin, f) + m for p, f, m in terms])
        found = []
        off, size = np.linalg.norm(forces.sum(axis=0)), np.linalg.norm(forces, axis=1).sum()
        if off > BALANCE * size:
            found.append(f"forces: on {cable.name} off by {off / size:.1e} of their sum ({r.report.element})")
        off, size = np.linalg.norm(moments.sum(axis=0)), np.linalg.norm(moments, axis=1).sum()
        allowed = BALANCE if r.report.element != "polished" else 1e-4  # of fourth order in the segments
        if off > allowed * max(size, 1e-3 * r.length * np.linalg.norm(forces, axis=1).sum()):
            found.append(f"moments: on {cable.name} off by {off / size:.1e} of their sum ({r.report.element})")
        return found

    def contact_faults(self) -> list[str]:
        found = []
        names = {p.name: p for p in self.scene.parts}
        for c in self.contacts:
            where = f"{c.cable} on {c.part} at {c.place:.4f}"
            along = c.force - (c.force @ c.normal) * c.normal
            if not c.pressure >= 0.0 or abs(c.force @ c.normal - c.pressure) > 1e-9 * c.pressure:
                found.append(f"pulls: {where}, {c.pressure:.2e} N")
            friction = names[c.part].friction if c.part in names else 0.0
            if np.linalg.norm(along) > (friction * (1.0 + 1e-6) + 1e-9) * c.pressure:
                found.append(
                    f"friction cone: {where}, {np.linalg.norm(along) / c.pressure:.3f} with μ = {friction:.3f}"
                )
            if c.part in names:
                off = abs(float(self.distances[c.part].world(c.point[None], self.poses[c.part])[0]))
                if off > self.depth:
                    found.append(f"contact off the surface: {where}, by {off:.1e} m")
            if c.body is not None:  # two parts: the point is on both
                off = abs(float(self.distances[c.body].world(c.point[None], self.poses[c.body])[0]))
                if off > 2.0 * self.depth:
                    found.append(f"contact off the surface: {c.body} on {c.part}, by {off:.1e} m")
                continue
            r = self.results[c.cable]
            x, _ = self.curve(c.cable, 64)
            centre = c.point + self.radii[c.cable] * c.normal
            off = min(polyline_distance(centre, x), polyline_distance(centre, r.positions))  # points touch what is flat
            if off > 2.0 * self.depth + 1e-4 * self.radii[c.cable]:
                found.append(f"gap: {where} acts across {off / self.radii[c.cable]:.1e} r")
        return found

    # ---- supports and bodies

    def ends(self, cable: Cable) -> list[str]:
        """Supports are where the scene has them, and clamps hold their direction."""
        found = []
        r = self.results[cable.name]
        world = joined(self.scene, cable, self.poses, self.junctions)
        supports = world.held
        for name, place in r.places.items():
            said = supports.get(name)
            if said is None or said.position is None:
                found.append(f"support: {cable.name}/{name} is not in the scene")
                continue
            at = int(np.argmin(np.abs(r.s - place * r.length)))
            off = float(np.linalg.norm(r.positions[at] - said.position))
            if off > 1e-6 * r.length:
                found.append(f"support: {cable.name}/{name} is {off:.1e} m from where it is held")
            if said.kind in ("ring", "sleeve"):  # it slides: no pull along the cable
                force = r.reactions[name].force
                pull = abs(float(force @ r.tangents[at]))
                h = float(np.diff(r.s).max())  # what rubs that near acts on both sides of it, by parts
                near = [c for c in self.contacts if c.cable == cable.name and abs(c.place - r.s[at]) < 1.5 * h]
                rubs = sum(float(np.linalg.norm(c.force - c.pressure * c.normal)) for c in near)
                allowed = 1e-3 * float(np.linalg.norm(force)) + 1e-6 * float(np.abs(r.force).max()) + 1e-2 * rubs
                if pull > allowed:
                    found.append(f"support: {cable.name}/{name} slides, but pulls along the cable with {pull:.1e} N")
            if said.direction is not None and cable.stiffness is not None:
                turn = float(np.linalg.norm(np.cross(r.tangents[at], said.direction)))
                if turn > 1e-6 or r.tangents[at] @ np.array(said.direction) < 0.0:
                    found.append(f"support: {cable.name}/{name} points {turn:.1e} rad off")
            elif float(np.linalg.norm(r.reactions[name].moment)) > 1e-6 * moment_scale(r):
                found.append(f"support: {cable.name}/{name} holds no direction but exerts a moment")
        return found

    def bodies(self) -> list[str]:
        """Free junctions and free parts: the wrenches on them add up to nothing."""
        found = []
        for junction in self.scene.junctions:
            if junction.motion == "free":
                seats = [(m.cable, m.end(self.scene.cable(m.cable).length) or junction.name) for m in junction.members]
                origin = np.array(self.junctions[junction.name][0])
                found += self.body(junction.name, seats, origin, origin, junction.mass or 0.0)
        for part in self.scene.parts:
            if part.motion == "free":
                seats = [
                    (c.name, name)
                    for c in self.scene.cables
                    for name, k in c.held.items()
                    if k is not None and k.on == part.name
                ]
                position, q = self.poses[part.name]
                centre = np.array(position) + rotation(q) @ np.array(part.center_of_mass or (0.0, 0.0, 0.0))
                found += self.body(part.name, seats, np.array(position), centre, part.mass or 0.0)
        return found

    def body(self, name: str, seats: list[tuple[str, str]], origin: Array, centre: Array, mass: float) -> list[str]:
        terms = [(centre, mass * GRAVITY, np.zeros(3))]
        for cable, support in seats:
            r = self.results[cable]
            at = int(np.argmin(np.abs(r.s - r.places[support] * r.length)))
            wrench = r.reactions[support]
            terms.append((r.positions[at], -wrench.force, -wrench.moment))
        terms += [(c.point, -c.force, np.zeros(3)) for c in self.contacts if c.part == name]
        terms += [(c.point, c.force, np.zeros(3)) for c in self.contacts if c.body == name]
        forces = np.array([f for _, f, _ in terms])
        moments = np.array([np.cross(p - origin, f) + m for p, f, m in terms])
        found = []
        arm = min(self.results[cable].length for cable, _ in seats)  # residuals are relative to force times length
        pulls = float(np.linalg.norm(forces, axis=1).sum())
        for text, v, least in (("forces", forces, 0.0), ("moments", moments, 0.1 * arm * pulls)):
            off, size = np.linalg.norm(v.sum(axis=0)), max(np.linalg.norm(v, axis=1).sum(), least)
            if off > BALANCE * size:
                found.append(f"body: {text} on {name} off by {off / size:.1e} of their sum")
        return found


def moment_scale(r: CableResult) -> float:
    return float(np.abs(r.moment).max()) + 1e-3 * r.length * float(np.abs(r.force).max()) + 1e-300


def polyline_distance(p: Array, x: Array) -> float:
    a, e = x[:-1], np.diff(x, axis=0)
    t = np.clip(((p - a) * e).sum(axis=1) / (e * e).sum(axis=1), 0.0, 1.0)
    return float(np.linalg.norm(a + t[:, None] * e - p, axis=1).min())


def distances_of(scene: Scene) -> dict[str, Distance]:
    return {p.name: Distance(p) for p in scene.parts if p.mesh is not None or p.shape is not None}


# ---- between two frames --------------------------------------------------------------------------------------------


def passed_through(before: Frame, after: Frame) -> list[str]:
    """Whether a cable got to the other side of a sheet, or around a bar, in a way no motion leads to."""
    found = []
    for part in after.scene.parts:
        if part.name not in after.distances:
            continue
        for cable in after.scene.cables:
            if not cable.collide or part.name in cable.ignore:
                continue
            if part.mesh is not None and not after.distances[part.name].mesh.is_watertight:
                a, b = (side(k, cable.name, part.name) for k in (before, after))
                if a * b < 0:
                    found.append(f"passed: all of {cable.name} is on the other side of {part.name}")
            shape = part.shape
            if isinstance(shape, CylinderShape | CapsuleShape) and shape.length > 3.0:
                turns = winding(after, cable.name, part.name) - winding(before, cable.name, part.name)
                swept = sweep(before, after, cable.name, part.name)
                if swept is not None and abs(turns - swept) > 1.0:
                    found.append(f"passed: {cable.name} winds {turns - swept:+.2f} rad more around {part.name}")
    return found


def in_axes(frame: Frame, cable: str, part: str) -> Array:
    position, q = frame.poses[part]
    x, _ = frame.curve(cable)
    return np.asarray((x - np.array(position)) @ rotation(q))


def side(frame: Frame, cable: str, part: str) -> int:
    """+1 or −1 where all of the cable is on one side of the plane of a sheet, else 0."""
    z = in_axes(frame, cable, part)[:, 2]
    return int(z.min() > 0.0) - int(z.max() < 0.0)


def winding(frame: Frame, cable: str, part: str) -> float:
    """rad: how far the cable goes around the axis of a bar."""
    x = in_axes(frame, cable, part)
    return float(np.unwrap(np.arctan2(x[:, 1], x[:, 0]))[[0, -1]] @ np.array([-1.0, 1.0]))


def sweep(before: Frame, after: Frame, cable: str, part: str) -> float | None:
    """rad by which the winding changes with the ends alone, on their straight ways; None where it is not known."""
    scene = after.scene.cable(cable)
    if scene.start is None or scene.end is None:
        return None
    a, b = (in_axes(k, cable, part) for k in (before, after))
    angles = []
    for at in (0, -1):
        way = a[at, :2] + np.linspace(0.0, 1.0, 400)[:, None] * (b[at, :2] - a[at, :2])
        shape = after.distances[part].part.shape
        assert isinstance(shape, CylinderShape | CapsuleShape)
        if np.hypot(*way.T).min() < 0.5 * shape.outer:
            return None
        angles.append(float(np.unwrap(np.arctan2(way[:, 1], way[:, 0]))[[0, -1]] @ np.array([-1.0, 1.0])))
    return angles[1] - angles[0]


# ---- why something may be refused ----------------------------------------------------------------------------------


def excuses(scene: Scene, simulation: Simulation, distances: dict[str, Distance]) -> list[str]:
    """What makes a scene impossible, as far as that can be seen from its supports alone."""
    state = simulation.state()
    found = []
    for cable in scene.cables:
        radius = SectionProperties.of(scene.type_of(cable)).radius
        world = joined(scene, cable, state.parts, state.junctions)
        supports: list[tuple[float | None, End | Clip | None, End | Clip | None]] = [
            (0.0, world.start, cable.start),
            (cable.length, world.end, cable.end),
        ]
        supports += [(w.place(cable.length), w, c) for w, c in zip(world.clips, cable.clips, strict=False)]
        placed = [(p, w, c) for p, w, c in supports if w is not None and w.position is not None]
        for _, w, c in placed:
            for part in scene.parts:
                if (
                    not cable.collide
                    or part.name in cable.ignore
                    or part.name not in distances
                    or part.motion == "free"
                ):
                    continue
                x = np.array(w.position)
                if c is not None and c.on == part.name:
                    continue
                d = float(distances[part.name].world(x[None], state.parts[part.name])[0])
                if d < 0.99 * radius:
                    found.append(f"{cable.name} is held {(radius - d) / radius:.2f} r inside {part.name}")
                if w.direction is None:
                    continue
                ways = [1.0] * (w is not world.end) + [-1.0] * (w is not world.start)
                ahead = x + np.outer(ways, 2.0 * HELD_RADII * radius * np.array(w.direction))
                d = float(distances[part.name].world(ahead, state.parts[part.name]).min())
                if d < 0.8 * radius:
                    found.append(f"{cable.name} is clamped towards {part.name}")
        known = sorted([(p, np.array(w.position)) for p, w, _ in placed if p is not None], key=lambda k: k[0])
        free = {m.cable for j in scene.junctions if j.motion == "free" for m in j.members}
        free |= {
            c.name for c in scene.cables for e in (c.start, c.end) if e and e.on and scene.part(e.on).motion == "free"
        }
        for (p, a), (q, b) in pairwise(known):
            if np.linalg.norm(b - a) >= (q - p) and cable.name not in free:
                found.append(f"{cable.name} is too short")
    return found


def way_excuses(
    scene: Scene, before: Poses, now: Poses, path: str, start: Array, end: Array, distances: dict[str, Distance]
) -> list[str]:
    """What is in the straight way of a support that moves, or of a part that moves over supports."""
    found = []
    steps = np.linspace(0.0, 1.0, 101)
    name = path.partition("/")[0]
    for cable in scene.cables:
        radius = SectionProperties.of(scene.type_of(cable)).radius
        for part in scene.parts:
            if not cable.collide or part.name in cable.ignore or part.name not in distances or part.motion == "free":
                continue
            if name == cable.name:
                d = distances[part.name].world(start + steps[:, None] * (end - start), now[part.name])
                if d.min() < 0.99 * radius:
                    found.append(f"the way of {path} leads through {part.name}")
            elif part.name == name or part.parent == name:
                for held in (cable.start, cable.end, *cable.clips):
                    if held is None or held.position is None or held.on is not None:
                        continue
                    a, b = np.array(before[part.name][0]), np.array(now[part.name][0])
                    qa, qb = np.array(before[part.name][1]), np.array(now[part.name][1])
                    qb = qb if qa @ qb >= 0 else -qb
                    for t in steps:
                        q = (1 - t) * qa + t * qb
                        pose = (tuple((1 - t) * a + t * b), tuple(q / np.linalg.norm(q)))
                        if float(distances[part.name].world(np.array(held.position)[None], pose)[0]) < 0.99 * radius:
                            found.append(f"{part.name} moves over a support of {cable.name}")
                            break
    return found
