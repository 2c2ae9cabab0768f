"""What must not matter: where the scene lies, which end is the start, how frames are rolled, the size."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lissom.rods.result import CableResult
from lissom.scene import Scene
from lissom.scene.frames import frame_quaternion, product
from lissom.simulation import Simulation
from tests.rods.reference_scenes import CABLE, unit

Array = NDArray[np.float64]


def solved(scene: dict[str, Any]) -> CableResult:
    simulation = Simulation(Scene.from_dict(scene))
    simulation.solve().raise_if_failed()
    return simulation.cable(CABLE)


def quaternion(*values: float) -> list[float]:
    return unit(list(values))


HOSE: dict[str, Any] = {
    "name": CABLE,
    "length": 0.5,
    "points": 65,
    "stiffness": {"bending": [0.03, 0.05], "torsion": 0.025},
    "mass_per_length": 0.1,
    "rest": {"curvature": [1.0, -2.0, 0.5]},
    "start": {"position": [0.0, 0.0, 0.0], "quaternion": list(frame_quaternion((1.0, 0.0, 0.2), 0.4))},
    "end": {"position": [0.35, 0.12, -0.1], "quaternion": list(frame_quaternion((0.6, 1.0, -0.2), 1.0))},
    "loads": [{"at": 0.5, "force": [0.3, -0.2, 0.1]}],
    "clips": [{"name": "clip", "at": 0.25, "kind": "ball", "position": [0.11, -0.04, 0.02]}],
}
PLAIN: dict[str, Any] = {
    key: value for key, value in HOSE.items() if key not in ("rest", "stiffness", "clips", "loads")
} | {"stiffness": {"bending": 0.03, "torsion": 0.025}}


def changed(cable: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**cable, **fields}


def rotation(q: list[float]) -> Array:
    w, v = q[0], np.array(q[1:])
    skew = np.cross(np.eye(3), v)
    return np.asarray(np.eye(3) + 2.0 * (w * skew + skew @ skew))


def multiplied(p: list[float], q: list[float]) -> list[float]:
    a, b = (tuple(k) for k in (p, q))
    return list(product((a[0], a[1], a[2], a[3]), (b[0], b[1], b[2], b[3])))


def test_rigid_motion() -> None:
    """Everything turned and shifted together, gravity too."""
    turn = quaternion(0.4, 0.2, -0.6, 0.5)
    R, shift = rotation(turn), np.array([3.0, -1.0, 2.0])

    def moved(point: list[float]) -> list[float]:
        return [float(v) for v in R @ np.array(point) + shift]

    def pose(end: dict[str, Any]) -> dict[str, Any]:
        return {"position": moved(end["position"]), "quaternion": multiplied(turn, end["quaternion"])}

    here = solved({"cables": [HOSE]})
    cable = changed(
        HOSE,
        start=pose(HOSE["start"]),
        end=pose(HOSE["end"]),
        clips=[{**HOSE["clips"][0], "position": moved(HOSE["clips"][0]["position"])}],
        loads=[{"at": 0.5, "force": [float(v) for v in R @ HOSE["loads"][0]["force"]]}],
    )
    there = solved({"cables": [cable], "gravity": [float(v) for v in R @ [0.0, 0.0, -9.81]]})
    assert np.allclose(there.positions, here.positions @ R.T + shift, rtol=0, atol=1e-8 * here.length)
    assert np.allclose(there.force, here.force @ R.T, rtol=0, atol=1e-6 * np.abs(here.force).max())
    assert np.allclose(there.moment, here.moment @ R.T, rtol=0, atol=1e-6 * np.abs(here.moment).max())
    for name, wrench in here.reactions.items():
        assert np.allclose(there.reactions[name].force, R @ wrench.force, rtol=0, atol=1e-5)
    for part in ("bending", "torsion"):
        assert there.energy[part] == pytest.approx(here.energy[part], rel=1e-6)


def test_reversal() -> None:
    """The same cable followed from its other end.

    With R' = R·diag(1, −1, −1) and s' = L − s the rest strain (κ1, κ2, τ) becomes (−κ1, κ2, τ).
    """
    half_turn = [0.0, 1.0, 0.0, 0.0]  # about d1: the tangent points the other way
    k1, k2, torsion = HOSE["rest"]["curvature"]

    def turned(end: dict[str, Any]) -> dict[str, Any]:
        return {"position": end["position"], "quaternion": multiplied(end["quaternion"], half_turn)}

    here = solved({"cables": [HOSE]})
    there = solved(
        {
            "cables": [
                changed(
                    HOSE,
                    start=turned(HOSE["end"]),
                    end=turned(HOSE["start"]),
                    rest={"curvature": [-k1, k2, torsion]},
                    clips=[{**HOSE["clips"][0], "at": 0.75}],
                )
            ]
        }
    )
    assert np.allclose(there.positions[::-1], here.positions, rtol=0, atol=1e-8 * here.length)
    for mine, other in (("start", "end"), ("end", "start"), ("clip", "clip")):
        for part in ("force", "moment"):
            a, b = getattr(here.reactions[mine], part), getattr(there.reactions[other], part)
            assert np.allclose(a, b, rtol=0, atol=1e-6)
    inside = slice(1, -1)  # n is what lies beyond exerts: seen from the other end it is the reaction to it
    smooth = np.ones(len(here.s), dtype=bool)
    smooth[[0, 16, 32, -1]] = False  # supports and loads: the two sides differ
    assert np.allclose(there.force[::-1][smooth], -here.force[smooth], rtol=0, atol=1e-6)
    assert np.allclose(there.moment[::-1][smooth], -here.moment[smooth], rtol=0, atol=1e-6)
    assert np.allclose(there.torsion[::-1][inside][smooth[inside]], here.torsion[inside][smooth[inside]], atol=1e-5)
    assert there.total_torsion == pytest.approx(here.total_torsion, rel=1e-6)


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.0 * math.pi + 0.7])
def test_roll_of_an_isotropic_cable_does_not_matter(turn: float) -> None:
    """Both end frames rolled alike: another reference frame, the same shape, the same twist."""
    first, second = (
        solved(
            {
                "cables": [
                    changed(
                        PLAIN,
                        start={"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0], "roll": roll},
                        end={"position": [0.25, 0.1, -0.1], "tangent": [0.2, 1.0, 0.3]},
                        twist=turn,
                    )
                ]
            }
        )
        for roll in (0.0, 1.1)
    )
    assert np.allclose(first.positions, second.positions, rtol=0, atol=1e-8 * first.length)
    assert np.allclose(first.moment, second.moment, rtol=0, atol=1e-6 * np.abs(first.moment).max())
    assert first.total_torsion == pytest.approx(second.total_torsion, abs=1e-6)


def test_rolled_anisotropic_cable_is_the_same_cable() -> None:
    """A quarter turn of every frame exchanges the axes of bending and of the rest curvature."""
    quarter = quaternion(1.0, 0.0, 0.0, 1.0)
    k1, k2, torsion = HOSE["rest"]["curvature"]
    b1, b2 = HOSE["stiffness"]["bending"]

    def rolled(end: dict[str, Any]) -> dict[str, Any]:
        return {"position": end["position"], "quaternion": multiplied(end["quaternion"], quarter)}

    here = solved({"cables": [HOSE]})
    there = solved(
        {
            "cables": [
                changed(
                    HOSE,
                    start=rolled(HOSE["start"]),
                    end=rolled(HOSE["end"]),
                    stiffness={"bending": [b2, b1], "torsion": HOSE["stiffness"]["torsion"]},
                    rest={"curvature": [k2, -k1, torsion]},
                )
            ]
        }
    )
    assert np.allclose(there.positions, here.positions, rtol=0, atol=1e-8 * here.length)
    assert there.energy["bending"] == pytest.approx(here.energy["bending"], rel=1e-7)


@pytest.mark.parametrize(("size", "stiff"), [(10.0, 1.0), (0.01, 1e-6), (3.0, 1e5)])
def test_scaling(size: float, stiff: float) -> None:
    """Lengths by λ, stiffness by μ, weight by μ/λ³, forces by μ/λ²: the same shape."""
    force = stiff / size**2
    here = solved({"cables": [HOSE]})

    def scaled(point: list[float]) -> list[float]:
        return [size * v for v in point]

    there = solved(
        {
            "cables": [
                changed(
                    HOSE,
                    length=size * HOSE["length"],
                    stiffness={
                        "bending": [stiff * b for b in HOSE["stiffness"]["bending"]],
                        "torsion": stiff * HOSE["stiffness"]["torsion"],
                    },
                    mass_per_length=HOSE["mass_per_length"] * stiff / size**3,
                    rest={"curvature": [k / size for k in HOSE["rest"]["curvature"]]},
                    end={**HOSE["end"], "position": scaled(HOSE["end"]["position"])},
                    clips=[{**HOSE["clips"][0], "position": scaled(HOSE["clips"][0]["position"])}],
                    loads=[{"at": 0.5, "force": [force * v for v in HOSE["loads"][0]["force"]]}],
                )
            ]
        }
    )
    assert np.allclose(there.positions, size * here.positions, rtol=0, atol=1e-8 * there.length)
    assert np.allclose(there.force, force * here.force, rtol=0, atol=1e-6 * force * np.abs(here.force).max())
    assert there.energy["total"] == pytest.approx(stiff / size * here.energy["total"], rel=1e-7)
    assert there.report.stable is here.report.stable


@pytest.mark.parametrize("turn", [-3.0, 0.0, 2.0, 9.0])
@pytest.mark.parametrize("clip", [None, "ball"])
def test_torsion_moment_is_constant(turn: float, clip: str | None) -> None:
    """m·d3 of a straight isotropic cable changes neither along it nor at forces and balls."""
    cable = changed(
        PLAIN,
        points=129,
        end={"position": [0.25, 0.1, -0.1], "tangent": [0.2, 1.0, 0.3]},
        twist=turn,
        loads=[{"at": 0.5, "force": [0.3, -0.2, 0.1]}],
    )
    if clip is not None:
        cable["clips"] = [{"at": 0.25, "kind": clip, "position": [0.08, 0.05, 0.05]}]
    result = solved({"cables": [cable]})
    assert result.report.element == "polished"
    m3 = np.einsum("ij,ij->i", result.moment, result.tangents)
    assert float(np.ptp(m3)) < 1e-6 * float(np.linalg.norm(result.moment, axis=1).max())
    assert result.total_torsion == pytest.approx(float(m3.mean()) * result.length / 0.025, rel=1e-5)


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize("parts", [0.5, 1.0, 2.0])
def test_a_moment_closes_the_cable_into_a_circle(axes: str, parts: float) -> None:
    """2πEI/L about the axis of bending, and multiples of it."""
    bending, length = 0.03, 0.5
    size = parts * 2.0 * math.pi * bending / length
    # start along x with roll 0: d1 = −z, d2 = y
    result = solved(
        {
            "cables": [
                {
                    "name": CABLE,
                    "length": length,
                    "points": 65,
                    "stiffness": {"bending": bending, "torsion": 0.02},
                    "mass_per_length": 0.0,
                    "start": {"position": [0.0, 0.0, 0.0], "tangent": [1.0, 0.0, 0.0]},
                    "loads": [{"at": 1.0, "moment": [0.0, size, 0.0], "axes": axes}],
                }
            ]
        }
    )
    assert result.stable is None  # moment loads have no energy: the question has no meaning
    radius = length / (2.0 * math.pi * parts)
    angle = result.s / radius
    circle = radius * np.stack([np.sin(angle), np.zeros_like(angle), np.cos(angle) - 1.0], axis=1)
    assert np.allclose(result.positions, circle, rtol=0, atol=1e-7 * length)
    assert np.allclose(result.curvature, 1.0 / radius, rtol=1e-6)
    assert np.allclose(result.moment, [0.0, size, 0.0], rtol=0, atol=1e-6 * size)
    assert np.allclose(result.reactions["start"].moment, [0.0, -size, 0.0], rtol=0, atol=1e-6 * size)
    assert np.allclose(result.reactions["start"].force, 0.0, atol=1e-6 * size / length)


def test_same_bytes_twice() -> None:
    """Cold solves, and a chain of warm ones, repeat to the last bit."""

    def run() -> list[bytes]:
        simulation = Simulation(Scene.from_dict({"cables": [HOSE]}))
        found = []
        for k in range(4):
            simulation.move(f"{CABLE}/end", position=(0.25, 0.1 + 0.01 * k, -0.1))
            simulation.solve().raise_if_failed()
            result = simulation.cable(CABLE)
            found += [result.positions.tobytes(), result.moment.tobytes(), result.quaternions.tobytes()]
        return found

    first = run()
    solved({"cables": [PLAIN]})  # another solve in between leaves no trace
    assert run() == first
