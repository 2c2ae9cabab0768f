"""Scenes to begin with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lissom.scene import Scene, SceneError, new_scene
from lissom.scene.templates import TEMPLATES


@pytest.mark.parametrize("kind", ["hose", "cantilever", "rope", "moulded", "parts"])
def test_templates_load(kind: str) -> None:
    scene = Scene.from_toml(new_scene(kind))
    assert len(scene.cables) == 1
    assert scene.title


def test_what_is_commented_out_is_right_too() -> None:
    lines = new_scene("hose").splitlines()
    begin = lines.index("# [[cables.clips]]")
    text = "\n".join(lines[:begin] + [line.removeprefix("# ") for line in lines[begin:]])
    text = text.replace('# twist = "90 deg"', 'twist = "90 deg"')
    assert len(Scene.from_toml(text).cables[0].clips) == 1
    measured = text.replace("section =", "#").replace("material =", "#")
    for key in ("stiffness", "mass_per_length", "radius"):
        measured = measured.replace(f"# {key} =", f"{key} =")
    assert Scene.from_toml(measured).type_of("hose").stiffness is not None


def test_an_unknown_template_names_the_others() -> None:
    assert set(TEMPLATES) == {"hose", "cantilever", "rope", "moulded", "parts"}
    with pytest.raises(SceneError, match='did you mean "hose"'):
        new_scene("hoes")


def test_what_the_documentation_shows() -> None:
    text = (Path(__file__).parents[2] / "docs" / "scene.md").read_text(encoding="utf-8")
    shown, *others = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(others) == 5
    for other in others:
        example = Scene.from_toml(other)
        assert example.cables or example.joints
    scene = Scene.from_toml(shown)
    assert scene.with_value("brake hose/length", "450 mm").cable("brake hose").length == 0.45
    messages = re.search(r"```\n(hose\.toml:7.*?)```", text, re.DOTALL)
    assert messages is not None
    wrong = shown.replace("poisson", "poison").replace('"420 mm"', '"420 kg"').replace("at = 0.5", "at = 1.4")
    with pytest.raises(SceneError) as caught:
        Scene.from_toml(wrong)
    said = [re.sub(r"^line \d+: ", "", line) for line in str(caught.value).splitlines()]
    assert said == [re.sub(r"^hose.toml:\d+: ", "", line) for line in messages[1].splitlines()]
