"""What was done comes again: as a recording that is replayed, and as a Python script that is run."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trimesh

import lissom
from lissom.session.messages.commands import (
    AddCable,
    AddClip,
    AddMeasure,
    AddPart,
    AddShape,
    AddType,
    Arrange,
    Cancel,
    Command,
    Drag,
    Drop,
    Duplicate,
    Edit,
    Feed,
    Freeze,
    Grab,
    HowLong,
    Join,
    KeepVariant,
    Lengthen,
    Mount,
    Move,
    Record,
    Redo,
    Remove,
    Rename,
    Replay,
    Reset,
    Save,
    Script,
    Soften,
    Solve,
    SpaceClips,
    TakeVariant,
    Turn,
    Undo,
)
from lissom.session.messages.values import Pick
from lissom.session.session import Session
from lissom.session.uploads import keep_upload
from lissom.simulation import Simulation
from tests.session.scenes import HARNESS, Array, apart, make_session, replayed, same, shape_of, told


def ran(session: Session) -> Simulation:
    """What the session's script makes, run in the workspace."""
    names: dict[str, Any] = {}
    text = session.do(Script())
    exec(text, names)
    found = names["sim"]
    assert isinstance(found, Simulation)
    return found


def shape(simulation: Simulation) -> dict[str, Array]:
    return {name: simulation.cable(name).positions for name in simulation.cables}


def agree(a: Any, b: Any, where: str = "") -> None:
    """Scenes say the same; what was solved for may differ in the last digits, and paths may be longer."""
    if isinstance(a, dict):
        assert a.keys() == b.keys(), where
        for key in a:
            if key != "mesh":
                agree(a[key], b[key], f"{where}/{key}")
    elif isinstance(a, list | tuple):
        assert len(a) == len(b), where
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            agree(x, y, f"{where}/{k}")
    elif isinstance(a, float):
        assert a == pytest.approx(b, abs=2e-6), where
    else:
        assert a == b, where


def ball(session: Session) -> str:
    made = trimesh.creation.icosphere(subdivisions=1, radius=20.0)
    return keep_upload(session.workspace, "ball.stl", bytes(made.export(file_type="stl")))


def drag(session: Session, path: str, *to: tuple[float, float, float], at: float | None = None) -> None:
    session.do(Grab(path, at))
    for k in to:
        session.do(Drag(k))


HALF = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))

HOSE_STORY: list[Command | Callable[[Session], object]] = [
    lambda s: drag(s, "hose/end", (0.3, 0.02, -0.05), (0.28, 0.08, -0.05)),
    Drop(),
    AddClip("hose", 0.25, "ball"),
    Undo(),
    AddClip("hose", 0.5, "clamp"),
    Rename("hose/clip 1", "bracket"),
    lambda s: drag(s, "hose", (0.1, 0.02, -0.04), (0.1, 0.04, -0.04), at=0.25),
    Drop(keep="ball"),
    lambda s: drag(s, "hose", (0.2, 0.05, -0.02), at=0.75),
    Drop(),
    lambda s: drag(s, "hose/start", (0.0, 0.2, 0.0)),
    Cancel(),
    Edit({"hose/length": "430 mm", "gravity": [0.0, 0.0, -5.0]}),
    Undo(),
    Redo(),
    Move("hose/end", position=(0.27, 0.07, -0.05), tangent=(1.0, 0.2, 0.0)),
    Turn("hose/end", 2.0),
    Lengthen("hose", by=0.02, between=(0.5, 1.0)),
    Rename("hose", "tube"),
    AddShape("post", {"kind": "sphere", "radius": 0.02}, (0.3, 0.3, 0.0)),
    lambda s: s.do(AddPart(ball(s), "ball", "mm", position=(0.0, 0.4, 0.0))),
    AddCable(Mount((0.0, 0.2, 0.0), (1, 0, 0)), Mount((0.3, 0.28, 0.0), (0, 1, 0), on="post"), length=0.4),
    lambda s: drag(s, "post", (0.32, 0.3, 0.02)),
    Drop(),
    Duplicate("tube", (0.0, 0.0, 0.2)),
    Remove(["tube copy/bracket"]),
    Rename("cable 1", "wire"),
    Remove(["post"]),
    HowLong("wire"),
    Soften("wire", bent=0.4),
    Freeze("wire"),
    SpaceClips("wire", 2, "ball"),
    Feed("wire", between=(0.0, 1.0)),
    Freeze("wire"),
    Solve(cold=False),
    Arrange(hidden=["wire"]),
    AddMeasure(Pick("point", (0, 0, 0)), Pick("cable", (0, 0, 0), "wire")),
    Rename("types.rubber", "epdm"),
    AddType("soft", "epdm", "wire"),
    Edit({"types.soft.stiffness.bending": 0.015}),
]

HARNESS_STORY: list[Command | Callable[[Session], object]] = [
    lambda s: drag(s, "plug", (0.44, 0.13, 0.0), (0.43, 0.15, 0.02)),
    Drop(),
    lambda s: drag(s, "trunk/end", (0.19, 0.0, 0.0)),
    Drop(),
    lambda s: [s.do(k) for k in (Grab("plug", others=["right/end"]), Drag((0.435, 0.15, 0.02)), Drop())],
    KeepVariant("one"),
    Remove(["Y"]),
    Move("trunk/end", position=(0.2, 0.01, 0.0)),
    Join(["left/start", "right/start"], motion="held"),
    Rename("junction 1", "Y2"),
    TakeVariant("one"),
    Rename("Y", "branch"),
    Edit({"bar/position": [0.15, 0.0, 0.085]}),
]


def tell(session: Session, story: list[Command | Callable[[Session], object]]) -> None:
    for step in story:
        if callable(step):
            step(session)
        else:
            session.do(step)
    assert session.report.ok, session.report


@pytest.mark.parametrize("story", ["hose", "harness"])
def test_the_script_makes_the_same_scene_and_shapes(tmp_path: Path, story: str) -> None:
    session = make_session(tmp_path, None if story == "hose" else HARNESS)
    tell(session, HOSE_STORY if story == "hose" else HARNESS_STORY)
    made = ran(session)
    agree(made.scene.to_dict(), session.simulation.scene.to_dict())
    assert apart(shape(made), shape_of(session)) < 1e-5
    assert files(made) == files(session.simulation)


def files(simulation: Simulation) -> list[Path]:
    return [(simulation.scene.folder / k.mesh).resolve() for k in simulation.scene.parts if k.mesh is not None]


def test_the_script_opens_the_file_where_that_says_the_same(hose: Session) -> None:
    hose.do(Edit({"hose/length": 0.42}))
    hose.do(Save("sub/hose.toml"))
    hose.do(Lengthen("hose", by=0.01))
    text = hose.do(Script())
    assert "lissom.Simulation.open('sub/hose.toml')" in text
    assert "from_toml" not in text
    assert ran(hose).scene.cable("hose").length == pytest.approx(0.43)


def test_the_script_of_a_file_that_was_saved_over_begins_before(hose: Session) -> None:
    """It used to open the file, which had every edit already, and to make them all again."""
    hose.do(Save("hose.toml"))
    hose.do(Lengthen("hose", by=0.01))
    hose.do(Save())
    hose.do(Undo())
    text = hose.do(Script())
    assert "from_toml" in text
    assert ran(hose).scene.cable("hose").length == pytest.approx(0.4)


def test_undo_and_reset_take_lines_out(hose: Session) -> None:
    hose.do(Lengthen("hose", by=0.01))
    assert "lengthen" in hose.do(Script())
    hose.do(Undo())
    assert "lengthen" not in hose.do(Script())
    hose.do(Redo())
    assert "lengthen" in hose.do(Script())
    hose.do(Reset())
    assert "lengthen" not in hose.do(Script())


def test_the_script_is_readable(hose: Session) -> None:
    hose.do(Rename("hose", 'it\'s a "hose"'))
    text = hose.do(Script())
    assert text.startswith("import lissom\n")
    assert "\n[[cables]]\n" in text  # a scene of many lines, not one
    compile(text, "script", "exec")
    assert lissom.Simulation is Simulation


# ---- recordings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("story", ["hose", "harness"])
def test_a_recording_replayed_gives_the_same_shapes(tmp_path: Path, story: str) -> None:
    session = make_session(tmp_path, None if story == "hose" else HARNESS)
    session.do(Edit({"gravity": [0.0, 0.5, -9.0]}))  # before the recording: it begins with this
    session.do(Record(True))
    tell(session, HOSE_STORY if story == "hose" else HARNESS_STORY)
    path = session.do(Record(False))
    after, scene = shape_of(session), session.simulation.scene
    other = make_session(tmp_path)
    done = replayed(other, path)
    lines = (tmp_path / path).read_text().splitlines()
    assert done == len(lines) - 1
    assert apart(shape_of(other), after) < 1e-6
    agree(other.simulation.scene.to_dict(), scene.to_dict())
    assert other.desk == session.desk


def test_a_drag_that_was_stopped_is_replayed_to_the_same_place(hose: Session) -> None:
    hose.do(Record(True))
    drag(hose, "hose/end", (5.0, 1.0, 0.5), (0.2, 3.0, 0.5))
    hose.do(Drop())
    path = hose.do(Record(False))
    after = shape_of(hose)
    replayed(hose, path)
    assert apart(shape_of(hose), after) < 1e-6


def test_opening_another_scene_ends_the_recording(hose: Session) -> None:
    from lissom.session.messages.commands import New

    hose.do(Record(True))
    hose.do(AddClip("hose", 0.5))
    hose.do(New())
    assert not hose.recorder.on
    assert "The recording was ended: untitled.session.jsonl" in told(hose).texts()
    assert replayed(hose, "untitled.session.jsonl") == 1
    assert len(hose.simulation.scene.cable("hose").clips) == 1


@pytest.mark.parametrize(
    "text", ["", "{}", "no", '{"lissom": "session"}', '{"lissom": "session", "scene": 3}', "\n", "[1]\n{}"]
)
def test_a_broken_recording_leaves_the_scene(hose: Session, text: str) -> None:
    (hose.workspace.folder / "x.session.jsonl").write_text(text)
    before = shape_of(hose)
    with pytest.raises((ValueError, lissom.SceneError)):
        hose.do(Replay("x.session.jsonl"))
    assert same(shape_of(hose), before)


def test_a_recording_stops_at_what_cannot_be_done(hose: Session) -> None:
    hose.do(Record(True))
    hose.do(AddClip("hose", 0.5))
    path = hose.workspace.folder / hose.do(Record(False))
    entry = {"time": 0.1, "kind": "AddClip", "cable": "none", "at": 0.5}
    path.write_text(path.read_text() + json.dumps(entry) + "\n")
    assert replayed(hose, path.name) == 1
    assert "number 2 of the recording, cannot be done" in told(hose).texts()
    assert len(hose.simulation.scene.cable("hose").clips) == 1
