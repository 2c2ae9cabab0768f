"""The JSON document is the one DESIGN promises, and valid JSON."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lissom.analysis.report import SHAPE_KEYS, Findings, document, json_text, plain
from lissom.rods.describing import Contact
from tests.analysis.conftest import FLOOR

TOP_KEYS = {"status", "seconds", "iterations", "cables", "contacts", "clearances", "checks", "notes"}
CABLE_KEYS = {
    *(
        "s",
        "positions",
        "quaternions",
        "force",
        "moment",
        "curvature",
        "torsion",
        "length",
        "min_bend_radius",
    ),
    *("min_bend_radius_at", "reactions", "energy", "residual", "length_error", "penetration", "stable"),
}
CONTACT_KEYS = {"cable", "body", "at", "place", "part", "other_at", "point", "normal", "force", "pressure"}
CLEARANCE_KEYS = {"cable", "part", "distance", "at", "point"}
CHECK_KEYS = {"rule", "limit", "value", "margin", "cable", "at", "ok"}


def refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is not JSON")


def test_every_promised_key_is_there(hose: Findings) -> None:
    told = json.loads(json_text(hose), parse_constant=refuse)
    cable = told["cables"]["hose"]
    assert told.keys() >= TOP_KEYS
    assert cable.keys() >= CABLE_KEYS
    assert all(check.keys() >= CHECK_KEYS for check in told["checks"])
    assert told["status"] == "converged"
    assert cable["stable"] is True
    assert cable["reactions"].keys() == {"start", "clip", "end"}
    assert cable["reactions"]["clip"].keys() == {"force", "moment"}
    assert cable["energy"].keys() >= {"bending", "torsion", "gravity"}


def test_arrays_have_one_entry_per_point(hose: Findings) -> None:
    cable = document(hose)["cables"]["hose"]
    points = len(cable["s"])
    for key in ("positions", "force", "moment", "force_before", "moment_before"):
        assert np.shape(cable[key]) == (points, 3)
    assert np.shape(cable["quaternions"]) == (points, 4)
    assert np.shape(cable["curvature_components"]) == (points, 2)
    for key in ("curvature", "torsion", "tension", "frenet_torsion", "material_angle", "bending_stress"):
        assert len(cable[key]) == points


def test_shape_keys_are_what_a_shape_has(hose: Findings) -> None:
    cable = document(hose)["cables"]["hose"]
    assert list(cable)[: len(SHAPE_KEYS)] == list(SHAPE_KEYS)
    assert all(cable[key] is not None for key in SHAPE_KEYS)


def test_stress_follows_from_curvature_where_rest_is_straight(hose: Findings) -> None:
    cable = document(hose)["cables"]["hose"]
    assert cable["bending_stress"] == pytest.approx(10e6 * 5e-3 * np.array(cable["curvature"]), rel=1e-6)


def test_numbers_read_back_exactly(hose: Findings) -> None:
    cable = hose.cables["hose"]
    assert cable is not None
    told = json.loads(json_text(hose))["cables"]["hose"]
    assert np.array_equal(told["positions"], cable.positions)


def test_infeasible_says_the_shortfall_and_has_no_shape(solve: Callable[[str], Findings]) -> None:
    text = """
[[cables]]
name = "short"
type = "library:rg-58"
length = 0.4
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
end = { position = [0.5, 0, 0] }
"""
    told = document(solve(text))
    cable = told["cables"]["short"]
    assert told["status"] == "infeasible"
    assert cable["shortfall"] == pytest.approx(0.1)
    assert cable["positions"] is None
    assert cable.keys() >= CABLE_KEYS


def test_measured_stiffness_has_no_stress(solve: Callable[[str], Findings]) -> None:
    text = """
[[cables]]
name = "wire"
type = "library:rg-58"
length = 0.4
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
"""
    cable = document(solve(text))["cables"]["wire"]
    assert set(cable["bending_stress"]) == {None}


def test_contacts_are_told_with_all_that_acts(lying: Findings) -> None:
    told = json.loads(json_text(lying), parse_constant=refuse)
    cable = told["cables"]["hose"]
    assert told["contacts"]
    for contact in told["contacts"]:
        assert contact.keys() == CONTACT_KEYS
        assert (contact["cable"], contact["part"], contact["other_at"]) == ("hose", "floor", None)
        assert contact["place"] == pytest.approx(0.42 * contact["at"])
        assert contact["normal"] == pytest.approx([0, 0, 1])
        assert contact["point"][2] == pytest.approx(-0.06)
        assert contact["force"] == pytest.approx([0, 0, contact["pressure"]])
    assert 0.0 <= cable["penetration"] < 1e-6
    weight = 0.42 * np.pi * 0.005**2 * 1000 * 9.81
    pressed = sum(contact["force"][2] for contact in told["contacts"])
    held = sum(reaction["force"][2] for reaction in cable["reactions"].values())
    assert pressed + held == pytest.approx(weight, rel=1e-6)


def test_clearances_are_told_for_every_part(lying: Findings) -> None:
    told = {clearance["part"]: clearance for clearance in document(lying)["clearances"]}
    assert set(told) == {"floor", "bar", "block"}
    assert all(clearance.keys() == CLEARANCE_KEYS for clearance in told.values())
    assert told["floor"]["distance"] == pytest.approx(0.0, abs=2e-4)
    assert told["bar"]["distance"] > 0.01
    assert 0.0 < told["bar"]["at"] < 0.5 < told["block"]["at"]


def test_where_the_other_cable_is_touched_is_a_fraction_of_its_length(solve: Callable[[str], Findings]) -> None:
    text = """
[[cables]]
name = "a"
type = "library:rg-58"
length = 0.4
start = { position = [0, 0, 0], tangent = [1, 0, 0], roll = 0 }
[[cables]]
name = "b"
type = "library:rg-58"
length = 0.2
start = { position = [0, 1, 0], tangent = [1, 0, 0], roll = 0 }
"""
    up = np.array([0.0, 0.0, 1.0])
    contact = Contact("a", 0.1, 0.25, "b", 0.15, np.zeros(3), up, 2.0 * up, 2.0)
    (told,) = document(dataclasses.replace(solve(text), contacts=(contact,)))["contacts"]
    assert (told["at"], told["place"], told["part"]) == (0.25, 0.1, "b")
    assert told["other_at"] == pytest.approx(0.75)


def test_a_scene_without_an_equilibrium_tells_no_clearances(solve: Callable[[str], Findings]) -> None:
    found = solve(FLOOR.replace("[0.2, 0, 0]", "[0.5, 0, 0]"))
    told = document(found)
    assert told["status"] == "infeasible"
    assert (told["contacts"], told["clearances"]) == ([], [])
    assert {check["ok"] for check in told["checks"]} == {None}


def test_not_finite_becomes_null() -> None:
    told = plain({"a": np.array([1.0, np.nan]), "b": (np.inf, np.float64(2.0), np.bool_(True)), "c": None})
    assert told == {"a": [1.0, None], "b": [None, 2.0, True], "c": None}
