"""Cables that touch each other and themselves: derivatives, what they keep of their topology, lone cables."""

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom import Simulation
from lissom.reports import SolveError
from lissom.rods import bordered, springs
from lissom.rods.pairing import Pairing
from lissom.rods.surroundings import Skin
from lissom.scene import Scene
from tests.rods.part_checks import Frame

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


def smooth_at(x: Array, w: Array) -> Array:
    """(…, 3) places of the quadratic B-spline of points x, w counted in segments; its end segments end straight."""
    i = np.clip(np.floor(w + 0.5).astype(int), 1, len(x) - 2)
    u = np.clip(w - i + 0.5, 0.0, 1.0)[..., None]
    found = 0.5 * (1 - u) ** 2 * x[i - 1] + (0.5 + u - u * u) * x[i] + 0.5 * u * u * x[i + 1]
    for end, first in ((w < 0.5, 0), (w > len(x) - 1.5, len(x) - 2)):
        found = np.where(end[..., None], x[first] + (w - first)[..., None] * (x[first + 1] - x[first]), found)
    return np.asarray(found)


def overlap(a: Array, b: Array, reach: float, least: float) -> float:
    """m by which smooth cables overlap whose radii add up to `reach`; of one cable, places `least` segments apart."""
    w, v = (np.arange(0, 16 * (len(k) - 1) + 1) / 16 for k in (a, b))
    far = np.linalg.norm(smooth_at(a, w)[:, None] - smooth_at(b, v)[None], axis=2)
    if a is b:
        far[np.abs(w[:, None] - v[None]) < least] = np.inf
    i, j = np.unravel_index(int(np.argmin(far)), far.shape)
    at, other, step = w[i], v[j], 1.0 / 16
    for _ in range(8):  # closer and closer around the nearest
        here, there = (np.clip(k + step * np.linspace(-1, 1, 9), 0, len(x) - 1) for k, x in ((at, a), (other, b)))
        far = np.linalg.norm(smooth_at(a, here)[:, None] - smooth_at(b, there)[None], axis=2)
        i, j = np.unravel_index(int(np.argmin(far)), far.shape)
        at, other, step = here[i], there[j], 0.3 * step
    return reach - float(far.min())


def knotted(points: int) -> Simulation:
    """A loose overhand knot [Shastri's polynomials] between two ends 0.22 m apart."""
    t = np.linspace(-2.12, 2.12, 61)
    knot = 0.03 * np.stack([0.5 * (t**5 / 5 - 2 * t), 0.25 * (t**4 - 4 * t**2), 0.5 * (t**3 - 3 * t)], axis=1)
    knot -= 0.5 * (knot[0] + knot[-1])
    path = np.vstack([[-0.11, 0, 0], knot, [0.11, 0, 0]])
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
        start = {{ position = [-0.11, 0, 0], tangent = [1, 0, 0] }}
        end = {{ position = [0.11, 0, 0], kind = "swivel", tangent = [1, 0, 0] }}
        initial = {{ points = {[[float(v) for v in p] for p in path]} }}
        """)
    )


def test_a_loose_knot_pulled_tight_stays_a_knot() -> None:
    """Certified all the way, to a bend radius below four diameters; nowhere deeper in itself than is allowed."""
    simulation = knotted(81)
    end = 0.11
    tightest = np.inf
    for _ in range(10):
        report = simulation.solve()
        rope = simulation.cable("rope")
        assert determinant(rope.positions) == 3
        report.raise_if_failed()
        frame = Frame(simulation, {})
        frame.depth *= 1.5  # forces that share a segment neglect how each bends it under the other
        contacts = simulation.contacts
        assert len(contacts) >= 3  # two places apart and a stretch between them [Clauvelin, Audoly, Neukirch 2009]
        allowed = max(1e-4 * RADIUS, 1e-7 * rope.length)
        assert report.cables["rope"].penetration <= allowed
        assert not frame.in_each_other()
        places = np.array([[k.place, k.other_place] for k in contacts], dtype=float)
        assert (places[:, 1] - places[:, 0] > 6 * RADIUS).all()
        pull = [rope.reactions[k].force for k in ("start", "end")]
        assert np.abs(pull[0] + pull[1]).max() < 1e-5 * np.abs(pull[1]).max()  # forces within the cable cancel
        assert pull[1][0] > 0.0
        assert rope.bend_radius.min() < tightest
        tightest = rope.bend_radius.min()
        end += 0.008
        simulation.move("rope/end", position=(end, 0, 0))
    assert tightest < 4.0 * 2 * RADIUS


def test_a_knot_yanked_in_one_move_stays_a_knot_even_if_it_is_refused() -> None:
    simulation = knotted(81)
    simulation.solve().raise_if_failed()
    assert determinant(simulation.cable("rope").positions) == 3
    simulation.move("rope/end", position=(0.3, 0.05, 0))
    report = simulation.solve()
    assert determinant(simulation.cable("rope").positions) == 3
    assert report.ok or "no way on" in report.reason


def gauss(a: Array, b: Array) -> Array:
    """(…) solid angles / 4π of all pairs of edges of two closed polygons [Klenin & Langowski 2000]; 0 of neighbours."""
    p, q = a[:, None], np.roll(a, -1, axis=0)[:, None]
    r, t = b[None], np.roll(b, -1, axis=0)[None]
    w = [r - p, t - p, t - q, r - q]
    n = [np.cross(w[k], w[(k + 1) % 4]) for k in range(4)]
    with np.errstate(divide="ignore", invalid="ignore"):
        n = [k / np.linalg.norm(k, axis=-1, keepdims=True) for k in n]
        angle = sum(np.arcsin(np.clip((n[k] * n[(k + 1) % 4]).sum(-1), -1, 1)) for k in range(4))
    sign = np.sign((np.cross(t - r, q - p) * (r - p)).sum(-1))
    return np.asarray(np.nan_to_num(angle) * sign / (4 * np.pi))


def links() -> str:
    """Two loops that hook into each other at right angles, each held at both ends."""
    made = ["gravity = [0, 0, 0]"]
    for name, side in (("a", -1.0), ("b", 1.0)):
        x = np.array([[0.15, 0.02], [0.02, 0.03], [-0.03, 0.015], [-0.03, -0.015], [0.02, -0.03], [0.15, -0.02]])
        flat = np.stack([side * x[:, 0], x[:, 1], 0 * x[:, 1]], axis=1)
        path = flat if name == "a" else flat[:, [0, 2, 1]]
        length = 0.95 * float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
        made.append(f"""
        [[cables]]
        name = "{name}"
        length = {length}
        points = 61
        radius = {RADIUS}
        stiffness = {{ bending = 0.002, torsion = 0.002 }}
        mass_per_length = 0.01
        start = {{ position = {path[0].tolist()}, tangent = [{-side}, 0, 0], roll = 0 }}
        end = {{ position = {path[-1].tolist()}, tangent = [{side}, 0, 0], roll = 0 }}
        initial = {{ points = {path.tolist()} }}
        """)
    return "\n".join(made)


def test_two_loops_that_are_linked_stay_linked_when_pulled() -> None:
    simulation = Simulation(Scene.from_toml(links()))
    pressed = 0.0
    for step in range(11):
        simulation.solve().raise_if_failed()
        a, b = simulation.cable("a"), simulation.cable("b")
        assert abs(gauss(a.positions, b.positions).sum()) == pytest.approx(1.0, abs=1e-9)
        assert not Frame(simulation, {}).in_each_other()
        pushed = sum((k.force for k in simulation.contacts), np.zeros(3))
        held = a.reactions["start"].force + a.reactions["end"].force
        assert held + pushed == pytest.approx(np.zeros(3), abs=1e-6)  # what pulls b is what b pulls with
        if step >= 6:
            assert held[0] < -pressed
            pressed = -float(held[0])
        for end, y in (("start", 0.02), ("end", -0.02)):
            simulation.move(f"a/{end}", position=(-0.15 - 0.003 * (step + 1), y, 0))
    assert pressed > 0.1


def test_loops_yanked_apart_in_one_move_stay_linked_even_if_that_is_refused() -> None:
    simulation = Simulation(Scene.from_toml(links()))
    simulation.solve().raise_if_failed()
    for end, y in (("start", 0.02), ("end", -0.02)):
        simulation.move(f"a/{end}", position=(-0.24, y, 0))
    report = simulation.solve()
    a, b = simulation.cable("a"), simulation.cable("b")
    assert abs(gauss(a.positions, b.positions).sum()) == pytest.approx(1.0, abs=1e-9)
    assert not report.ok
    assert report.reason


def writhe(x: Array) -> float:
    """Of a curve whose ends lead along the x axis, closed far away."""
    far = 40.0 * np.abs(x).max()
    y = np.vstack([x, [far, 0, 0], [far, far, 0], [-far, far, 0], [-far, 0, 0]])
    return float(gauss(y, y).sum())


def test_a_wire_wound_up_loops_around_itself_and_keeps_its_turns() -> None:
    """Twist and writhe add up to the turns of the end [Călugăreanu 1959]: not where it passes through itself."""
    simulation = Simulation(
        Scene.from_toml(f"""
        gravity = [0, 0, 0]
        [[cables]]
        name = "wire"
        length = 0.5
        points = 81
        radius = {RADIUS}
        stiffness = {{ bending = 0.002, torsion = 0.0015 }}
        mass_per_length = 0.01
        start = {{ position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }}
        end = {{ position = [0.33, 0, 0], tangent = [1, 0, 0], roll = 0 }}
        """)
    )
    touching = []
    for quarter in range(18):
        a = np.pi / 4 * quarter  # half the angle by which the end has turned, about x; the frame at rest leads z to x
        half = np.sqrt(0.5)
        end = (half * np.cos(a), half * np.sin(a), half * np.cos(a), half * np.sin(a))
        simulation.move("wire/end", quaternion=tuple(float(k) for k in end))
        report = simulation.solve().raise_if_failed()
        wire = simulation.cable("wire")
        assert report.cables["wire"].stable
        twist = float(np.mean(wire.torsion)) * wire.length / (2 * np.pi)
        assert twist + writhe(wire.positions) == pytest.approx(0.25 * quarter, abs=0.03)
        assert not Frame(simulation, {}).in_each_other()
        touching.append(len(simulation.contacts))
    assert touching[:8] == [0] * 8
    assert touching[-1] >= 2  # two strands around each other


def stacked(rows: int, columns: int, points: int) -> str:
    """Cables in rows, each row in the grooves of the one below and longer: it lies on it."""
    made = ["[types.wire]\nstiffness = { bending = 0.004, torsion = 0.003 }\nmass_per_length = 0.05\nradius = 0.004"]
    for row in range(rows):
        for k in range(columns):
            y, z = 0.009 * k + 0.0045 * (row % 2), 0.0078 * row
            ends = [
                f"{end} = {{ position = [{x}, {y}, {z}], tangent = [1, 0, 0], roll = 0 }}"
                for end, x in (("start", 0.0), ("end", 0.4))
            ]
            head = f'[[cables]]\nname = "{row}{k}"\ntype = "wire"\nlength = {0.42 + 0.002 * row}\npoints = {points}'
            made.append("\n".join([head, *ends]))
    return "\n".join(made)


def test_cables_that_lie_on_each_other_bear_their_weight_and_nowhere_overlap() -> None:
    simulation = Simulation(Scene.from_toml(stacked(3, 2, 40)))
    simulation.solve().raise_if_failed()
    assert len(simulation.contacts) >= 6
    total = lower = 0.0
    for name in simulation.cables:
        cable = simulation.cable(name)
        up = sum(float(cable.reactions[k].force[2]) for k in ("start", "end"))
        weight = 0.05 * 9.81 * cable.length
        total += up - weight
        lower += (up - weight) * (name[0] == "0")
        for other in simulation.cables:
            if other > name:
                assert overlap(cable.positions, simulation.cable(other).positions, 0.008, 0.0) <= 4e-7
    assert abs(total) < 1e-6 * 6 * 0.2
    assert lower > 0.01 * 0.2  # the lowest bear some of the others


def test_many_contacts_give_the_same_shape_with_their_springs_in_the_border_and_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shapes = []
    for most in (0, 10**9):
        monkeypatch.setattr(bordered, "MOST_SPRINGS", most)
        simulation = Simulation(Scene.from_toml(stacked(3, 2, 40)))
        report = simulation.solve().raise_if_failed()
        simulation.move("20/end", position=(0.4, 0.0, 0.0186))
        report = simulation.solve().raise_if_failed()
        shapes.append(np.concatenate([simulation.cable(k).positions for k in simulation.cables]))
        if most == 0:
            assert report.iterations <= 20  # Newton's
    assert np.abs(shapes[0] - shapes[1]).max() < 1e-7


def side_by_side(cables: int) -> str:
    text = """
[types.wire]
stiffness = { bending = 0.01, torsion = 0.008 }
mass_per_length = "60 g/m"
radius = "4 mm"
[[parts]]
name = "table"
shape = { kind = "plane" }
[[parts]]
name = "pusher"
shape = { kind = "box", size = [0.03, 0.03, 0.03] }
position = [0, -0.1, 0.016]
"""
    for i in range(cables):
        y = (i - 2) * 0.0082
        text += f"""
[[cables]]
name = "c{i}"
type = "wire"
length = "420 mm"
points = 41
start = {{ position = [-0.2, {y}, 0.03], tangent = [1, 0, 0] }}
end = {{ position = [0.2, {y}, 0.03], tangent = [1, 0, 0] }}
"""
    return text


def test_cables_pushed_aside_together_let_go_of_each_other_within_a_step() -> None:
    """Pressed from the side they would rise, were they not held down: what opens must not cost shifted steps."""
    sim = Simulation(Scene.from_toml(side_by_side(3)))
    sim.solve().raise_if_failed()
    iterations = 0
    for y in (-0.08, -0.06):
        sim.move("pusher", position=(0.0, y, 0.016))
        iterations += sim.solve().raise_if_failed().iterations
        shapes = [sim.cable(f"c{i}").positions for i in range(3)]
        for i in range(3):
            assert smooth_at(shapes[i], np.linspace(0, 40, 641))[:, 2].min() > 0.004 - 4.2e-7
            for k in range(i):
                assert overlap(shapes[k], shapes[i], 0.008, 0.0) <= 4.2e-7
    assert iterations < 250  # 690 where they do


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
