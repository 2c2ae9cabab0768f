"""Ropes that come to lie on parts that their paths do not name."""

import math
from typing import Any

import numpy as np
import pytest

from lissom.machines.drawing import hanging, rope_line
from lissom.machines.machine import Machine
from lissom.scene import Scene, SceneError
from tests.machines.scenes import AXLE, held, over, scene, weight, wheel

DT = 1.0 / 60.0
SHAPES: dict[str, Any] = {
    "cylinder": {"kind": "cylinder", "radius": 0.05, "length": 0.4},
    "sphere": {"kind": "sphere", "radius": 0.05},
    "capsule": {"kind": "capsule", "radius": 0.05, "length": 0.2},
    "box": {"kind": "box", "size": [0.1, 0.1, 0.4]},
    "profile": {"kind": "profile", "points": [[-0.05, -0.05], [0.05, -0.05], [0.0, 0.05]], "length": 0.4},
}


def steps(machine: Machine, seconds: float) -> Machine:
    for _ in range(round(seconds / DT)):
        machine.step(DT)
    return machine


def standing(machine: Machine) -> Machine:
    """With all motors held."""
    for name in machine.joints:
        machine.set_motor(name, speed=0.0)
    return steps(machine, 0.5)


def snag(shape: Any, *, declared: bool = False, friction: float = 0.0, **said: Any) -> Scene:
    """A rope from a hook over a sheave to a weight of 2 kg, and a post that a motor carries down into it."""
    post = {"name": "post", "shape": shape, "position": [1.0, 0.0, 0.4], "tangent": AXLE, "motion": "free", "mass": 5.0}
    guide = {"name": "travel", "part": "post", "kind": "slide", "axis": [0, 0, 1], "origin": [1.0, 0.0, 0.4]}
    parts = [
        {"name": "hook"},
        {**post, "friction": friction, "collide": False, **said},
        wheel("sheave", 2.0, -0.1, 0.1),
        weight("bob", 2.1, -1.5, 2.0),
    ]
    path = [held("hook"), over("sheave", "right", friction=0.0), held("bob")]
    rope: dict[str, Any] = {"name": "rope", "path": path}
    if declared:
        path.insert(1, over("post", "left", active=False, friction=friction))
    else:
        rope["meets"] = ["post"]
    return scene(parts, [{**guide, "motor": {"speed": -0.5}}], [rope])


@pytest.mark.parametrize("kind", SHAPES)
def test_a_post_takes_the_rope_along_and_leaves_it(kind: str) -> None:
    """The weight pulls with its 19.62 N in all three spans; back up, all is as it was, and no length is lost."""
    machine = Machine(snag(SHAPES[kind]))
    start = machine.rope("rope")
    assert start.parts == ("hook", "sheave", "bob", "post")
    steps(machine, 0.6)
    assert not machine.rope("rope").active[3]
    steps(machine, 1.0)
    now = standing(machine).rope("rope")
    assert now.leaves.tolist() == [0, 3, 1]
    assert now.arrives.tolist() == [3, 1, 2]
    assert now.tension == pytest.approx([19.62] * 3, rel=0.01)
    assert now.fleet[3] < 1e-9
    assert now.total == pytest.approx(start.total, abs=1e-12)
    line = rope_line(machine, "rope")
    assert np.linalg.norm(np.diff(line, axis=0), axis=1).sum() == pytest.approx(start.total, rel=1e-3)
    machine.set_motor("travel", speed=0.5)
    steps(machine, 2.0)
    end = machine.rope("rope")
    assert not end.active[3]
    assert end.rest == pytest.approx(start.rest, abs=1e-3)
    assert end.total == pytest.approx(start.total, abs=1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_a_post_is_met_as_if_the_path_named_it(friction: float) -> None:
    """Lengths and tensions to rounding; the order of links differs."""
    named, met = (Machine(snag(SHAPES["cylinder"], declared=k, friction=friction)) for k in (True, False))
    for _ in range(100):
        named.step(DT)
        met.step(DT)
        one, two = named.rope("rope"), met.rope("rope")
        assert two.active[3] == one.active[1]
        assert two.rest == pytest.approx(one.rest, abs=1e-9)
        assert two.stored[3] == pytest.approx(one.stored[1], abs=1e-9)
        assert two.tension == pytest.approx(one.tension, rel=1e-6, abs=1e-6)
    assert two.active[3]


def test_wrap_and_friction_on_a_post() -> None:
    """The wrap is the sum of the angles of both tangents; the rope is drawn over it, so e^{μφ} between its tensions."""
    machine = steps(Machine(snag(SHAPES["cylinder"], friction=0.2)), 1.6)
    now = machine.rope("rope")
    depth = -machine.pose("post")[0][2]
    r, far = 0.05, math.hypot(1.0, depth)
    before = math.atan2(depth, 1.0) + math.asin(r / far)  # below the horizontal, from a point to the post's underside
    d = math.hypot(1.0, depth - 0.1)  # from the post to the sheave, crossed: r1 + r2 between the tangents
    after = math.atan2(depth - 0.1, 1.0) + math.asin((r + 0.1) / d)
    assert now.stored[3] / r == pytest.approx(before + after, abs=1e-3)
    assert now.tension[0] / now.tension[1] == pytest.approx(math.exp(0.2 * (before + after)), rel=0.02)
    assert now.tension[2] == pytest.approx(now.tension[1], rel=1e-6)


def test_the_plane_is_that_of_the_rope_and_of_the_edge_that_it_touches() -> None:
    """A box turned by 30° about the vertical, met aslant by a rope: the plane holds the rope, which bends over the edge
    as over one square to it, by the angle between both spans.
    """
    turned: dict[str, Any] = {"quaternion": [math.cos(math.pi / 12), 0.0, 0.0, math.sin(math.pi / 12)], "tangent": None}
    machine = Machine(snag({"kind": "box", "size": [0.2, 0.6, 0.1]}, **turned))
    now = standing(steps(machine, 1.6)).rope("rope")
    assert now.active[3]
    assert now.fleet[3] < 1e-6
    assert now.tension == pytest.approx([19.62] * 3, rel=0.01)
    low = machine.pose("post")[0][2] - 0.05
    assert now.end[0][2] == pytest.approx(low, abs=1e-6)
    assert now.start[1][2] == pytest.approx(low, abs=1e-6)
    assert now.stored[3] == pytest.approx(0.2 / math.cos(math.pi / 6), rel=1e-6)  # across the box as the rope runs


def test_a_cylinder_may_be_met_along_its_axis() -> None:
    """A log that lies along the rope: it bends at both ends of it, over the rims."""
    log = {"kind": "cylinder", "radius": 0.05, "length": 0.4}
    machine = standing(steps(Machine(snag(log, tangent=[1, 0, 0])), 1.6))
    now = machine.rope("rope")
    assert now.active[3]
    assert now.stored[3] == pytest.approx(0.4, rel=1e-3)
    assert now.tension == pytest.approx([19.62] * 3, rel=0.01)


def posts(meets: list[str]) -> Scene:
    """Two posts 0.5 m and 1.5 m along a rope of 2 m between hooks, on slides that carry them down onto it."""
    parts: list[Any] = [{"name": "hooks"}, wheel("sheave", 2.0, -0.1, 0.1), weight("bob", 2.1, -1.5, 2.0)]
    joints = []
    for name, x in (("near", 0.5), ("far", 1.5)):
        parts.append({**wheel(name, x, 0.2, 0.05, motion="free", mass=5.0), "shape": SHAPES["cylinder"]})
        guide = {"name": f"{name} travel", "part": name, "kind": "slide", "axis": [0, 0, 1], "origin": [x, 0.0, 0.2]}
        joints.append({**guide, "motor": {"speed": -0.3 if name == "far" else -0.25}})
    path = [held("hooks"), over("sheave", "right", friction=0.0), held("bob")]
    return scene(parts, joints, [{"name": "rope", "meets": meets, "path": path}])


@pytest.mark.parametrize("meets", [["near", "far"], ["far", "near"]])
def test_two_posts_are_in_the_order_in_which_the_rope_passes_them(meets: list[str]) -> None:
    machine = Machine(posts(meets))
    total = machine.rope("rope").total
    now = standing(steps(machine, 1.4)).rope("rope")
    assert [now.parts[i] for i in now.leaves] == ["hooks", "near", "far", "sheave"]
    assert now.tension == pytest.approx([19.62] * 4, rel=0.01)
    assert now.total == pytest.approx(total, abs=1e-12)


def test_a_star_meets_all_that_collides() -> None:
    said = snag(SHAPES["box"]).to_dict()
    said["ropes"][0]["meets"] = ["*"]
    machine = Machine(Scene.from_dict(said))
    assert machine.rope("rope").parts == ("hook", "sheave", "bob")  # the post says collide = false
    said["parts"][1]["collide"] = True
    assert Machine(Scene.from_dict(said)).rope("rope").parts == ("hook", "sheave", "bob", "post")


def test_a_machine_goes_on_from_its_state_on_a_met_part() -> None:
    machine = steps(Machine(snag(SHAPES["box"])), 1.2)
    assert machine.rope("rope").active[3]
    again = Machine.from_state(machine.state)
    for one in (machine, again):
        one.set_motor("travel", speed=0.5)
        steps(one, 1.2)
    assert not machine.rope("rope").active[3]
    assert np.array_equal(machine.rope("rope").rest, again.rope("rope").rest)
    assert machine.energy == again.energy


@pytest.mark.parametrize("kind", ["cylinder", "box"])
def test_a_slack_rope_is_lifted_by_a_part_that_its_path_does_not_name(kind: str) -> None:
    """3 m between hooks 2 m apart: met at the bottom of the catenary, more than 1 m below the straight line."""
    bar = {"name": "bar", "shape": SHAPES[kind], "position": [1.0, 0.0, -1.5], "tangent": AXLE}
    guide = {"name": "travel", "part": "bar", "kind": "slide", "axis": [0, 0, 1], "origin": [1.0, 0.0, -1.5]}
    rope = {"name": "rope", "meets": ["bar"], "path": [held("hooks", 0.0, slack=1.0), held("hooks", 2.0)]}
    parts = [{"name": "hooks"}, {**bar, "motion": "free", "mass": 1.0}]
    machine = Machine(scene(parts, [{**guide, "motor": {"speed": 0.5}}], [rope]))
    sag = -float(hanging(np.zeros(3), np.array([2.0, 0.0, 0.0]), 3.0, np.array([0.0, 0.0, -9.81]))[:, 2].min())
    while not machine.rope("rope").active[2]:
        machine.step(DT)
        assert machine.time < 2.0
    assert machine.pose("bar")[0][2] + 0.05 == pytest.approx(-sag, abs=0.02)
    for _ in range(120):
        machine.step(DT)
        now = machine.rope("rope")
        assert now.active[2]
        assert now.tension.max() == 0.0
        assert now.total == pytest.approx(3.0, abs=1e-12)
    assert machine.pose("bar")[0][2] > -0.1
    assert now.rest[0] == pytest.approx(now.rest[1], abs=0.01)


def test_an_elastic_rope_keeps_its_tension_and_energy_when_it_meets_a_part() -> None:
    """With a compliance per span, which is shared out and added up again."""
    said = snag(SHAPES["cylinder"]).to_dict()
    said["ropes"][0] |= {"compliance": 1e-3, "tension": 19.62}
    said["joints"][0]["motor"] = {"speed": -0.2}
    machine = Machine(Scene.from_dict(said))
    total = machine.rope("rope").total
    steps(machine, 1.6)
    for _ in range(30):
        before = machine.rope("rope")
        machine.step(DT)
        now = machine.rope("rope")
        if now.active[3] and not before.active[3]:
            assert now.tension[0] == pytest.approx(before.tension[0], rel=0.05)
    assert now.active[3]
    assert now.total == pytest.approx(total, abs=1e-12)


WRONG: list[tuple[list[str], str]] = [
    (["pots"], 'no part of this name; did you mean "post"'),
    (["hook"], "must have a shape other than a plane, or a mesh"),
    (["*", "post"], r'must be \["\*"\] alone'),
]


@pytest.mark.parametrize(("meets", "words"), WRONG)
def test_what_a_rope_cannot_meet_is_refused(meets: list[str], words: str) -> None:
    said = snag(SHAPES["box"]).to_dict()
    said["ropes"][0]["meets"] = meets
    with pytest.raises(SceneError, match=words):
        Scene.from_dict(said)


@pytest.mark.parametrize("kind", SHAPES)
def test_a_rope_that_runs_through_a_part_at_the_beginning_is_refused(kind: str) -> None:
    said = snag(SHAPES[kind]).to_dict()
    said["parts"][1]["position"] = [1.0, 0.0, 0.01]
    with pytest.raises(SceneError, match="its span from hook to sheave runs through post"):
        Machine(Scene.from_dict(said))
