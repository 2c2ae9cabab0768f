"""The JSON Schema takes what the reader takes, and refuses the plain mistakes."""

from __future__ import annotations

import tomllib
from typing import Any

import jsonschema
import pytest

from lissom.scene import json_schema
from lissom.scene.templates import TEMPLATES


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("kind", list(TEMPLATES))
def test_templates_fit(validator: Any, kind: str) -> None:
    validator.validate(tomllib.loads(TEMPLATES[kind]))


def test_the_full_scenes_fit(validator: Any, full: str, workshop: str) -> None:
    validator.validate(tomllib.loads(full))
    validator.validate(tomllib.loads(workshop))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('kind = "plane"', 'kind = "plain"'),
        ('kind = "plane"', 'kind = "plane", radius = 1'),
        ('motion = "driven"', 'motion = "drivn"'),
        ('units = "mm"', 'units = "km"'),
        ("friction = 0.4", "friction = 11"),
        ('at = "end"', 'at = "ends"'),
        ('at = "end"', "at = 1.5"),
        ("[[0, 0], ", "["),
        ('mass = "250 g"', 'mass = "250 mm"'),
        ("collide = false", "collide = 0"),
        ('cable = "trunk"', 'cabel = "trunk"'),
    ],
)
def test_mistakes_in_parts_do_not_fit(validator: Any, workshop: str, old: str, new: str) -> None:
    assert old in workshop
    assert not validator.is_valid(tomllib.loads(workshop.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"420 mm"', '"420 kg"'),
        ('"420 mm"', "-1"),
        ('"420 mm"', "true"),
        ("at = 0.5", "at = 1.5"),
        ('kind = "clamp"', 'kind = "clmp"'),
        ("points = 3", "points = 3.5"),
        ("position = [0, 0, 0]", "position = [0, 0]"),
        ("points = 3", "pionts = 3"),
        ("format = 1", "format = 2"),
        ('name = "brake hose"', ""),
        ("from = 0.2", "from_ = 0.2"),
    ],
)
def test_mistakes_do_not_fit(validator: Any, full: str, old: str, new: str) -> None:
    assert old in full
    assert not validator.is_valid(tomllib.loads(full.replace(old, new, 1)))


def test_keys_are_explained_for_editors() -> None:
    schema = json_schema()
    cable = schema["$defs"]["Cable"]["properties"]
    assert "unstretched length" in cable["length"]["description"]
    assert set(schema["$defs"]["Stretch"]["properties"]) == {"from", "to", "type"}
