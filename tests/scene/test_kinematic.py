"""What a kinematic cable may not have is said with its field, and with a cure."""

from typing import Any

import pytest

from lissom.scene import Scene, SceneError
from tests.kinematic.cases import HOSE


def refused(data: dict[str, Any]) -> str:
    with pytest.raises(SceneError) as caught:
        Scene.from_dict(data)
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "where", "text"),
    [
        ({"model": "catenary"}, "model", "kinematic"),
        ({"rest": {"curvature": [1.0, 0.0, 0.0]}}, "rest", "straight at rest"),
        ({"points": 100000}, "points = 100000", "at most 4097"),
        ({"friction": 0.3}, "friction", "slips freely"),
        ({"loads": [{"at": 0.5, "moment": [0, 0, 1]}]}, "load 1.moment", "carries forces only"),
        ({"clips": [{"kind": "ring", "position": [0.1, 0, 0]}]}, "clip", "fixed lengths"),
        ({"end": {**HOSE["end"], "free": ["x"]}}, "free", "held in place"),
        ({"stiffness": {"bending": [0.02, 0.01], "torsion": 0.016}}, "model", "round section"),
        ({"stiffness": {"bending": 0.02, "torsion": 0.016, "axial": 100.0}}, "model", "keeps its length"),
    ],
    ids=lambda k: str(k)[:30],
)
def test_it_says_what_to_do_instead(changes: dict[str, Any], where: str, text: str) -> None:
    message = refused({"cables": [{**HOSE, **changes}]})
    assert where in message
    assert text in message
    if where != "model" or "model" not in changes:
        assert 'model = "rod"' in message


def test_the_same_is_allowed_on_a_rod() -> None:
    Scene.from_dict({"cables": [{**HOSE, "model": "rod", "friction": 0.3}]})


def test_free_junctions_and_parts_are_not_for_it() -> None:
    cables = [{k: v for k, v in HOSE.items() if k != "end"}, {**HOSE, "name": "other", "model": "rod"}]
    cables[1].pop("end")
    cables[1]["start"] = {"position": [0.5, 0, 0], "tangent": [-1, 0, 0]}
    members = [{"cable": "hose", "at": "end"}, {"cable": "other", "at": "end"}]
    message = refused({"cables": cables, "junctions": [{"name": "tee", "members": members}]})
    assert '"tee" floats' in message
    part = {"name": "block", "motion": "free", "mass": 0.1, "position": [0.3, 0.2, 0.0]}
    on = {**HOSE, "end": {"on": "block", "position": [0, 0, 0], "tangent": [0, 1, 0]}}
    message = refused({"cables": [on], "parts": [part]})
    assert 'motion = "held"' in message


def test_a_clip_may_not_be_called_model() -> None:
    assert "model" in refused({"cables": [{**HOSE, "clips": [{"name": "model", "at": 0.5, "position": [0, 0, 0]}]}]})
