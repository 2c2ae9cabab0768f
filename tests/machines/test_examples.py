"""Every machine of examples/machines does what its closed form says."""

import math
from pathlib import Path

import numpy as np
import pytest

from lissom.machines.machine import Machine
from lissom.scene import Scene

EXAMPLES = Path(__file__).parents[2] / "examples" / "machines"
DT = 1.0 / 60.0
G = 9.81


def example(name: str, *, substeps: int = 10, changes: dict[str, float] | None = None) -> Machine:
    scene = Scene.load(EXAMPLES / f"{name}.toml")
    return Machine(scene.with_values(changes) if changes else scene, substeps=substeps)


def steps(machine: Machine, seconds: float, dt: float = DT) -> Machine:
    for _ in range(round(seconds / dt)):
        machine.step(dt)
    return machine


@pytest.mark.parametrize(("name", "density"), [("simple", 1.0), ("simple-1000", 1000.0)])
def test_simple(name: str, density: float) -> None:
    """Fig. 12: 10 N per kg/m³ below the upper box, 20 N above, whatever the density; nothing moves."""
    machine = steps(example(name), 2.0)
    assert machine.rope("rope").tension / density == pytest.approx([10.0, 20.0, 20.0, 20.0], rel=1e-6)
    assert abs(machine.velocity("double")[2]) < 1e-6


def test_servin() -> None:
    """Smooth wheels: one tension T. With m1 = 1.2, m2 = 1 and seven blocks of 2: 16 g = T (1/m1 + 1/m2 + 14)."""
    machine = steps(example("servin"), 0.2)
    tension = 16.0 * G / (1.0 / 1.2 + 1.0 + 14.0)
    assert machine.rope("rope").tension == pytest.approx([tension] * 16, rel=1e-3)
    assert machine.velocity("first")[2] / machine.time == pytest.approx(tension / 1.2 - G, rel=1e-3)
    assert machine.velocity("block 3")[2] / machine.time == pytest.approx(tension - G, rel=0.01)


def test_chain() -> None:
    """Fig. 14: 100 segments on ball joints carry 20 N in the mean, and 0.1 N more for each that hangs.

    The piece between the wheels swings.
    """
    machine = steps(example("chain"), 0.5)
    held = np.zeros(2)
    for _ in range(120):
        machine.step(DT)
        held += [machine.joint(name).force[2] / 120 for name in ("pin 0", "pin 20")]
    assert held == pytest.approx([-20.0, -22.0], rel=0.05)
    assert machine.pose("left")[0][2] == pytest.approx(-4.0, abs=0.05)


def test_elastic() -> None:
    """Fig. 15, left: 0.01 m/N longer than the rope is; it swings about 10 N and 20 N."""
    machine = example("elastic")
    tension = np.zeros(4)
    for _ in range(900):
        machine.step(DT)
        rope = machine.rope("rope")
        tension += rope.tension / 900
        assert np.maximum(rope.length - rope.rest, 0.0) == pytest.approx(0.01 * rope.tension, abs=1e-4)
    assert tension == pytest.approx([10.0, 20.0, 20.0, 20.0], rel=0.02)


def test_elastic_bodies_reach_the_ground() -> None:
    """Fig. 15, right: with 0.1 m/N the bodies come to stand on the ground; the rope carries less than they weigh."""
    machine = steps(example("elastic-soft", substeps=2), 30.0)
    rope = machine.rope("rope")
    assert rope.length - rope.rest == pytest.approx(0.1 * rope.tension, rel=0.02, abs=1e-3)
    assert machine.pose("lower")[0][2] == pytest.approx(-7.5, abs=5e-3)
    assert rope.tension[0] < 10.0
    assert np.all(rope.tension[1:] < 20.0)


def test_gear() -> None:
    """Fig. 16: 1 kg on the large drum holds 4 kg on the small one; 2 kg lift them with a = g (2 R − 4 r) R / (…)."""
    machine = steps(example("gear"), 2.0)
    assert machine.rope("pull").tension == pytest.approx([G], rel=1e-6)
    assert machine.rope("lift").tension == pytest.approx([4.0 * G], rel=1e-6)
    assert abs(machine.velocity("load")[2]) < 1e-9
    lifted = steps(example("gear", changes={"weight/mass": 2.0}), 0.5)
    turn = G * (2.0 * 0.2 - 4.0 * 0.05) / (0.01 + 2.0 * 0.2**2 + 4.0 * 0.05**2)
    assert lifted.velocity("load")[2] / lifted.time == pytest.approx(0.05 * turn, rel=0.01)


def test_snag() -> None:
    """The beam takes up the rope, which is drawn over its edges: e^{0.15 φ} with the angle φ between its spans."""
    machine = steps(example("snag"), 1.5)
    now = machine.rope("rope")
    assert [now.parts[i] for i in now.leaves] == ["post", "beam", "sheave"]
    ways = (now.end - now.start)[:2] / now.length[:2, None]
    bend = math.acos(float(ways[0] @ ways[1]))
    assert now.tension[0] / now.tension[1] == pytest.approx(math.exp(0.15 * bend), rel=0.02)
    assert now.end[0][2] == pytest.approx(machine.pose("beam")[0][2] - 0.044, abs=2e-3)  # half the rope below it
    machine.set_motor("travel", speed=0.4)
    assert not steps(machine, 1.5).rope("rope").active[3]


def test_merge_and_split() -> None:
    """Fig. 17, left: the bar pushes the rope down and lifts the weight; up again, it leaves it as it was."""
    machine = example("merge-split")
    start = machine.pose("weight")[0][2]
    total = machine.rope("rope").total
    steps(machine, 1.4)
    assert machine.rope("rope").active[1]
    depth = 0.4 + 0.05  # of the bottom of the bar below the rope, after 0.7 m of 0.3 m above to 0.4 m below
    ways = 2.0 * math.hypot(1.0, depth) - 2.0  # as if around a point: the bar's radius makes it a little less
    lifted = machine.pose("weight")[0][2] - start
    assert lifted == pytest.approx(ways, rel=0.1)
    assert machine.rope("rope").tension == pytest.approx([2.0 * G] * 3, rel=0.05)
    machine.set_motor("travel", speed=0.5)
    steps(machine, 1.6)
    assert not machine.rope("rope").active[1]
    assert machine.pose("weight")[0][2] == pytest.approx(start, abs=5e-3)
    assert machine.rope("rope").total == pytest.approx(total, abs=1e-12)


def test_hybrids() -> None:
    """Fig. 17, right: each bob hangs lower by the rope that was on its wheel."""
    machine = steps(example("hybrid", substeps=5), 30.0)
    for k, stored in enumerate((0.2, 0.5, 1.0, 1.5)):
        assert machine.pose(f"bob {k}")[0][2] == pytest.approx(-0.5 - stored - 0.1, abs=0.02)
        assert machine.rope(f"rope {k}").stored[0] == 0.0


def spins(machine: Machine) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """rad/s of the wheels in the order of the rope."""
    path = machine.scene.ropes[0].path
    return np.array([np.linalg.norm(machine.angular_velocity(link.on)) for link in path])


@pytest.mark.parametrize(("name", "joints"), [("hilbert-2", 62), ("hilbert-3", 498)])
def test_hilbert_taut(name: str, joints: int) -> None:
    """Fig. 18, top: all wheels turn at once, as fast as the motor's."""
    machine = example(name)
    assert len(machine.rope("rope").tension) == joints
    steps(machine, 0.2)
    assert spins(machine) == pytest.approx(np.full(joints + 1, 2.0), rel=0.02)
    assert np.all(machine.rope("rope").tension > 0.0)


@pytest.mark.parametrize(("name", "wheels"), [("hilbert-2-slack", 62), ("hilbert-3-slack", 12)])
def test_hilbert_slack(name: str, wheels: int) -> None:
    """Fig. 18, bottom: 0.3 m/s take up 50 mm after 50 mm, so wheel k starts after k/6 s, one after the other."""
    machine = example(name)
    started = np.full(len(machine.scene.ropes[0].path), np.nan)
    for _ in range(10 * wheels + 40):
        machine.step(DT)
        first = np.isnan(started) & (spins(machine) > 0.2)
        started[first] = machine.time
    begun = started[: wheels + 1]
    assert np.all(np.diff(begun) > 0.0)
    assert begun[1:] == pytest.approx(np.arange(1, wheels + 1) * 0.05 / 0.3, abs=0.1)


def test_bow() -> None:
    """Fig. 19: the springs' energy between drawn and straight goes into the arrow, the nock and the limbs."""
    machine = example("bow")
    start = machine.energy
    fastest, highest = 0.0, 0.0
    for _ in range(200):
        machine.step(1e-3)
        fastest = max(fastest, float(machine.velocity("arrow")[0]))
        highest = max(highest, float(machine.rope("string").tension.max()))
        assert machine.energy <= start * (1.0 + 1e-3)
    straight = math.acos(0.5 / 0.6)  # of the limbs, when the string is
    given = 120.0 * (math.radians(60.0) ** 2 - straight**2)
    assert 0.5 * 0.03 * fastest**2 == pytest.approx(given, rel=0.15)
    assert 0.5 * 0.03 * fastest**2 < given
    assert machine.velocity("arrow")[0] == pytest.approx(fastest, rel=1e-6)
    assert highest > 500.0


def test_hand() -> None:
    """Fig. 1: the flexors close the fingers, with one tension through all pinholes; let go, the extensors open them."""
    machine = steps(example("hand"), 1.0)
    for f in range(4):
        flexor, extensor = machine.rope(f"flexor {f}").tension, machine.rope(f"extensor {f}").tension
        assert flexor == pytest.approx([flexor[0]] * 3, rel=1e-4)
        assert extensor == pytest.approx([extensor[0]] * 4, rel=1e-4)
        closed = [machine.joint(f"knuckle {f}{k}").value for k in range(3)]
        assert sum(closed) > math.radians(120.0)
        rope = machine.rope(f"extensor {f}")
        assert extensor[0] == pytest.approx(50.0 * float((rope.length / rope.rest - 1.0)[1]), rel=0.02)
        machine.set_motor(f"flexor motor {f}", torque=0.0)
    steps(machine, 2.0)
    for f in range(4):
        assert sum(machine.joint(f"knuckle {f}{k}").value for k in range(3)) < math.radians(45.0)


def test_tackle() -> None:
    """Four parts carry 100 kg: a quarter in each; 0.4 m/s of rope lift at 0.1 m/s."""
    machine = example("tackle")
    before = machine.pose("block")[0][2]
    steps(machine, 3.0)
    assert machine.rope("fall").tension == pytest.approx([25.0 * G] * 5, rel=1e-3)
    assert machine.pose("block")[0][2] - before == pytest.approx(0.1 * machine.time, rel=0.01)
    assert machine.joint("winch").torque == pytest.approx(25.0 * G * 0.1, rel=1e-3)


@pytest.mark.parametrize("handle", ["left high", "left low", "right high", "right low"])
def test_gym(handle: str) -> None:
    """Fig. 20: each handle lifts the stack of 50 kg with half of it, less what both floating pulleys of 1 kg weigh."""
    machine = example("gym")
    machine.set_motor(f"{handle} pull", speed=0.2)
    steps(machine, 2.0)
    side = handle.partition(" ")[0]
    weight = {"low": 0.2 * G, "high": 0.0}[handle.partition(" ")[2]]
    assert machine.rope(f"{side} handle rope").tension == pytest.approx([24.0 * G] * 6, rel=1e-3)
    assert machine.joint(f"{handle} pull").torque == pytest.approx(24.0 * G + weight, rel=1e-3)
    assert machine.joint("stack guide").value == pytest.approx(0.5 * 0.2 * machine.time, rel=0.01)


def test_crane_holds_lifts_and_travels() -> None:
    """Two parts carry 2 t; 1 rad/s on the drum lifts at half its 308 mm; the trolley travels without lifting."""
    machine = steps(example("crane"), 2.0)
    assert machine.rope("hoist").tension == pytest.approx([1000.0 * G] * 4, rel=0.02)
    assert machine.joint("winch").torque == pytest.approx(1000.0 * G * 0.308, rel=0.02)
    before = machine.pose("hook block")[0][2]
    machine.set_motor("travel", speed=0.5)
    steps(machine, 8.0)
    assert machine.joint("travel").value == pytest.approx(4.0, rel=1e-3)
    machine.set_motor("travel", speed=0.0)
    assert machine.pose("hook block")[0][2] == pytest.approx(before, abs=0.15)
    machine.set_motor("winch", speed=1.0, torque=20000.0)
    low = machine.rope("hoist").stored[0]
    steps(machine, 4.0)
    assert machine.rope("hoist").stored[0] - low == pytest.approx(0.308 * 4.0, rel=0.01)
    assert machine.pose("hook block")[0][2] - before == pytest.approx(0.154 * 4.0, abs=0.15)
