"""Files out and in again: equal scenes, kept comments, nothing half written."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lissom.scene import Cable, End, Scene, SceneError
from lissom.scene.saving import scene_text
from lissom.scene.templates import TEMPLATES


def comments(text: str) -> list[str]:
    return [line.rpartition("# ")[2] for line in text.splitlines() if "# " in line]


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_unchanged_is_byte_for_byte_the_same(full: str, suffix: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    text = full if suffix == ".toml" else scene_text(Scene.from_toml(full), "json")
    first.write_text(text, encoding="utf-8")
    scene = Scene.load(first)
    scene.save(second)
    assert second.read_text(encoding="utf-8") == text
    assert Scene.load(second) == scene


def test_units_survive_the_change_of_syntax(full: str, tmp_path: Path) -> None:
    scene = Scene.from_toml(full)
    scene.save(tmp_path / "a.json")
    there = Scene.load(tmp_path / "a.json")
    there.save(tmp_path / "b.toml")
    back = Scene.load(tmp_path / "b.toml")
    assert there == scene == back
    assert '"420 mm"' in (tmp_path / "a.json").read_text()
    assert '"420 mm"' in (tmp_path / "b.toml").read_text()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("title", "another"),
        ("gravity", [0, 0, 0]),
        ("types.epdm.section.diameter", "11 mm"),
        ("types.epdm.section.inner_radius", 0.001),
        ("types.flat 2.5.section.height", 0.003),
        ("types.layered.section.layers.1.to_radius", 0.006),
        ("brake hose/length", 0.45),
        ("brake hose/points", 3),
        ("brake hose/rest", None),
        ("brake hose/rest", {"curvature": [0, 0, 1]}),
        ("brake hose/end.position", [0.2, 0.11, 0]),
        ("brake hose/end.tangent", [1, 1, 0]),
        ("brake hose/end", {"position": [0.2, 0, 0]}),
        ("brake hose/end", None),
        ("brake hose/clip 1.at", 0.6),
        ("brake hose/clip 1.from_end", "10 mm"),
        ("brake hose/clip 1.name", "other"),
        ("brake hose/clip 1", None),
        ("brake hose/guide", None),
        ("brake hose/clips", None),
        ("brake hose/load 2.moment", [0, 1, 0]),
        ("brake hose/load 1", None),
        ("brake hose/loads", None),
        ("brake hose/stretch 1.to", 0.45),
        ("brake hose/limits.clearance", 0.002),
        ("brake hose/twist", "90.5 deg"),
        ("strap/twist", None),
        ("strap/clips", [{"at": 0.3, "position": [1, 2, 3]}, {"kind": "ring", "position": [0, 1, 2]}]),
        ("strap/stretches", [{"from": 0, "to": 0.5, "type": "epdm"}]),
        ("strap/name", "band"),
        ("wire/stiffness.bending", 0.004),
        ("wire/end", {"position": [0, 2, 0.3]}),
    ],
)
def test_only_the_change_is_written(full: str, path: str, value: Any) -> None:
    before = Scene.from_toml(full)
    if path == "brake hose/twist":
        before = before.with_value("brake hose/end.quaternion", None).with_value("brake hose/end.tangent", [1, 0, 0])
    after = before.with_value(path, value)
    text = scene_text(after, "toml")
    assert Scene.from_toml(text) == after
    was, now = set(full.splitlines()), set(text.splitlines())
    assert len(was - now) <= 10, "far more than one thing was rewritten"
    lost = set(comments(full)) - set(comments(text))
    assert len(lost) <= 2, lost
    assert comments(text)[:2] == comments(full)[:2]
    json_text = scene_text(after, "json")
    assert Scene.from_json(json_text) == after


def test_clips_without_names_keep_theirs_when_one_before_them_goes() -> None:
    text = '[[cables]]\nname = "c"\ntype = "library:rg-58"\nlength = 1 # long\n'
    text += "start = { position = [0, 0, 0] }\n"
    for at in (0.2, 0.4, 0.6):
        text += f"[[cables.clips]] # at {at}\nat = {at}\nposition = [0, 0, 0]\n"
    changed = Scene.from_toml(text).with_value("c/clip 2", None)
    written = scene_text(changed, "toml")
    assert [clip.name for clip in Scene.from_toml(written).cables[0].clips] == ["clip 1", "clip 3"]
    assert comments(written) == ["long", "at 0.2", "at 0.6"]
    assert written.count("name") == 2


def test_cables_and_types_come_and_go(full: str) -> None:
    scene = Scene.from_toml(full)
    extra = Cable(name="new", type="epdm", length=1.0, start=End(position=(0, 0, 0)))
    data = scene.to_dict()
    for cables in ([*scene.cables, extra], scene.cables[1:], [extra], [*scene.cables[::-1]], []):
        changed = Scene(**{**data, "cables": tuple(cables)})
        changed._document = scene._document
        text = scene_text(changed, "toml")
        assert Scene.from_toml(text) == changed
        if len(cables) != len(scene.cables):
            assert "# outside, bore" in text
    without = Scene(types=scene.types)
    without._document = scene._document
    assert Scene.from_toml(scene_text(without, "toml")) == without


def test_saving_replaces_the_file_as_a_whole(full: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.toml"
    path.write_text("old")
    path.chmod(0o640)

    def broken(*args: Any) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", broken)
        with pytest.raises(SceneError, match="cannot be written: disk full"):
            Scene.from_toml(full).save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    Scene.from_toml(full).save(path)
    assert path.read_text(encoding="utf-8") == full
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(full: str, tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text("old")
    (tmp_path / "link.toml").symlink_to("real.toml")
    Scene.from_toml(full).save(tmp_path / "link.toml")
    assert (tmp_path / "link.toml").is_symlink()
    assert (tmp_path / "real.toml").read_text(encoding="utf-8") == full


def test_where_nothing_can_be_saved(full: str, tmp_path: Path) -> None:
    scene = Scene.from_toml(full)
    for name in ("a.yaml", "a", "missing/a.toml"):
        with pytest.raises(SceneError):
            scene.save(tmp_path / name)


@pytest.mark.parametrize("layout", ["dotted", "inline", "out of order"])
def test_other_layouts_keep_their_values(layout: str) -> None:
    text = {
        "dotted": "types.a.stiffness.bending = 0 # none\ntypes.a.mass_per_length = 1\n[[cables]]\n"
        'name = "c"\ntype = "a"\nlength = 1\nstart.position = [0, 0, 0] # here\n',
        "inline": "types = { a = { stiffness = { bending = 0 }, mass_per_length = 1 } }\n"
        'cables = [{ name = "c", type = "a", length = 1, start = { position = [0, 0, 0] } }] # all\n',
        "out of order": '[types.a]\nmass_per_length = 1\n[[cables]]\nname = "c"\ntype = "a"\nlength = 1\n'
        "[cables.start]\nposition = [0, 0, 0]\n[types.a.stiffness]\nbending = 0 # none\n",
    }[layout]
    scene = Scene.from_toml(text)
    for path, value in [
        ("c/length", 2),
        ("c/start.position", [1, 0, 0]),
        ("types.a.mass_per_length", 3),
        ("c/end", {"position": [0, 0, 1]}),
        ("c/clips", [{"at": 0.5, "position": [0, 0, 1]}]),
        ("types.a.stiffness.torsion", 1),
    ]:
        changed = scene.with_value(path, value)
        written = scene_text(changed, "toml")
        assert Scene.from_toml(written) == changed
        assert ("# none" in written) == ("# none" in text)


numbers = st.floats(-1e3, 1e3, allow_subnormal=True)
positive = st.floats(1e-3, 1e3)
vectors = st.tuples(numbers, numbers, numbers)
names = st.text(
    st.characters(exclude_characters="/=", exclude_categories=("Cs", "Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cn")),
    min_size=1,
    max_size=8,
)


@st.composite
def scenes(draw: st.DrawFn) -> dict[str, Any]:
    types = draw(
        st.dictionaries(
            names,
            st.fixed_dictionaries(
                {
                    "stiffness": st.fixed_dictionaries({"bending": positive, "torsion": positive}),
                    "mass_per_length": positive,
                },
                optional={
                    "radius": st.floats(1e-6, 4e-4),
                    "description": st.text(st.characters(codec="utf-8"), max_size=20),
                },
            ),
            min_size=1,
            max_size=3,
        )
    )
    chosen = st.sampled_from(sorted(types))
    load = st.fixed_dictionaries({"at": st.floats(0, 1)}, optional={"moment": vectors}).flatmap(
        lambda said: vectors.map(lambda force: {**said, "force": force})
    )
    cables = [
        {
            "name": name,
            "type": draw(chosen),
            "length": draw(positive),
            "start": {"position": draw(vectors)},
            **draw(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "loads": st.lists(load, max_size=2),
                        "end": st.fixed_dictionaries({"position": vectors}),
                    },
                )
            ),
        }
        for name in draw(st.lists(names, max_size=3, unique=True))
    ]
    return {
        "gravity": draw(vectors),
        "title": draw(st.text(st.characters(codec="utf-8"), max_size=20)),
        "types": types,
        "cables": cables,
    }


@given(scenes(), st.sampled_from(["toml", "json"]), positive)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_round_trips_are_exact(data: dict[str, Any], syntax: Any, other: float) -> None:
    scene = Scene.from_dict(data)
    read = Scene.from_toml if syntax == "toml" else Scene.from_json
    again = read(scene_text(scene, syntax))
    assert again == scene == Scene.from_dict(scene.to_dict())
    for cable in scene.cables:
        assert math.copysign(1.0, cable.start.position[0]) == math.copysign(  # type: ignore[index, union-attr]
            1.0,
            again.cable(cable.name).start.position[0],  # type: ignore[index, union-attr]
        )
        again = again.with_value(f"{cable.name}/length", other)
    assert read(scene_text(again, syntax)) == again


@pytest.mark.parametrize("kind", list(TEMPLATES))
def test_fresh_text_of_the_templates(kind: str) -> None:
    scene = Scene.from_toml(TEMPLATES[kind])
    built = Scene.from_dict(scene.to_dict())
    assert built == scene
    assert Scene.from_toml(scene_text(built, "toml")) == scene


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_meshes_are_found_from_another_folder(suffix: str, tmp_path: Path) -> None:
    """They used to be looked for beside the new file, where they are not."""
    (tmp_path / "cars" / "cad").mkdir(parents=True)
    (tmp_path / "out" / "new").mkdir(parents=True)
    absolute = (tmp_path / "far.stl").as_posix()
    text = f"""
[[parts]]            # a comment
name = "chassis"
mesh = "cad/chassis.stl"
units = "mm"
[[parts]]
name = "far"
mesh = "{absolute}"
units = "mm"
"""
    (tmp_path / "cars" / "car.toml").write_text(text, encoding="utf-8")
    scene = Scene.load(tmp_path / "cars" / "car.toml")
    scene.save(tmp_path / "out" / "new" / f"car{suffix}")
    there = Scene.load(tmp_path / "out" / "new" / f"car{suffix}")
    assert there.part("chassis").mesh == "../../cars/cad/chassis.stl"
    assert there.part("far").mesh == absolute
    assert (there.folder / "../../cars/cad/chassis.stl").resolve() == tmp_path / "cars" / "cad" / "chassis.stl"
    assert scene.part("chassis").mesh == "cad/chassis.stl"  # immutable
    scene.save(tmp_path / "cars" / f"other{suffix}")
    assert Scene.load(tmp_path / "cars" / f"other{suffix}") == scene
    if suffix == ".toml":
        assert "# a comment" in (tmp_path / "out" / "new" / "car.toml").read_text(encoding="utf-8")


def test_meshes_of_a_scene_without_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the working directory where they are there; else where the scene is saved."""
    (tmp_path / "out").mkdir()
    (tmp_path / "a.stl").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    parts = [{"name": name, "mesh": f"{name}.stl", "units": "mm"} for name in "ab"]
    Scene.from_dict({"parts": parts}).save("out/scene.toml")
    assert [part.mesh for part in Scene.load("out/scene.toml").parts] == ["../a.stl", "b.stl"]
