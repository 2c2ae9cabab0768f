"""The desk: variants, views, measured points, colours, curves."""

import math
from pathlib import Path

import numpy as np
import pytest

from lissom.scene import SceneError
from lissom.session.arranging import read_points
from lissom.session.describing import describe
from lissom.session.messages.commands import (
    AddClip,
    AddPoints,
    AddType,
    Arrange,
    Colour,
    Edit,
    KeepVariant,
    KeepView,
    Lengthen,
    Open,
    Plot,
    Redo,
    RemovePoints,
    RemoveVariant,
    RemoveView,
    Save,
    SetUnit,
    ShowVariant,
    TakeVariant,
    Undo,
)
from lissom.session.messages.events import ClipInfo, MakeInfo
from lissom.session.messages.values import Quantity, View
from lissom.session.session import Session
from lissom.session.shapes import along, readouts
from lissom.session.surfaces import Surfaces
from tests.session.scenes import HOSE, apart, certified, make_session, points, same, shape_of


def test_a_variant_brings_its_scene_and_shape_back(harness: Session) -> None:
    before, scene = shape_of(harness), harness.simulation.scene
    harness.do(KeepVariant("short"))
    harness.do(Edit({"trunk/length": 0.33, "plug/position": [0.43, 0.15, 0.0]}))
    longer = shape_of(harness)
    assert apart(longer, before) > 0.01
    harness.do(KeepVariant("long"))
    harness.do(TakeVariant("short"))
    assert harness.simulation.scene.cables == scene.cables
    assert harness.simulation.scene.parts == scene.parts
    assert apart(shape_of(harness), before) < 1e-6
    assert certified(harness)
    info = describe(harness, Surfaces())
    assert [k.name for k in info.variants] == ["short", "long"]
    np.testing.assert_allclose(info.variants[1].shapes["trunk"], longer["trunk"], atol=1e-6)
    length = next(k for k in info.variants[1].cables if k.name == "trunk").length
    assert length == pytest.approx(0.33)
    harness.do(Undo())
    assert same(shape_of(harness), longer)


def test_a_variant_of_another_shape_of_the_same_scene(hose: Session) -> None:
    """It used to be taken from the present shape, which was the wrong one of two."""
    hose.do(Edit({"gravity": [0.0, 0.0, 0.0], "hose/end": {"position": [0.25, 0.0, 0.0], "tangent": [1, 0, 0]}}))
    hose.do(Edit({"hose/initial": {"points": [[0, 0, 0], [0.12, 0, 0.1], [0.25, 0, 0]]}}))
    hose.simulation.solve(cold=True)
    up = shape_of(hose)
    hose.do(KeepVariant("up"))
    hose.do(Edit({"hose/initial": {"points": [[0, 0, 0], [0.12, 0, -0.1], [0.25, 0, 0]]}}))
    hose.simulation.solve(cold=True)
    assert apart(shape_of(hose), up) > 0.05
    hose.do(TakeVariant("up"))
    assert apart(shape_of(hose), up) < 1e-6


def test_a_variant_tells_type_and_clips(hose: Session) -> None:
    hose.do(AddClip("hose", 0.5))
    hose.do(KeepVariant("clamped"))
    hose.do(AddType("stiff", "rubber", "hose"))
    hose.do(AddClip("hose", 0.75, "ball"))
    hose.do(KeepVariant("stiffer"))
    first, second = (k.makes for k in describe(hose, Surfaces()).variants)
    assert first == [MakeInfo("hose", "rubber", [ClipInfo("clip 1", "clamp", pytest.approx(0.2))])]  # type: ignore[arg-type]
    assert [(k.cable, k.type) for k in second] == [("hose", "stiff")]
    assert [(k.name, k.kind) for k in second[0].clips] == [("clip 1", "clamp"), ("clip 2", "ball")]


def test_a_variant_with_sliding_clips_is_taken_up_as_it_was(tmp_path: Path) -> None:
    """It used to be solved anew from its points: two minutes, and then no equilibrium."""
    clips = [
        {"name": "sleeve", "kind": "sleeve", "position": [0.1, 0.02, 0.0], "tangent": [1.0, 0.0, 0.2]},
        {"name": "ring", "kind": "ring", "position": [0.2, 0.0, -0.03]},
    ]
    session = make_session(tmp_path, {**HOSE, "cables": [{**HOSE["cables"][0], "clips": clips}]})
    before = shape_of(session)
    session.do(KeepVariant("short"))
    session.do(Lengthen("hose", by=0.03))
    session.do(Save("hose.toml"))
    session.do(TakeVariant("short"))
    assert session.report.iterations < 30
    assert apart(shape_of(session), before) < 1e-7
    session.do(Open("hose.toml"))  # the variant lies beside the scene
    session.do(TakeVariant("short"))
    assert session.report.iterations < 30
    assert apart(shape_of(session), before) < 1e-7


def test_variants_are_shown_hidden_and_removed(hose: Session) -> None:
    hose.do(KeepVariant("a"))
    hose.do(KeepVariant("b"))
    hose.do(ShowVariant("a", False))
    assert [(k.name, k.shown, bool(k.shapes)) for k in describe(hose, Surfaces()).variants] == [
        ("a", False, False),
        ("b", True, True),
    ]
    hose.do(RemoveVariant("a"))
    assert [k.name for k in hose.desk.variants] == ["b"]
    hose.do(Undo())
    assert [k.name for k in hose.desk.variants] == ["a", "b"]
    for command in (RemoveVariant("c"), ShowVariant("c", True), TakeVariant("c"), KeepVariant(" ")):
        with pytest.raises(ValueError, match="variant"):
            hose.do(command)


def test_undo_leaves_how_things_are_looked_at(hose: Session) -> None:
    """Undoing any edit used to switch the unit, the colours and the drawn variants back as well."""
    hose.do(KeepVariant("first"))
    hose.do(Edit({"hose/length": 0.45}))
    hose.do(SetUnit("in"))
    hose.do(Colour("tension"))
    hose.do(ShowVariant("first", False))
    hose.do(Undo())
    assert hose.simulation.scene.cable("hose").length == 0.4
    assert (hose.desk.unit, hose.desk.colour, hose.desk.variants[0].shown) == ("in", "tension", False)
    hose.do(Redo())
    assert (hose.desk.unit, hose.desk.colour, hose.desk.variants[0].shown) == ("in", "tension", False)


def test_views_and_the_tree(hose: Session) -> None:
    view = View("front", (1, 0, 0), (0, 0, 0), (0, 0, 1), 0.5)
    hose.do(KeepView(view))
    hose.do(KeepView(View("front", (2, 0, 0), (0, 0, 0), (0, 0, 1), 0.5)))
    assert [k.eye for k in hose.desk.views] == [(2, 0, 0)]
    hose.do(RemoveView("front"))
    assert hose.desk.views == ()
    hose.do(Arrange(hidden=["hose"], groups={"hoses": ["hose"]}))
    hose.do(Arrange(transparent=["hose"]))
    info = describe(hose, Surfaces())
    assert (info.hidden, info.transparent, info.groups) == (["hose"], ["hose"], {"hoses": ["hose"]})
    hose.do(SetUnit("in"))
    assert describe(hose, Surfaces()).unit == "in"


def test_measured_points_are_compared_with_the_cable(hose: Session) -> None:
    line = points(hose)
    beside = [line[k] + [0.0, 0.001 * (k % 3), 0.0] for k in range(5, 35)]
    text = "x;y;z\n" + "\n".join(";".join(f"{1000 * v:.9f}".replace(".", ",") for v in p) for p in beside)
    assert hose.do(AddPoints("scan", text, "mm", "hose")) == 30
    (found,) = readouts(hose).deviations
    assert found.mean == pytest.approx(0.001, rel=0.02)
    assert found.largest == pytest.approx(0.002, rel=0.02)
    hose.do(RemovePoints("scan"))
    assert readouts(hose).deviations == []
    with pytest.raises(SceneError):
        hose.do(AddPoints("scan", "0,0,0", "mm", "hoze"))


@pytest.mark.parametrize("text", ["", "x,y,z\n", "1,2\n", "1,2,3\n4,5,six", "1,2,nan", "1,2,inf", "1e400,0,0"])
def test_points_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|points"):
        read_points(text, 1.0)


def test_points_with_a_heading_tabs_and_more_columns() -> None:
    assert read_points("x\ty\tz\tname\n1\t2\t3\tp\n\n4\t5\t6\tq\n", 0.001) == [
        pytest.approx((0.001, 0.002, 0.003)),
        pytest.approx((0.004, 0.005, 0.006)),
    ]


def test_curves_are_those_of_the_cable(hose: Session) -> None:
    hose.do(Plot("hose"))
    curves = readouts(hose).curves
    assert curves is not None
    result = hose.simulation.cable("hose")
    np.testing.assert_allclose(curves.s, np.linspace(0.0, 0.4, 41), atol=1e-12)
    np.testing.assert_allclose(curves.moment, 0.02 * np.array(curves.curvature), atol=1e-3 * max(curves.moment))
    np.testing.assert_allclose(curves.tension, result.tension)
    assert curves.curvature_limit == pytest.approx(1.0 / 0.03)
    hose.do(Plot(None))
    assert readouts(hose).curves is None


@pytest.mark.parametrize(
    "quantity", ["none", "bend_radius", "curvature", "torsion", "tension", "stress", "contact", "clearance"]
)
def test_colours_are_the_quantity_at_the_points(harness: Session, quantity: Quantity) -> None:
    harness.do(Colour(quantity))
    result = harness.simulation.cable("trunk")
    values = along(harness, "trunk", result, quantity)
    assert values.shape == (31,)
    assert np.isfinite(values).all()
    if quantity == "contact":
        force = sum(np.linalg.norm(k.force) for k in harness.simulation.contacts if k.cable == "trunk")
        assert values.sum() == pytest.approx(force)
        assert force > 0.1
    if quantity == "clearance":  # to the axis of the bar, less both radii
        gaps = np.hypot(result.positions[:, 0] - 0.15, result.positions[:, 2] - 0.09) - 0.02 - 0.004
        np.testing.assert_allclose(values[5:20], gaps[5:20], atol=1e-4)
    if quantity == "curvature":
        assert values.max() == pytest.approx(1.0 / result.min_bend_radius, rel=0.05)
    if quantity == "tension":
        assert math.isclose(values.max(), result.tension.max())
