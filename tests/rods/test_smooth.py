"""Places on the smooth cable: the quadratic B-spline itself, and its distance, against brute force and differences."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.optimize import minimize_scalar

from lissom.geometry import solids
from lissom.geometry.clearance import clearance
from lissom.geometry.solids import Solid
from lissom.geometry.touching import new_found, touching
from lissom.rods.contacts import on_polyline
from lissom.rods.smooth import SAMPLES, Places, dips, new_places, smooth_places
from lissom.scene import Scene
from lissom.simulation import Simulation

Array = NDArray[np.float64]
Distance = Callable[[Array], Array]

RADIUS = 0.05


def spline(points: Array) -> BSpline:
    """The quadratic B-spline; parameter i in the middle between points i and i + 1, for 0 … n − 2."""
    count = len(points)
    return BSpline(np.arange(-2.0, count + 1.0), points, 2)


def cable(seed: int, bend: float) -> Array:
    """A curve that comes down to z ≈ RADIUS near x = 0 and goes up again, a little irregular."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-0.2, 0.2, 17)
    points = np.stack([x, 0.1 * x, RADIUS + 0.004 + bend * (x - 0.013) ** 2], axis=1)
    return np.asarray(points + rng.normal(scale=2e-5, size=points.shape))


SHAPES: dict[str, tuple[Solid, Array, Distance]] = {
    "sphere": (solids.sphere_solid(RADIUS), np.eye(3), lambda x: np.linalg.norm(x, axis=-1) - RADIUS),
    "cylinder": (
        solids.cylinder_solid(RADIUS, 1.0),
        np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),  # its z axis along y
        lambda x: np.hypot(x[..., 0], x[..., 2]) - RADIUS,
    ),
}


def found_places(name: str, points: Array) -> Places:
    solid, pose = (solids.plane_solid(), np.eye(3)) if name == "plane" else SHAPES[name][:2]
    room, places = new_found(256), new_places(512)
    wanted = np.ones(len(points), np.int64)
    origin = np.array([0.0, 0.0, RADIUS]) if name == "plane" else np.zeros(3)
    count = touching(solid, pose, origin, points, 0.0, 0.03, wanted, room)
    count = smooth_places(solid, pose, origin, points, room, count, places)
    return Places._make(values[:count] for values in places)


def runner(places: Places) -> int:
    """The place that runs to the least distance; the lowest of those found."""
    (running,) = np.nonzero(places.runs == 1)
    assert len(running)
    return int(running[np.argmin(places.distance[running])])


def least_distance(name: str, points: Array) -> tuple[float, float]:
    """(distance, parameter) of the true minimum along the whole spline."""
    curve, distance = spline(points), SHAPES[name][2]
    u = np.linspace(0.0, len(points) - 2.0, 4001)
    k = int(np.argmin(distance(curve(u))))
    best = minimize_scalar(
        lambda v: float(distance(curve(v))),
        bounds=(u[max(k - 1, 0)], u[min(k + 1, 4000)]),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return float(best.fun), float(best.x)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_running_places_have_the_least_distance(name: str, seed: int) -> None:
    points = cable(seed, bend=0.4)
    places = found_places(name, points)
    k = runner(places)
    distance, u = least_distance(name, points)
    assert float(places.distance[k]) == pytest.approx(distance, abs=1e-10)
    x = on_polyline(points, places.segment[k : k + 1], places.t[k : k + 1])[0]
    assert x == pytest.approx(spline(points)(u), abs=1e-7)
    assert x - places.distance[k] * places.normal[k] == pytest.approx(places.y[k], abs=1e-12)
    # stationary: the cable runs across the normal there
    assert abs(float(places.along[k] @ places.normal[k])) < 1e-10


@pytest.mark.parametrize("name", SHAPES)
def test_every_place_is_on_the_spline(name: str) -> None:
    points = cable(7, bend=0.4)
    places = found_places(name, points)
    curve, distance = spline(points), SHAPES[name][2]
    ends = [a + np.linspace(0.0, 0.5, 10001)[:, None] * (b - a) for a, b in (points[:2], points[:-3:-1])]  # straight
    dense = np.concatenate([curve(np.linspace(0.0, len(points) - 2.0, 200001)), *ends])
    x = on_polyline(points, places.segment, places.t)
    assert len(x) > 3
    for point, d, normal in zip(x, places.distance, places.normal, strict=True):
        assert float(np.linalg.norm(dense - point, axis=1).min()) < 2e-6
        assert d == pytest.approx(float(distance(point)), abs=1e-12)
        assert float(np.linalg.norm(normal)) == pytest.approx(1.0)


@pytest.mark.parametrize("name", SHAPES)
def test_normal_and_curvature_are_derivatives_of_the_distance(name: str) -> None:
    points = cable(3, bend=0.4)
    places = found_places(name, points)
    distance = SHAPES[name][2]
    x = on_polyline(points, places.segment, places.t)
    step = 1e-5
    for k in range(len(x)):
        shifted = [(distance(x[k] + step * e), distance(x[k] - step * e)) for e in np.eye(3)]
        gradient = np.array([(a - b) / (2.0 * step) for a, b in shifted])
        assert places.normal[k] == pytest.approx(gradient, abs=1e-7)
        hessian = np.empty((3, 3))
        for i, e in enumerate(np.eye(3)):
            for j, f in enumerate(np.eye(3)):
                corners = (step * (a * e + b * f) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)))
                pp, pm, mp, mm = (float(distance(x[k] + c)) for c in corners)
                hessian[i, j] = (pp - pm - mp + mm) / (4.0 * step * step)
        assert places.curvature[k] == pytest.approx(hessian, abs=1e-4)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_envelope_hessian_against_differences(name: str, seed: int) -> None:
    """Second derivative of the least distance along motions of the points: δ·Hδ − (v·δ)²/a, and its gradient N·δ."""
    points = cable(seed, bend=4.0)
    places = found_places(name, points)
    k = runner(places)
    N, H, along = places.normal[k], places.curvature[k], places.along[k]
    segment, t, u = places.segment[k], places.t[k], float(places.lean[k])
    a = float(along @ H @ along) + float(places.bend[k])
    rng = np.random.default_rng(seed)
    for _ in range(4):
        motion = rng.normal(size=points.shape)
        delta = on_polyline(motion, segment[None], t[None])[0]
        before, after = motion[segment[0] + 1] - motion[segment[0]], motion[segment[1] + 1] - motion[segment[1]]
        running = float(N @ ((1.0 - u) * before + u * after) + (H @ along) @ delta)
        expected = float(delta @ H @ delta) - running**2 / a
        step = 5e-6
        low, middle, high = (least_distance(name, points + s * motion)[0] for s in (-step, 0.0, step))
        assert (high - low) / (2.0 * step) == pytest.approx(float(N @ delta), abs=1e-4)
        assert (high - 2.0 * middle + low) / step**2 == pytest.approx(expected, rel=1e-3, abs=0.01)


@pytest.mark.parametrize("bend", [0.0, 4.0])
def test_on_a_plane_the_points_touch(bend: float) -> None:
    x = np.linspace(-0.05, 0.05, 9)
    points = np.stack([x, np.zeros(9), RADIUS + 0.01 + 0.5 * bend * x**2], axis=1)
    places = found_places("plane", points)
    assert not places.runs.any()
    at = (places.segment[:, 0] + places.segment[:, 1] + places.t[:, 0] + places.t[:, 1]) / 2.0
    assert sorted(at) == pytest.approx(np.arange(9.0))  # one at each point
    assert places.distance[np.argsort(at)] == pytest.approx(points[:, 2] - RADIUS)


def test_a_place_passes_from_arc_to_arc_without_a_jump() -> None:
    """As a cable tilts on a cylinder, place, normal and distance change continuously: no corner catches."""
    points = cable(0, bend=0.4)
    before: tuple[float, float] | None = None
    for shift in np.linspace(0.0, 0.06, 241):  # more than two segments
        moved = points + np.array([shift, 0.0, 0.0])
        places = found_places("cylinder", moved)
        k = runner(places)
        at = float(places.segment[k].sum() + places.t[k].sum()) / 2.0
        if before is not None:
            assert abs(at - before[0]) < 0.03
            assert abs(float(places.distance[k]) - before[1]) < 2e-5
        before = (at, float(places.distance[k]))


# ---- places are on what is touched ---------------------------------------------------------------------------------


def short_cylinder(x: Array) -> Array:
    """Distance from a cylinder along z, of RADIUS and the length 0.06."""
    out, over = np.hypot(x[..., 0], x[..., 1]) - RADIUS, np.abs(x[..., 2]) - 0.03
    return np.asarray(np.hypot(np.maximum(out, 0.0), np.maximum(over, 0.0)) + np.minimum(np.maximum(out, over), 0.0))


def wedge() -> Solid:
    """A tetrahedron: its edges end soon, and lean in all directions."""
    corners = 0.02 * np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    return solids.mesh_solid(corners, np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]), True)


def random_cable(rng: np.random.Generator, way: float) -> Array:
    """A bent cable of 15 coarse points that passes the origin at a distance."""
    t = np.linspace(-0.15, 0.15, 15)
    a, b, c = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return np.asarray(t[:, None] * a + (way + rng.uniform(-3.0, 3.0) * t**2)[:, None] * b + 0.1 * t[:, None] * c)


@pytest.mark.parametrize("name", ["rim", "wedge"])
def test_places_lie_on_the_surface(name: str) -> None:
    """A rim is curved along itself, and edges end: what a place runs along need not be there where it runs to."""
    solid = solids.cylinder_solid(RADIUS, 0.03) if name == "rim" else wedge()
    rng = np.random.default_rng(3)
    ran = 0
    for _ in range(300):
        points = random_cable(rng, rng.uniform(0.01, 0.07))
        room, places = new_found(256), new_places(512)
        count = touching(solid, np.eye(3), np.zeros(3), points, 0.0, 0.03, np.ones(len(points), np.int64), room)
        count = smooth_places(solid, np.eye(3), np.zeros(3), points, room, count, places)
        if name == "rim":
            off = np.abs(short_cylinder(places.y[:count]))
        else:
            found = [
                clearance(solid, np.eye(3), np.zeros(3), np.array([y]), np.ones(1, np.int64))[0]
                for y in places.y[:count]
            ]
            off = np.abs(np.array(found))
        curved = np.abs(places.curvature[:count]).max(axis=(1, 2)) > 1e-9
        assert off[curved].max(initial=0.0) < 1e-7
        ran += int(np.sum(places.runs[:count]))
    assert ran > 100


# ---- what dips ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_the_deepest_place_is_found(name: str, seed: int) -> None:
    points = cable(seed, bend=0.4)
    solid, pose, _ = SHAPES[name]
    least, at = least_distance(name, points)
    radius = 0.008
    allowed = np.full(SAMPLES * (len(points) - 1) + 1, 1e-7)
    where, depth = dips(solid, pose, np.zeros(3), points, allowed, radius)
    k = int(np.argmax(depth))
    assert depth[k] == pytest.approx(radius - least, rel=1e-5)
    assert where[k] - 1.0 == pytest.approx(at, abs=0.02)  # i + u; the spline's parameter is 0 at i + u = 1
    # nothing is told of where nothing is asked, nor of what is allowed
    allowed[:] = -1.0
    assert not len(dips(solid, pose, np.zeros(3), points, allowed, radius)[0])
    allowed[:] = 1.001 * (radius - least)
    assert not len(dips(solid, pose, np.zeros(3), points, allowed, radius)[0])


def test_a_dip_in_the_outer_half_of_the_last_segment_is_found() -> None:
    """There the smooth cable is straight, and no point touches a plane between the last two."""
    points = np.stack([np.linspace(0.0, 0.2, 9), np.zeros(9), np.full(9, 0.02)], axis=1)
    points[-1, 2] = -0.01
    allowed = np.full(SAMPLES * 8 + 1, 1e-6)
    allowed[-4:] = -1.0  # near the end something holds it
    where, depth = dips(solids.plane_solid(), np.eye(3), np.zeros(3), points, allowed, 0.005)
    assert where == pytest.approx([0.5 + (SAMPLES * 8 - 4) / SAMPLES])
    assert depth == pytest.approx([0.005 - (0.02 - 0.03 * (1.0 - 4 / SAMPLES))])


def test_the_clearance_is_that_of_the_curve_that_touches() -> None:
    """Over a thin bar the line through the points runs 50 µm inside; the cable that is certified does not."""
    simulation = Simulation(
        Scene.from_toml("""
        [[cables]]
        name = "c"
        length = 0.64
        points = 65
        section = { diameter = "8 mm" }
        material = { youngs_modulus = "5 MPa", poisson = 0.45, density = 1200 }
        start = { position = [-0.3, 0, 0] }
        end = { position = [0.3, 0, 0] }
        [[parts]]
        name = "bar"
        motion = "driven"
        position = [0.01, 0, -0.15]
        tangent = [0, 1, 0]
        shape = { kind = "cylinder", diameter = "2 mm", length = "300 mm" }
        """)
    )
    simulation.solve().raise_if_failed()
    simulation.move("bar", position=(0.01, 0, -0.05))
    simulation.solve().raise_if_failed()
    assert simulation.contacts
    (clear,) = simulation.clearances
    assert abs(clear.distance) < 1e-4 * 0.004
    assert clear.place == pytest.approx(simulation.contacts[0].place, abs=1e-4)
    inside = np.hypot(*(simulation.cable("c").positions - [0.01, 0, -0.05])[:, [0, 2]].T).min() - 0.005
    assert abs(inside) > 1e-6  # so that the two can be told apart
