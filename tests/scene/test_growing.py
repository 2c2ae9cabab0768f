"""A cable that grows between places: what lies beyond stays, what lies between is treated as it was said."""

from typing import Any

import numpy as np
import pytest

from lissom.scene import Rest, Scene, SceneError
from lissom.scene.growing import grown
from lissom.scene.rest import moulded_length, strains

ELBOW: list[list[float]] = [[0, 0, 0], [0.05, 0, 0], [0.1, 0, 0], [0.138, 0, 0.008], [0.171, 0, 0.029]]
ELBOW += [[0.192, 0, 0.062], [0.2, 0, 0.1]]
ELBOW += [[0.2, 0, 0.15], [0.2, 0, 0.2]]


def scene(**fields: Any) -> Scene:
    cable = {
        "name": "hose",
        "length": 1.0,
        "stiffness": {"bending": 0.03, "torsion": 0.02},
        "mass_per_length": 0.1,
        "start": {"position": [0, 0, 0]},
        "end": {"position": [0.5, 0, 0]},
        **fields,
    }
    return Scene.from_dict({"cables": [cable]})


def clip(name: str, **place: float) -> dict[str, Any]:
    return {"name": name, "kind": "ball", "position": [0.2, 0, 0], **place}


def longer(before: Scene, low: float, high: float, by: float) -> Scene:
    old = np.unique([0.0, low, high, before.cable("hose").length])
    return grown(before, "hose", old, old + np.where(old >= high, by, 0.0))


def places(found: Scene) -> list[float]:
    cable = found.cable("hose")
    return [place for k in cable.clips if (place := k.place(cable.length)) is not None]


def test_what_lies_beyond_keeps_its_distances() -> None:
    """However it is said: before the places nothing moves, after them everything moves along."""
    clips = [clip("a", at=0.1), clip("b", from_start=0.2), clip("c", from_end=0.85)]
    clips += [clip("d", at=0.8), clip("e", from_start=0.7), clip("f", from_end=0.1)]
    found = longer(scene(clips=clips), 0.3, 0.6, 0.5)
    assert found.cable("hose").length == pytest.approx(1.5, abs=1e-15)
    assert places(found) == pytest.approx([0.1, 0.2, 0.15, 1.3, 1.2, 1.4], abs=1e-12)
    said = found.cable("hose").clips
    assert (said[0].at, said[1].from_start, said[2].from_end) == pytest.approx((0.1 / 1.5, 0.2, 1.35))
    assert (said[3].at, said[4].from_start, said[5].from_end) == pytest.approx((1.3 / 1.5, 1.2, 0.1))


def test_between_the_places_fractions_stay_fractions_and_lengths_lengths() -> None:
    clips = [clip("a", at=0.4), clip("b", from_start=0.45), clip("c", from_end=0.45)]
    found = longer(scene(clips=clips), 0.3, 0.7, 0.4)
    assert places(found) == pytest.approx([0.5, 0.45, 0.95], abs=1e-12)


def test_a_length_that_no_longer_fits_is_refused() -> None:
    with pytest.raises(SceneError, match=r"hose/b\.from_start = 0\.6.*only 100 mm there"):
        longer(scene(clips=[clip("b", from_start=0.6)]), 0.3, 0.7, -0.3)


def test_loads_stretches_and_joints_go_along() -> None:
    data = scene(loads=[{"at": 0.9, "force": [0, 0, -1]}, {"from_start": 0.1, "force": [0, 0, -1]}]).to_dict()
    data["cables"][0]["stretches"] = [{"from": 0.5, "to": 1.0, "type": "taped"}]
    data["types"] = {"taped": {"stiffness": {"bending": 0.05, "torsion": 0.03}, "mass_per_length": 0.2}}
    other = {**data["cables"][0], "name": "other", "start": None, "loads": None, "stretches": None}
    data["cables"].append({key: value for key, value in other.items() if value is not None})
    members = [{"cable": "hose", "at": 0.7}, {"cable": "other", "at": "start"}]
    data["junctions"] = [{"name": "Y", "members": members}]
    found = longer(Scene.from_dict(data), 0.2, 0.6, 1.0)
    hose = found.cable("hose")
    assert [k.place(2.0) for k in hose.loads] == pytest.approx([1.9, 0.1])
    assert (hose.stretches[0].from_ * 2.0, hose.stretches[0].to) == pytest.approx((0.2 + 0.3 * 3.5, 1.0))
    assert found.junction("Y").members[0].place(2.0) == pytest.approx(1.7)
    assert found.junction("Y").members[1].at == "start"


def test_rest_curvature_stays_with_its_material() -> None:
    """Beyond the places nothing changes; between them the values are drawn out, not scaled."""
    given = [[float(k), 0.0, 0.1] for k in range(101)]
    found = longer(scene(rest={"curvature": given}), 0.5, 0.6, 0.2).cable("hose")
    s = np.linspace(0.0, 1.2, 1201)
    old = np.interp(s, [0.0, 0.5, 0.8, 1.2], [0.0, 0.5, 0.6, 1.0])
    got = strains(found.rest, 1.2, s)
    assert np.abs(got[:, 0] - 100.0 * old).max() < 1.0  # of 100: the list is as coarse as it was
    assert np.allclose(got[:, 2], 0.1)
    even = grown(scene(rest={"curvature": given}), "hose", np.array([0.0, 1.0]), np.array([0.0, 1.3])).cable("hose")
    assert even.rest == scene(rest={"curvature": given}).cable("hose").rest


def turning(rest: Rest, length: float) -> float:
    """By how much the shape turns from start to end, rad."""
    s = np.linspace(0.0, length, 2001)
    return float(np.linalg.norm(np.trapezoid(strains(rest, length, s), s, axis=0)))


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.25, 0.75), (0.0, 0.3)])
def test_a_mould_keeps_its_angles(low: float, high: float) -> None:
    points = tuple((p[0], p[1], p[2]) for p in ELBOW)
    length = moulded_length(points)
    by = 0.2 * length
    found = longer(scene(length=length, rest={"points": ELBOW}), low * length, high * length, by).cable("hose")
    rest = found.rest
    assert rest is not None
    assert rest.points is not None
    assert moulded_length(rest.points) == pytest.approx(length + by, rel=2e-3)
    assert turning(rest, length + by) == pytest.approx(turning(Rest(points=points), length), rel=5e-3)


def test_saved_and_loaded_again(tmp_path: Any) -> None:
    file = tmp_path / "a.toml"
    scene(clips=[clip("a", at=0.4), clip("b", from_start=0.7)]).save(file)
    found = longer(Scene.load(file), 0.0, 0.5, 0.1)
    found.save(file)
    assert Scene.load(file) == found
