"""Files: what is saved comes back, what is not saved is not lost, and nothing leaves the workspace."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from lissom.scene import Scene, SceneError
from lissom.session import filing
from lissom.session.messages.commands import (
    AddClip,
    AddMeasure,
    AddPart,
    Arrange,
    Discard,
    Drag,
    Drop,
    Edit,
    Export,
    ExportFile,
    Files,
    Grab,
    KeepVariant,
    KeepView,
    New,
    Open,
    Save,
    SetUnit,
    TakeVariant,
)
from lissom.session.messages.values import Pick, View
from lissom.session.session import Session
from lissom.session.stored import stored
from lissom.session.uploads import keep_upload, upload_file
from lissom.session.workspace import Workspace, WorkspaceError
from lissom.simulation import Simulation
from tests.session.scenes import HARNESS, apart, certified, make_session, points, same, shape_of, told


def ball(workspace: Workspace) -> str:
    made = trimesh.creation.icosphere(subdivisions=1, radius=20.0)
    return keep_upload(workspace, "ball.stl", bytes(made.export(file_type="stl")))


def again(session: Session) -> Session:
    """Another session in the same workspace, as after a crash."""
    return make_session(session.workspace.folder)


# ---- save and open ---------------------------------------------------------------------------------------------------


def test_what_is_saved_opens_as_it_was(harness: Session) -> None:
    harness.do(AddPart(ball(harness.workspace), "ball", "mm", position=(0.0, 0.5, 0.0)))
    harness.do(AddMeasure(Pick("point", (0, 0, 0)), Pick("cable", (0, 0, 0), "trunk")))
    harness.do(KeepView(View("front", (1, 0, 0), (0, 0, 0), (0, 0, 1), 0.5)))
    harness.do(Arrange(hidden=["bar"], groups={"g": ["left"]}))
    harness.do(KeepVariant("first"))
    harness.do(SetUnit("cm"))
    harness.do(Edit({"trunk/length": 0.31}))
    assert harness.do(Save("sub/rig.toml")) == "sub/rig.toml"
    assert not harness.unsaved
    scene, shape, desk = harness.simulation.scene, shape_of(harness), harness.desk
    assert scene.part("ball").mesh == "../meshes/ball.stl"
    other = again(harness)
    other.do(Open("sub/rig.toml"))
    assert other.simulation.scene.cables == scene.cables
    assert other.simulation.scene.parts == scene.parts
    assert apart(shape_of(other), shape) < 1e-7
    assert other.report.iterations <= 2  # from the state beside it
    assert other.desk == desk
    assert certified(other)
    other.do(TakeVariant("first"))  # finds its mesh from the other folder too
    assert other.simulation.scene.cable("trunk").length == pytest.approx(0.3)


def test_the_shape_is_stored_for_the_page(hose: Session) -> None:
    hose.do(Save("hose.toml"))
    found = stored(hose.workspace, "hose.toml", None)
    assert found is not None
    event, frame = found
    assert [k.name for k in event.cables] == ["hose"]
    (header,) = np.frombuffer(frame[:4], dtype="<u4")
    numbers = np.frombuffer(frame[4 + int(header) :], dtype="<f4")
    np.testing.assert_allclose(numbers[: 41 * 3].reshape(41, 3), points(hose), atol=1e-6)


def test_saving_keeps_comments(hose: Session) -> None:
    file = hose.workspace.folder / "hose.toml"
    hose.do(Save("hose.toml"))
    file.write_text("# a remark\n" + file.read_text())
    other = again(hose)
    other.do(Open("hose.toml"))
    other.do(Edit({"hose/length": 0.43}))
    other.do(Save())
    assert file.read_text().startswith("# a remark\n")
    assert Scene.load(file).cable("hose").length == 0.43


def test_saving_ends_a_drag_where_it_leads(hose: Session) -> None:
    hose.do(Grab("hose/end"))
    hose.do(Drag((0.28, 0.02, 0.0)))
    hose.do(Save("hose.toml"))
    saved: Any = Scene.load(hose.workspace.folder / "hose.toml").cable("hose").end
    np.testing.assert_allclose(saved.position, (0.28, 0.02, 0.0), atol=1e-12)
    assert hose.grabbed is None


def test_a_scene_without_a_name_must_be_given_one(hose: Session) -> None:
    with pytest.raises(ValueError, match="give it a name"):
        hose.do(Save())


def test_what_cannot_be_opened_leaves_the_scene(hose: Session) -> None:
    (hose.workspace.folder / "bad.toml").write_text("cables = 3")
    before = shape_of(hose)
    for path in ("bad.toml", "none.toml"):
        with pytest.raises((SceneError, ValueError)):
            hose.do(Open(path))
    with pytest.raises(ValueError, match="demo"):
        hose.do(New("demo:none"))
    assert same(shape_of(hose), before)


@pytest.mark.parametrize(
    "text",
    [
        "not JSON",
        "[]",
        '{"desk": 3}',
        '{"shapes": [1]}',
        '{"desk": {"hidden": 3}}',
        '{"desk": {"variants": [{"name": 1}]}}',
    ],
)
def test_a_broken_desk_is_said_and_left_out(hose: Session, text: str) -> None:
    hose.do(Save("hose.toml"))
    (hose.workspace.folder / "hose.studio.json").write_text(text)
    other = again(hose)
    other.do(Open("hose.toml"))
    assert "hose.studio.json cannot be used" in told(other).texts()
    assert other.report.ok


# ---- edits that were not saved ---------------------------------------------------------------------------------------


def test_unsaved_edits_of_a_file_come_back(hose: Session) -> None:
    hose.do(Save("hose.toml"))
    hose.do(Edit({"hose/length": 0.45}))
    hose.do(AddMeasure(Pick("point", (0, 0, 0)), Pick("point", (1, 0, 0))))
    filing.autosave(hose)
    other = again(hose)
    other.do(Open("hose.toml"))
    assert other.recovered
    assert other.unsaved
    assert "recovered" not in told(other).texts()  # the page has a banner for it: once is enough
    assert apart(shape_of(other), shape_of(hose)) < 1e-7
    assert other.desk == hose.desk
    other.do(Discard())
    assert not other.recovered
    assert other.simulation.scene.cable("hose").length == 0.4
    third = again(hose)
    third.do(Open("hose.toml"))
    assert not third.recovered


def test_saving_recovered_edits_makes_them_the_file(hose: Session) -> None:
    hose.do(AddPart(ball(hose.workspace), "ball", "mm", position=(0.0, 0.5, 0.0)))
    hose.do(Save("sub/hose.toml"))
    hose.do(Edit({"hose/length": 0.45}))
    filing.autosave(hose)
    other = again(hose)
    other.do(Open("sub/hose.toml"))
    other.do(Save())
    scene = Scene.load(hose.workspace.folder / "sub/hose.toml")
    assert scene.cable("hose").length == 0.45
    assert scene.part("ball").mesh == "../meshes/ball.stl"
    assert list(hose.workspace.hidden.glob("unsaved-*")) == []


def test_edits_of_scenes_that_were_left_can_all_be_recovered(hose: Session) -> None:
    """A second scene without a name used to be kept over the first."""
    hose.do(Edit({"hose/length": 0.41, "title": "one"}))
    hose.do(New("hose"))
    name = hose.simulation.cables[0]
    hose.do(Edit({f"{name}/length": 0.5, "title": "two"}))
    hose.do(New())
    hose.do(Edit({"title": "three"}))
    names = hose.do(Files())["unsaved"]
    assert len(names) == 2
    titles = set()
    for slot in names:
        hose.do(Open(slot))
        assert hose.recovered
        titles.add(hose.simulation.scene.title)
    assert titles == {"one", "two"}
    with pytest.raises(WorkspaceError):
        hose.do(Open("unsaved:../../etc"))


def test_an_unedited_scene_leaves_nothing_behind(hose: Session) -> None:
    hose.do(Grab("hose/end"))
    hose.do(Drop())
    hose.do(New())
    assert hose.do(Files())["unsaved"] == []


def test_what_the_workspace_holds(hose: Session) -> None:
    hose.do(Save("a.toml"))
    hose.do(Save("sub/b.json"))
    hose.do(ExportFile("report"))  # used to be listed too
    hose.do(ExportFile("table"))
    (hose.workspace.folder / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (hose.workspace.folder / "slip.toml").write_text("format = 1\n[[cables]\n")
    found = hose.do(Files())
    assert found["scenes"] == ["a.toml", "slip.toml", "sub/b.json"]
    assert found["recent"] == ["sub/b.json", "a.toml"]
    assert {"name", "title", "question"} <= set(found["gallery"][0]) if found["gallery"] else True


# ---- exports ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "ending"), [("picture", ".png"), ("shapes", ".glb"), ("report", ".json")])
def test_exports_lie_in_the_workspace(hose: Session, kind: Export, ending: str) -> None:
    (first,), (second,) = hose.do(ExportFile(kind)), hose.do(ExportFile(kind))
    assert first != second
    content = (hose.workspace.folder / first).read_bytes()
    assert first.endswith(ending)
    if kind == "picture":
        assert content.startswith(b"\x89PNG")
    elif kind == "report":
        assert json.loads(content)["cables"]["hose"]["length"] == pytest.approx(0.4)
    else:
        loaded = trimesh.load(hose.workspace.folder / first)
        assert np.ptp(loaded.bounds, axis=0).max() == pytest.approx(0.3, abs=0.02)
    with pytest.raises(ValueError, match="must end in"):
        hose.do(ExportFile(kind, "x.exe"))


def test_a_table_is_a_folder_of_files(hose: Session) -> None:
    paths = hose.do(ExportFile("table"))
    assert {"untitled results/result.json", "untitled results/hose.csv"} <= set(paths)
    assert sorted(hose.workspace.folder / k for k in paths) == sorted(
        (hose.workspace.folder / "untitled results").iterdir()
    )


# ---- the fence -------------------------------------------------------------------------------------------------------

BAD_PATHS = [
    "",
    " ",
    ".",
    "./",
    "..",
    "../x.toml",
    "a/../../x.toml",
    "/etc/x.toml",
    "//host/x.toml",
    "\\\\host\\x.toml",
    "C:\\x.toml",
    "c:x.toml",
    "..\\x.toml",
    "a\\..\\..\\x.toml",
    ".hidden.toml",
    ".lissom/x.toml",
    "a/.hidden/x.toml",
    "a\0.toml",
    "a\nb.toml",
    "\u202egnp.toml",
    "\ud800.toml",
]


@pytest.mark.parametrize("path", BAD_PATHS, ids=ascii)
def test_paths_that_lead_elsewhere_are_refused(hose: Session, path: str) -> None:
    outside = sorted(hose.workspace.folder.parent.iterdir())
    for command in (Open(path), Save(path), ExportFile("table", path), ExportFile("report", path)):
        with pytest.raises((ValueError, OSError)):
            hose.do(command)
    assert sorted(hose.workspace.folder.parent.iterdir()) == outside


def test_links_that_lead_out_are_refused(hose: Session, tmp_path_factory: pytest.TempPathFactory) -> None:
    away = tmp_path_factory.mktemp("away")
    (away / "x.toml").write_text("format = 1\n")
    here = hose.workspace.folder
    (here / "dir").symlink_to(away)
    (here / "file.toml").symlink_to(away / "x.toml")
    (here / "new.toml").symlink_to(away / "new.toml")
    (here / "beside.studio.json").symlink_to(away / "desk.json")
    (here / "untitled.json").symlink_to(away / "report.json")
    (here / "results").mkdir()
    (here / "results" / "lissom.json").symlink_to(away / "table.json")
    (here / "meshes").symlink_to(away)
    for command in (
        Open("dir/x.toml"),
        Open("file.toml"),
        Save("dir/y.toml"),
        Save("new.toml"),
        Save("beside.toml"),
        ExportFile("table", "results"),
        ExportFile("report", "dir/z.json"),
        AddPart(ball(hose.workspace), "ball", "mm"),
    ):
        with pytest.raises(WorkspaceError, match="out of the workspace"):
            hose.do(command)
    assert hose.do(ExportFile("report")) == ["untitled 2.json"]
    assert os.listdir(away) == ["x.toml"]


@pytest.mark.parametrize("key", ["", "../x.stl", "0" * 32 + ".stl", "/etc/passwd", "\0" * 36])
def test_only_uploads_are_uploads(hose: Session, key: str) -> None:
    with pytest.raises(WorkspaceError, match="no such file"):
        upload_file(hose.workspace, key)


def test_a_hidden_folder_that_is_a_link_is_refused(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (tmp_path / ".lissom").symlink_to(tmp_path_factory.mktemp("away"))
    with pytest.raises(WorkspaceError):
        make_session(tmp_path)


def test_a_harness_survives_the_round_trip_with_its_contacts(tmp_path: Path) -> None:
    session = make_session(tmp_path, HARNESS)
    session.do(AddClip("trunk", 0.3, "ball"))
    session.do(Save("rig.json"))
    opened = Simulation.open(tmp_path / "rig.json")
    assert len(opened.contacts) == len(session.simulation.contacts) > 0
    for a, b in zip(opened.contacts, session.simulation.contacts, strict=True):
        np.testing.assert_allclose(a.force, b.force, rtol=1e-4, atol=1e-6)
