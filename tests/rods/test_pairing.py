"""Cables that touch each other and themselves: derivatives, what they keep of their topology, lone cables."""

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom import Simulation
from lissom.rods import springs
from lissom.rods.pairing import Pairing
from lissom.rods.surroundings import Skin
from lissom.scene import Scene
from lissom.simulation import SolveError

Array = NDArray[np.float64]


def skin(name: str, points: Array, radius: float) -> Skin:
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return Skin(name, radius, s, True, frozenset(), (), np.zeros(0, dtype=np.int64))


def two_bent_cables(turn: float) -> list[Array]:
    u = np.linspace(-1, 1, 10)
    a = np.stack([u, 0.1 * u**2, 0.21 + 0.3 * u**2], axis=1)
    b = np.stack([np.cos(turn) * u + 0.03, np.sin(turn) * u - 0.05, -0.2 * u**2 + 0.05 * u], axis=1)
    return [a, b]


@pytest.mark.parametrize("turn", [1.4, 0.7, 0.3])
def test_gap_and_its_columns_against_differences(turn: float) -> None:
    """First and second derivatives of the gap by the points of both cables, running places and bends included."""
    cables = two_bent_cables(turn)
    pairing = Pairing([skin("a", cables[0], 0.1), skin("b", cables[1], 0.08)])
    c = pairing.near(cables)
    k = int(np.argmin(c.gap))
    where = float(c.place[k])
    assert c.inside[k]
    assert c.other_inside[k]
    size = sum(len(x) for x in cables)

    def gap(x: Array) -> float:
        found = pairing.near([x[:10], x[10:]])
        return float(found.gap[int(np.argmin(np.abs(found.place - where)))])

    c.force[k] = 1.0
    columns = springs.columns(c.where(np.array([k])), None, 1e9, 1e-12)
    rows = np.zeros((len(columns.give), size, 3))
    p = columns.places
    for i in range(len(p.link)):
        point = 10 * p.link[i] + p.segment[i]
        rows[p.column[i], point] += (1.0 - p.t[i]) * p.direction[i]
        rows[p.column[i], point + 1] += p.t[i] * p.direction[i]
    gradient, spring = rows[0].ravel(), rows[1:].reshape(-1, 3 * size)
    hessian = -(spring.T / columns.give[1:]) @ spring  # of the gap: the springs are of −λ gap
    start = np.concatenate(cables)
    rng = np.random.default_rng(3)
    for _ in range(6):
        way = rng.normal(size=(size, 3))
        h = 1e-4
        ahead, here, behind = gap(start + h * way), gap(start), gap(start - h * way)
        assert gradient @ way.ravel() == pytest.approx((ahead - behind) / (2 * h), abs=2e-5)
        assert way.ravel() @ hessian @ way.ravel() == pytest.approx(
            (ahead - 2 * here + behind) / h**2, rel=2e-3, abs=1e-3
        )


def determinant(x: Array, seed: int = 0) -> int:
    """|Δ(−1)| of an open polygon, closed far away: 1 unknotted, 3 a trefoil. From a projection, arc by arc."""
    along = (x[-1] - x[0]) / np.linalg.norm(x[-1] - x[0])
    beside = np.cross(along, [0.3, 0.5, 0.8])
    far = 50.0 * np.abs(x - x.mean(axis=0)).max()
    out, back = x[-1] + far * along, x[0] - far * along
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    y = np.vstack([x, out, out + far * beside, back + far * beside, back]) @ turn
    n = len(y)
    e = np.roll(y, -1, axis=0) - y
    under: list[tuple[float, float]] = []
    for i in range(n):
        for j in range(i + 2, n - (i == 0)):
            w, det = y[j] - y[i], e[i, 0] * e[j, 1] - e[i, 1] * e[j, 0]
            if det == 0.0:
                continue
            t, u = (w[0] * e[j, 1] - w[1] * e[j, 0]) / det, (w[0] * e[i, 1] - w[1] * e[i, 0]) / det
            if 0 < t < 1 and 0 < u < 1:
                above = y[i, 2] + t * e[i, 2] > y[j, 2] + u * e[j, 2]
                under.append((j + u, i + t) if above else (i + t, j + u))
    under.sort()
    cuts = [k[0] for k in under]
    if len(cuts) < 2:
        return 1
    M = np.zeros((len(cuts), len(cuts)))
    for k, (_, over) in enumerate(under):
        M[k, int(np.searchsorted(cuts, over)) % len(cuts)] += 2.0
        M[k, k] -= 1.0
        M[k, (k + 1) % len(cuts)] -= 1.0
    return round(abs(float(np.linalg.det(M[:-1, :-1]))))


RADIUS = 0.003


def knotted(points: int) -> Simulation:
    """A loose overhand knot [Shastri's polynomials] between two ends 0.7 m apart."""
    t = np.linspace(-2.12, 2.12, 61)
    knot = 0.03 * np.stack([0.5 * (t**5 / 5 - 2 * t), 0.25 * (t**4 - 4 * t**2), 0.5 * (t**3 - 3 * t)], axis=1)
    knot -= 0.5 * (knot[0] + knot[-1])
    path = np.vstack([[-0.35, 0, 0], knot, [0.35, 0, 0]])
    length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
    return Simulation(
        Scene.from_toml(f"""
        gravity = [0, 0, 0]
        [[cables]]
        name = "rope"
        length = {length}
        points = {points}
        radius = {RADIUS}
        stiffness = {{ bending = 0.002, torsion = 0.002 }}
        mass_per_length = 0.01
        start = {{ position = [-0.35, 0, 0], tangent = [1, 0, 0] }}
        end = {{ position = [0.35, 0, 0], kind = "swivel", tangent = [1, 0, 0] }}
        initial = {{ points = {[[float(v) for v in p] for p in path]} }}
        """)
    )


def test_a_loose_knot_pulled_tight_stays_a_knot() -> None:
    simulation = knotted(121)
    end = 0.35
    tightest = np.inf
    for _ in range(12):
        report = simulation.solve()
        rope = simulation.cable("rope")
        assert determinant(rope.positions) == 3
        report.raise_if_failed()
        contacts = simulation.contacts
        assert len(contacts) >= 3  # two places apart and a stretch between them [Clauvelin, Audoly, Neukirch 2009]
        assert report.cables["rope"].penetration <= 1e-4 * RADIUS
        places = np.array([[k.place, k.other_place] for k in contacts], dtype=float)
        assert (places[:, 1] - places[:, 0] > 6 * RADIUS).all()
        pull = [rope.reactions[k].force for k in ("start", "end")]
        assert np.abs(pull[0] + pull[1]).max() < 1e-5 * np.abs(pull[1]).max()  # forces within the cable cancel
        assert pull[1][0] > 0.0
        assert rope.bend_radius.min() < tightest
        tightest = rope.bend_radius.min()
        end += 0.004
        simulation.move("rope/end", position=(end, 0, 0))
    assert tightest < 4.0 * 2 * RADIUS


def test_a_knot_yanked_in_one_move_stays_a_knot_even_if_it_is_refused() -> None:
    simulation = knotted(121)
    simulation.solve()
    assert determinant(simulation.cable("rope").positions) == 3
    simulation.move("rope/end", position=(0.55, 0.1, 0))
    report = simulation.solve()
    assert determinant(simulation.cable("rope").positions) == 3
    assert report.ok or "no way on" in report.reason


def crossing(cables: str, height: float) -> str:
    return f"""
    [types.hose]
    section = {{ diameter = "10 mm" }}
    material = {{ youngs_modulus = "8 MPa", poisson = 0.49, density = 1200 }}
    [[cables]]
    name = "a"
    type = "hose"
    length = 0.6
    points = 61
    start = {{ position = [-0.25, 0, 0], tangent = [1, 0, 0], roll = 0 }}
    end = {{ position = [0.25, 0, 0], tangent = [1, 0, 0], roll = 0 }}
    [[cables]]
    name = "b"
    type = "hose"
    length = 0.6
    points = 61
    start = {{ position = [0, -0.25, {height}], tangent = [0, 1, 0], roll = 0 }}
    end = {{ position = [0, 0.25, {height}], tangent = [0, 1, 0], roll = 0 }}
    {cables}
    """


@pytest.mark.parametrize("steps", [8, 1])
def test_a_cable_dragged_down_on_another_does_not_pass(steps: int) -> None:
    """Slowly, and in one move of thirty diameters."""
    simulation = Simulation(Scene.from_toml(crossing("", 0.03)))
    simulation.solve().raise_if_failed()
    for z in np.linspace(0.03, -0.25 if steps == 1 else -0.05, steps + 1)[1:]:
        simulation.move("b/start", position=(0, -0.25, z))
        simulation.move("b/end", position=(0, 0.25, z))
        report = simulation.solve()
        if steps > 1:
            report.raise_if_failed()
        if steps > 1 and z < 0.005:
            (contact,) = simulation.contacts
            assert contact.normal[2] < -0.5  # b stays above a
            up = sum(simulation.cable("a").reactions[k].force[2] for k in ("start", "end"))
            weight = 1200 * np.pi * 0.005**2 * 0.6 * 9.81
            assert up == pytest.approx(weight + contact.pressure * -contact.normal[2], rel=1e-6)
    if steps > 1:
        return
    middle = [simulation.cable(k).positions for k in "ab"]
    over = [x[np.argmin(np.hypot(x[:, 0], x[:, 1]))][2] for x in middle]
    assert over[1] > over[0]


LOOP = """
[[cables]]
name = "wire"
length = 0.5
points = 81
stiffness = { bending = 0.004, torsion = 0.003 }
mass_per_length = 1e-6
start = { position = [-0.02, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = [0.02, 0, 0], tangent = [1, 0, 0], roll = 0 }
initial = { points = [[-0.02, 0, 0], [0.09, 0, 0.06], [0, 0, 0.16], [-0.09, 0, 0.06], [0.02, 0, 0]] }
"""


def test_a_lone_plane_loop_is_pushed_out_of_itself_or_refused() -> None:
    """Its centre line would cross itself, in a plane; without a radius there is nothing to touch."""
    simulation = Simulation(Scene.from_toml(LOOP + "radius = 0.004\n"))
    report = simulation.solve()
    if report.status == "not_converged":
        with pytest.raises(SolveError):
            simulation.cable("wire")
    else:
        x = simulation.cable("wire").positions
        apart = np.linalg.norm(x[:, None] - x[None], axis=2)
        number = np.arange(len(x))
        assert apart[np.abs(number[:, None] - number) > 8].min() > 0.0075
    thin = Simulation(Scene.from_toml(LOOP))
    thin.solve()
    assert thin.contacts == ()


def test_a_lone_cable_that_is_nowhere_near_itself_is_solved_alone() -> None:
    simulation = Simulation(Scene.from_toml(crossing("", 0.03).split('[[cables]]\n    name = "b"')[0]))
    for y in (0.0, 0.01, 0.02):
        simulation.move("a/end", position=(0.25, y, 0))
        assert simulation.solve().cables["a"].element == "polished"
        assert not simulation.looks_for_contact
