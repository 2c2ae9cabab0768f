"""The scene as a whole: types, equality, immutability."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest
from pydantic import ValidationError

from lissom.scene import Cable, CableType, End, Limits, Scene, SceneError, library


def test_every_key_of_the_full_scene_arrives(full: str) -> None:
    scene = Scene.from_toml(full)
    hose = scene.cable("brake hose")
    assert scene.gravity == (0.0, 0.0, -9.81)
    assert hose.length == 0.42
    assert [clip.name for clip in hose.clips] == ["clip 1", "guide"]
    assert [clip.place(hose.length) for clip in hose.clips] == [0.21, None]
    assert hose.loads[1].place(hose.length) == 0.42 - 0.05
    assert hose.loads[1].moment == (0.0, 0.0, 0.02)
    assert hose.rest is not None
    assert hose.rest.curvature == ((0.0, 0.5, 0.0), (0.0, 1.0, 0.0), (0.0, 2.0, 0.0))
    assert (hose.stretches[0].from_, hose.stretches[0].to) == (0.2, 0.4)


def test_types_by_name_from_the_library_and_written_on_the_cable(full: str) -> None:
    scene = Scene.from_toml(full)
    assert scene.type_of("strap") is scene.types["flat 2.5"]
    assert scene.type_of("wire").stiffness == scene.cable("wire").stiffness
    assert scene.type_of("wire").radius == 0.001
    coax = scene.with_value("strap/type", "library:rg-58")
    assert coax.type_of("strap") == library()["rg-58"]
    with pytest.raises(SceneError, match='did you mean "strap"'):
        scene.cable("strip")
    with pytest.raises(SceneError, match="is not among the"):
        scene.named_type("nothing")


def test_limits_on_a_cable_replace_those_of_its_type_one_by_one(full: str) -> None:
    limits = Scene.from_toml(full).type_of("brake hose").limits
    assert limits == Limits(bend_radius=0.05, measured="inside", clearance=0.003, tension=30.0, stress=2e6)


def test_limits_on_a_cable_need_what_the_type_has(full: str) -> None:
    scene = Scene.from_toml(full).with_value("strap/type", "library:rg-58")
    with pytest.raises(SceneError, match=r"strap/limits.stress = 1000.0: needs a type with a section"):
        scene.with_value("strap/limits.stress", 1000)


def test_kinds_of_ends_follow_from_what_is_given() -> None:
    assert End(position=(0, 0, 0)).kind == "ball"
    assert End(position=(0, 0, 0), tangent=(1, 0, 0)).kind == "clamp"
    assert End(position=(0, 0, 0), quaternion=(1, 0, 0, 0)).kind == "clamp"
    assert End().kind == "free"
    assert End(position=(0, 0, 0), tangent=(1, 0, 0), kind="swivel").kind == "swivel"
    assert End(position=(0, 0, 0)) == End(position=(0, 0, 0), kind="ball")


def test_frames_of_ends() -> None:
    plain = End(position=(0, 0, 0), tangent=(0, 0, 3))
    assert plain.direction == (0.0, 0.0, 1.0)
    assert plain.orientation is None  # no roll: its frame depends on the clamp before it
    assert End(position=(0, 0, 0), tangent=(0, 0, 3), roll=0).orientation == (1.0, 0.0, 0.0, 0.0)
    q = (0.6, 0.8000001, 0.0, 0.0)
    turned = End(position=(0, 0, 0), quaternion=q)
    assert turned.quaternion == q  # as written,
    assert turned.orientation is not None
    assert sum(c * c for c in turned.orientation) == pytest.approx(1.0, abs=1e-15)  # but used with norm 1


@pytest.mark.parametrize(
    ("twist", "agrees"),
    [("90 deg", True), ("-270 deg", True), ("810.9 deg", True), ("91.1 deg", False), (0, False)],
)
def test_twist_and_frames_must_agree_modulo_turns(twist: str | float, agrees: bool) -> None:
    said = {
        "cables": [
            {
                "name": "c",
                "type": "library:rg-58",
                "length": 1,
                "start": {"position": [0, 0, 0], "tangent": [1, 0, 0], "roll": "-30 deg"},
                "end": {"position": [0.5, 0, 0], "tangent": [1, 0, 0], "roll": "60 deg"},
                "twist": twist,
            }
        ]
    }
    if agrees:
        Scene.from_dict(said)
    else:
        with pytest.raises(SceneError, match=r"c/twist = .*: contradicts the frames .* 90 deg apart"):
            Scene.from_dict(said)


def test_the_twist_of_a_clamp_is_counted_from_the_clamp_before() -> None:
    clip = {"at": 0.5, "position": [0.2, 0, 0], "tangent": [1, 0, 0], "twist": "90 deg"}
    end = {"position": [0.5, 0, 0], "tangent": [1, 0, 0], "roll": "120 deg"}
    cable = {"name": "c", "type": "library:rg-58", "length": 1, "clips": [clip], "end": end}
    cable["start"] = {"position": [0, 0, 0], "tangent": [1, 0, 0], "roll": 0}
    Scene.from_dict({"cables": [{**cable, "twist": "30 deg"}]})
    with pytest.raises(SceneError, match="30 deg apart"):
        Scene.from_dict({"cables": [{**cable, "twist": "120 deg"}]})
    rolled = {**clip, "roll": "10 deg"}
    with pytest.raises(SceneError, match=r"c/clip 1.twist = .* 10 deg apart"):
        Scene.from_dict({"cables": [{**cable, "clips": [rolled]}]})


def test_antiparallel_tangents_leave_the_twist_open() -> None:
    start = {"position": [0, 0, 0], "tangent": [1, 0, 0], "roll": 0}
    end = {"position": [0, 0.1, 0], "tangent": [-1, 0, 0], "roll": 0}
    cable = {"name": "c", "type": "library:rg-58", "length": 1, "start": start, "end": end, "twist": 0.7}
    Scene.from_dict({"cables": [cable]})


def test_scenes_are_immutable_and_can_be_copied(full: str) -> None:
    scene = Scene.from_toml(full)
    with pytest.raises(ValidationError, match="frozen"):
        scene.title = "x"
    with pytest.raises(TypeError, match="immutable"):
        scene.types["x"] = scene.types["epdm"]
    with pytest.raises(TypeError, match="immutable"):
        scene.types.clear()
    for twin in (pickle.loads(pickle.dumps(scene)), copy.deepcopy(scene), copy.copy(scene)):
        assert twin == scene
        assert twin.to_dict() == scene.to_dict()
    assert scene != scene.with_value("title", "x")
    assert scene != 3
    error = pickle.loads(pickle.dumps(SceneError("wrong")))
    assert str(error) == "wrong"


def test_built_in_code() -> None:
    hose = CableType(section={"diameter": "1 cm"}, material={"youngs_modulus": 1e7, "poisson": 0.4, "density": 1000})
    cable = Cable(name="c", type="hose", length=1.0, start=End(position=(0, 0, 0)))
    scene = Scene(types={"hose": hose}, cables=(cable,))
    assert scene.type_of("c") is scene.types["hose"]
    assert Scene.from_dict(scene.to_dict()) == scene


def test_importing_the_scene_is_cheap() -> None:
    heavy = ["numba", "scipy", "matplotlib", "tomlkit", "pydantic.v1"]
    code = f"import sys, lissom.scene; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
